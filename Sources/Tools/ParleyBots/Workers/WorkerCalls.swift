import NIOCore

/// Matches the reply lines of a worker to their requests, which are answered in order. Bound to its channel's event
/// loop.
final class WorkerCalls: ChannelDuplexHandler {
    struct Call: Sendable {
        let line: ByteBuffer
        let reply: EventLoopPromise<ByteBuffer>
    }

    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Call
    typealias OutboundOut = ByteBuffer

    private let number: Int
    /// Pending requests; at most one for each of the few calling tasks.
    private var waiting: [EventLoopPromise<ByteBuffer>] = []

    init(number: Int) {
        self.number = number
    }

    static func ended(_ number: Int) -> LoadGeneratorError {
        LoadGeneratorError(description: "worker \(number + 1) has ended early")
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let call = unwrapOutboundIn(data)
        guard context.channel.isActive else { return call.reply.fail(Self.ended(number)) }
        waiting.append(call.reply)
        context.write(wrapOutboundOut(call.line), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !waiting.isEmpty else { return }
        waiting.removeFirst().succeed(unwrapInboundIn(data))
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail()
        context.close(promise: nil)
    }

    private func fail() {
        for reply in waiting { reply.fail(Self.ended(number)) }
        waiting = []
    }
}
