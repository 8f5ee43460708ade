package import NIOCore
import NIOPosix
import NIOSSL

/// Connections over TCP or a Unix socket, unencrypted or over TLS, each in a NIO channel.
package struct SocketTransport: RedisTransport {
    package init() {}

    package func connect(
        to endpoint: RedisEndpoint, encryption: RedisEncryption?, timeout: Duration, on eventLoop: any EventLoop,
        _ receiver: any RedisReceiver
    ) {
        let handler = NIOLoopBound(ReceiverHandler(receiver), eventLoop: eventLoop)
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(TimeAmount(timeout))
            .channelOption(.maxMessagesPerRead, value: 16)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let encryption {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: encryption.context, serverHostname: encryption.serverName))
                    }
                    try channel.pipeline.syncOperations.addHandler(handler.value)
                }
            }
        let channel =
            switch endpoint {
            case .tcp(let host, let port):
                bootstrap.channelOption(.socketOption(.so_keepalive), value: 1)
                    .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .connect(host: host, port: port)
            case .unix(let path):
                bootstrap.connect(unixDomainSocketPath: path)
            }
        channel.assumeIsolated().whenComplete { handler.value.connected($0) }
    }
}

/// The channel of a connection.
private struct SocketConnection: RedisConnection {
    let channel: any Channel

    func write(_ bytes: ByteBuffer) {
        channel.write(bytes, promise: nil)
    }

    func flush() {
        channel.flush()
    }

    func close() {
        channel.close(promise: nil)
    }
}

/// Passes the events of a channel to a receiver. Used on the channel's event loop.
private final class ReceiverHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// `nil` after the end.
    private var receiver: (any RedisReceiver)?
    private var failure: (any Error)?

    init(_ receiver: any RedisReceiver) {
        self.receiver = receiver
    }

    func connected(_ result: Result<any Channel, any Error>) {
        switch result {
        case .success(let channel): receiver?.opened(SocketConnection(channel: channel))
        case .failure(let error): end("\(error)")
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        receiver?.received(unwrapInboundIn(data))
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(failure.map { "\($0)" } ?? "closed by Redis")
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        failure = failure ?? error
        context.close(promise: nil)
    }

    private func end(_ reason: String) {
        let receiver = receiver
        self.receiver = nil
        receiver?.ended(reason)
    }
}
