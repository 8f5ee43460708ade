import NIOCore
import NIOPosix
import Synchronization

/// A line between two processes that can be cut, stopped, or made deaf: it takes connections on a free port of
/// 127.0.0.1 and passes them on to another port.
///
/// What is held while a line is stopped is not lost: it passes when the line is well again, as on a real network.
final class FragileLine: Sendable {
    /// How the line is.
    enum Mood: Hashable, Sendable {
        case well
        /// Connections are closed, and new ones at once.
        case cut
        /// Nothing passes in either direction, and nobody is told.
        case frozen
        /// What the server says does not come back.
        case deaf
    }

    /// One connection: the client's end and, when it is there, the server's.
    private struct Pair {
        let client: any Channel
        var server: (any Channel)?
    }

    private struct State {
        var mood = Mood.well
        var pairs: [ObjectIdentifier: Pair] = [:]
    }

    let port: Int
    private let target: Int
    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel
    private let state: Shared

    /// Its own object, so that the connections do not hold the proxy.
    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    private init(
        port: Int, target: Int, group: MultiThreadedEventLoopGroup, listener: any Channel, state: Shared
    ) {
        self.port = port
        self.target = target
        self.group = group
        self.listener = listener
        self.state = state
    }

    /// Takes connections for a server on `target`, which need not be there yet.
    static func start(to target: Int) async throws -> FragileLine {
        let group = MultiThreadedEventLoopGroup.singleton
        let state = Shared()
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { client in
                client.eventLoop.makeCompletedFuture { join(client, to: target, on: group, state) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return FragileLine(
            port: listener.localAddress?.port ?? 0, target: target, group: group, listener: listener, state: state)
    }

    deinit {
        listener.close(promise: nil)
        become(.cut)
    }

    /// Changes how the line is; for connections that are open and for those to come.
    func become(_ mood: Mood) {
        let pairs = state.state.withLock { state in
            state.mood = mood
            return Array(state.pairs.values)
        }
        for pair in pairs { Self.apply(mood, to: pair) }
    }

    /// How many connections are open.
    var connectionCount: Int { state.state.withLock { $0.pairs.count } }

    private static func apply(_ mood: Mood, to pair: Pair) {
        switch mood {
        case .cut:
            pair.client.close(promise: nil)
            pair.server?.close(promise: nil)
        case .well, .frozen, .deaf:
            // A connection whose server's end is not there yet reads when it is.
            guard let server = pair.server else { return }
            pair.client.setOption(.autoRead, value: mood != .frozen).whenComplete { _ in }
            server.setOption(.autoRead, value: mood == .well).whenComplete { _ in }
        }
    }

    private static func join(
        _ client: any Channel, to target: Int, on group: MultiThreadedEventLoopGroup, _ shared: Shared
    ) {
        let name = ObjectIdentifier(client)
        let mood = shared.state.withLock { state in
            state.pairs[name] = Pair(client: client)
            return state.mood
        }
        client.closeFuture.whenComplete { _ in
            let pair = shared.state.withLock { $0.pairs.removeValue(forKey: name) }
            pair?.server?.close(promise: nil)
        }
        guard mood != .cut else { return client.close(promise: nil) }
        ClientBootstrap(group: client.eventLoop)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .connect(host: "127.0.0.1", port: target)
            .flatMapThrowing { server in
                try server.pipeline.syncOperations.addHandler(Passing(to: client))
                try client.pipeline.syncOperations.addHandler(Passing(to: server))
                let (pair, mood) = shared.state.withLock { state in
                    state.pairs[name]?.server = server
                    return (state.pairs[name], state.mood)
                }
                guard let pair else { return server.close(promise: nil) }
                server.closeFuture.whenComplete { _ in client.close(promise: nil) }
                apply(mood, to: pair)
            }
            .whenFailure { _ in client.close(promise: nil) }
    }

    /// Passes what comes to the other end.
    private final class Passing: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let other: any Channel

        init(to other: any Channel) {
            self.other = other
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            other.writeAndFlush(unwrapInboundIn(data), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
