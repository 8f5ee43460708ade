import Logging
package import NIOCore
import NIOPosix
import ParleyFanOut
package import ParleyModel
import ServiceLifecycle

/// The TCP door for the line dialect (PROTOCOL §5): everyone who comes in is in the lobby.
package struct LineListener: Service {
    private let gateway: Gateway
    private let lobby: ThreadInfo
    private let group: any EventLoopGroup
    private let host: String
    private let port: Int

    /// - Parameters:
    ///   - lobby: the room all guests are in; it must exist in the store.
    ///   - group: holds the loops of the gateway's fan-out.
    package init(gateway: Gateway, lobby: ThreadInfo, group: any EventLoopGroup, host: String, port: Int) {
        self.gateway = gateway
        self.lobby = lobby
        self.group = group
        self.host = host
        self.port = port
    }

    package func run() async throws {
        let (gateway, lobby) = (gateway, lobby)
        let connections = LineConnections()
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // Nothing is sent to a silent guest in a silent lobby, so only the kernel finds out that it is gone.
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 512))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let loop = gateway.fanOut.index(of: channel.eventLoop) else { throw ChannelError.eof }
                    let address = channel.remoteAddress?.ipAddress ?? "unknown"
                    try gateway.counts.openLine(from: address)
                    channel.closeFuture.whenComplete { _ in gateway.counts.closeLine(from: address) }
                    guard connections.add(channel) else { throw ChannelError.eof }
                    try channel.pipeline.syncOperations.addHandler(
                        LineHandler(gateway: gateway, lobby: lobby, loop: loop))
                }
            }
            .bind(host: host, port: port).get()
        gateway.logger.info("line door open", metadata: ["host": "\(host)", "port": "\(port)"])
        // A cancelled task must end too: another service has failed.
        await withTaskCancellationOrGracefulShutdownHandler {
            try? await listener.closeFuture.get()
            await connections.close()
        } onCancelOrGracefulShutdown: {
            listener.close(promise: nil)
        }
    }
}
