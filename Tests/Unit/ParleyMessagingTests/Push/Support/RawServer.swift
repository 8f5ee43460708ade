import NIOCore
import NIOPosix

/// A server on 127.0.0.1 that answers whatever arrives with the same bytes, and closes the connection.
struct RawServer {
    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: String

        init(_ answer: String) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
            context.close(promise: nil)
        }
    }

    private let channel: any Channel

    var port: Int { channel.localAddress?.port ?? 0 }

    static func start(_ answer: String) async throws -> RawServer {
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return RawServer(channel: channel)
    }

    func stop() async {
        try? await channel.close()
    }
}
