import NIOCore
import NIOPosix
import NIOSSL

/// Opens connections, unencrypted or over TLS. Owned by an event loop; the TLS files are read once.
final class RedisConnector {
    private let eventLoop: any EventLoop
    private let tls: RedisTLS?
    private let timeout: Duration
    private var context: NIOSSLContext?

    init(_ tls: RedisTLS?, eventLoop: any EventLoop, timeout: Duration) {
        self.tls = tls
        self.eventLoop = eventLoop
        self.timeout = timeout
    }

    /// - Parameter handler: receives the bytes; a `RESPHandler`, for example.
    func open(_ endpoint: RedisEndpoint, _ handler: some ChannelInboundHandler) -> EventLoopFuture<any Channel> {
        var encryption: (context: NIOSSLContext, name: String?)?
        if let tls {
            do {
                let context = try self.context ?? tls.context()
                self.context = context
                encryption = (context, Self.serverName(endpoint))
            } catch {
                return eventLoop.makeFailedFuture(error)
            }
        }
        let handler = NIOLoopBound(handler, eventLoop: eventLoop)
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(TimeAmount(timeout))
            .channelOption(.maxMessagesPerRead, value: 16)
            .channelInitializer { [encryption] channel in
                channel.eventLoop.makeCompletedFuture {
                    if let encryption {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: encryption.context, serverHostname: encryption.name))
                    }
                    try channel.pipeline.syncOperations.addHandler(handler.value)
                }
            }
        switch endpoint {
        case .tcp(let host, let port):
            return bootstrap.channelOption(.socketOption(.so_keepalive), value: 1)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .connect(host: host, port: port)
        case .unix(let path):
            return bootstrap.connect(unixDomainSocketPath: path)
        }
    }

    /// The name that the certificate must contain; `nil` for an IP address, which NIOSSL checks as such.
    private static func serverName(_ endpoint: RedisEndpoint) -> String? {
        guard case .tcp(let host, _) = endpoint, (try? SocketAddress(ipAddress: host, port: 0)) == nil else {
            return nil
        }
        return host
    }
}
