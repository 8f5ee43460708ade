import NIOCore
import NIOPosix

/// A server on 127.0.0.1 that answers whatever arrives with the same bytes.
struct RawServer {
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: String
        private let closes: Bool

        init(_ answer: String, closes: Bool) {
            self.answer = answer
            self.closes = closes
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
            if closes { context.close(promise: nil) }
        }
    }

    private let channel: any Channel

    var port: Int { channel.localAddress?.port ?? 0 }

    /// - Parameter closes: Whether it closes the connection then.
    static func start(_ answer: String, closes: Bool = true) async throws -> RawServer {
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(answer, closes: closes))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return RawServer(channel: channel)
    }

    func stop() async {
        try? await channel.close()
    }
}
