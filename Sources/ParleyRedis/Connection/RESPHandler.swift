import NIOCore

/// Parses the inbound bytes of a channel into replies. Used on the channel's event loop.
final class RESPHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The callbacks of the handler; called on the event loop.
    struct Callbacks {
        /// Bytes have arrived.
        var bytesReceived: () -> Void = {}
        var answered: (RESPValue) -> Void
        /// The bytes are not valid RESP; no further replies follow.
        var parseFailed: (RESPReader.ParseError) -> Void
        /// The channel was closed, with the reason.
        var ended: (String) -> Void
    }

    private let reader: RESPReader
    private var callbacks: Callbacks?
    private var failure: (any Error)?

    init(_ reader: RESPReader, _ callbacks: Callbacks) {
        self.reader = reader
        self.callbacks = callbacks
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        callbacks?.bytesReceived()
        let error = buffer.withUnsafeReadableBytes { read($0) }
        if let error { callbacks?.parseFailed(error) }
    }

    private func read(_ bytes: UnsafeRawBufferPointer) -> RESPReader.ParseError? {
        do throws(RESPReader.ParseError) {
            try reader.feed(bytes)
            while let reply = try reader.next() { callbacks?.answered(reply) }
            return nil
        } catch {
            return error
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        let callbacks = callbacks
        self.callbacks = nil
        callbacks?.ended(failure.map { "\($0)" } ?? "closed by Redis")
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        failure = failure ?? error
        context.close(promise: nil)
    }
}
