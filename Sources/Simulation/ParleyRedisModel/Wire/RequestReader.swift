import NIOCore

/// Cuts received bytes into commands: arrays of bulk strings. Inline commands are not modelled.
struct RequestReader: Sendable {
    enum ReadError: Error {
        /// The request is invalid; Redis sends this text before it closes the connection.
        case invalid(String)
    }

    /// The most arguments and the longest one, as Redis limits them by default.
    private static let arguments = 1024 * 1024
    private static let bulkBytes = 512 * 1024 * 1024

    private var buffer = ByteBuffer()

    mutating func append(_ bytes: ByteBuffer) {
        if buffer.readableBytes == 0 {
            buffer = bytes
        } else {
            buffer.writeImmutableBuffer(bytes)
        }
    }

    /// The next whole command; `nil` until more bytes arrive.
    mutating func next() throws(ReadError) -> [Bytes]? {
        var rest = buffer
        while true {
            guard let count = try Self.length(&rest, mark: UInt8(ascii: "*"), limit: Self.arguments) else { return nil }
            var arguments: [Bytes] = []
            arguments.reserveCapacity(count)
            for _ in 0..<count {
                guard let length = try Self.length(&rest, mark: UInt8(ascii: "$"), limit: Self.bulkBytes),
                    let bytes = rest.readBytes(length: length), rest.readBytes(length: 2) != nil
                else { return nil }
                arguments.append(bytes)
            }
            buffer = rest
            // An empty command has no reply.
            if !arguments.isEmpty { return arguments }
        }
    }

    private static func length(
        _ buffer: inout ByteBuffer, mark: UInt8, limit: Int
    ) throws(ReadError) -> Int? {
        guard let first = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self) else { return nil }
        guard first == mark else {
            throw .invalid("ERR Protocol error: expected '\(mark == 0x24 ? "$" : "*")', got '\([first].text)'")
        }
        guard let end = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\r")) else { return nil }
        let digits = buffer.readableBytesView[(buffer.readerIndex + 1)..<end]
        guard let length = Int64(canonical: digits), length <= limit else {
            throw .invalid("ERR Protocol error: invalid length")
        }
        guard buffer.readableBytes >= end - buffer.readerIndex + 2 else { return nil }
        buffer.moveReaderIndex(to: end + 2)
        return max(0, Int(length))
    }
}
