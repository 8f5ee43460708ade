import NIOCore

/// Bytes of a channel to answers, and its end. On its channel's event loop.
final class RESPHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// What is told; each on the event loop.
    struct Ears {
        /// Bytes have come.
        var heard: () -> Void = {}
        var answered: (RESPValue) -> Void
        /// What comes is no answer; nothing more is told of it.
        var misunderstood: (RESPReader.Flaw) -> Void
        /// The channel is closed, with the reason.
        var ended: (String) -> Void
    }

    private let reader: RESPReader
    private var ears: Ears?
    private var failure: (any Error)?

    init(_ reader: RESPReader, _ ears: Ears) {
        self.reader = reader
        self.ears = ears
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        ears?.heard()
        let flaw = buffer.withUnsafeReadableBytes { read($0) }
        if let flaw { ears?.misunderstood(flaw) }
    }

    private func read(_ bytes: UnsafeRawBufferPointer) -> RESPReader.Flaw? {
        do throws(RESPReader.Flaw) {
            try reader.feed(bytes)
            while let answer = try reader.next() { ears?.answered(answer) }
            return nil
        } catch {
            return error
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        let ears = ears
        self.ears = nil
        ears?.ended(failure.map { "\($0)" } ?? "closed by Redis")
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        failure = failure ?? error
        context.close(promise: nil)
    }
}
