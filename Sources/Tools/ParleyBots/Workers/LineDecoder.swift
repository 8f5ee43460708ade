import Foundation
import NIOCore

/// Splits a stream into lines, without their line ends.
struct LineDecoder: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer

    /// Longer than the checker of the largest plan, with 20 million messages.
    static let maximumBytes = 1 << 30

    /// The number of leading bytes known to contain no line end.
    private var searched = 0

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        let view = buffer.readableBytesView
        guard let end = view.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) else {
            searched = view.count
            guard searched <= Self.maximumBytes else { throw LoadGeneratorError(description: "a line is too long") }
            return .needMoreData
        }
        searched = 0
        let line = buffer.readSlice(length: end - view.startIndex) ?? ByteBuffer()
        buffer.moveReaderIndex(forwardBy: 1)
        context.fireChannelRead(wrapInboundOut(line))
        return .continue
    }

    mutating func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        // A partial line is not a command.
        buffer.clear()
        return .needMoreData
    }
}

/// Commands and reports between the processes of one load generator, as lines of JSON.
///
/// They are `Codable` rather than written by `JSONWriter`: both ends are the same program, a line a second passes, and
/// no other program reads it.
enum JSONLine {
    static func write(_ value: some Encodable) throws -> ByteBuffer {
        var line = ByteBuffer(bytes: try JSONEncoder().encode(value))
        line.writeInteger(UInt8(ascii: "\n"))
        return line
    }

    static func read<Value: Decodable>(_ line: ByteBuffer, as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(line.readableBytesView))
    }
}
