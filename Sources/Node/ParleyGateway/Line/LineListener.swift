import Logging
import NIOCore
import NIOPosix
import ParleyModel
import ServiceLifecycle
import Synchronization

/// The TCP listener of the line dialect (PROTOCOL §5): every guest is in the lobby.
package struct LineListener: Service {
    private let services: ConnectionServices
    private let loops: GatewayLoops
    private let names: any GuestNames
    private let lobby: ThreadInfo
    private let group: any EventLoopGroup
    private let host: String
    private let port: Int

    init(
        services: ConnectionServices, loops: GatewayLoops, names: any GuestNames, lobby: ThreadInfo,
        group: any EventLoopGroup, host: String, port: Int
    ) {
        self.services = services
        self.loops = loops
        self.names = names
        self.lobby = lobby
        self.group = group
        self.host = host
        self.port = port
    }

    package func run() async throws {
        let (services, loops, names, lobby) = (services, loops, names, lobby)
        let connections = LineConnections()
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // Nothing is sent to a silent guest in a silent lobby, so only the kernel detects that it is gone.
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 512))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let loop = loops.loop(of: channel.eventLoop) else { throw ChannelError.eof }
                    let (counts, address) = (services.limits.counts, channel.remoteAddress?.ipAddress ?? "unknown")
                    try counts.openLine(from: address)
                    channel.closeFuture.whenComplete { _ in counts.closeLine(from: address) }
                    guard connections.add(channel) else { throw ChannelError.eof }
                    try channel.pipeline.syncOperations.addHandler(
                        LineHandler(services: services, loop: loop, names: names, lobby: lobby))
                }
            }
            .bind(host: host, port: port).get()
        services.telemetry.logger.info("line listener open", metadata: ["host": "\(host)", "port": "\(port)"])
        // The task is cancelled when another service fails.
        await withTaskCancellationOrGracefulShutdownHandler {
            try? await listener.closeFuture.get()
            await connections.close()
        } onCancelOrGracefulShutdown: {
            listener.close(promise: nil)
        }
    }
}

/// The open connections of the line listener, which are closed with it. Its state is owned by a mutex.
private final class LineConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// - Returns: `false` if the listener is closed.
    func add(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let isOpen = state.withLock { state in
            if !state.isClosed { state.channels[id] = channel }
            return !state.isClosed
        }
        if isOpen {
            channel.closeFuture.whenComplete { [self] _ in _ = state.withLock { $0.channels.removeValue(forKey: id) } }
        }
        return isOpen
    }

    /// Closes all connections, including connections that are being accepted, and waits until they are closed.
    func close() async {
        let open = state.withLock { state in
            state.isClosed = true
            return Array(state.channels.values)
        }
        for channel in open { channel.close(promise: nil) }
        for channel in open { try? await channel.closeFuture.get() }
    }
}
