import NIOCore

/// Takes a stream apart into lines, without their ends.
struct LineDecoder: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer

    /// A checker that has seen the 20 million messages of the largest plan is shorter.
    static let maximumBytes = 1 << 30

    /// Bytes that have no end of a line in them.
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
        // Half a line is no order.
        buffer.clear()
        return .needMoreData
    }
}
