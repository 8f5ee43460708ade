import NIOCore
import NIOPosix
import Synchronization

/// Stands between clients and a server of 127.0.0.1, and does to their connections what networks do.
///
/// What is held while a line is stopped is not lost: it passes when the line is well again, as on a real network. The
/// connections are owned by a lock; what happens to one happens on its event loop.
package final class TCPProxy: Sendable {
    /// How the line is.
    package enum Mood: Hashable, Sendable {
        case well
        /// Connections are closed, and new ones at once.
        case cut
        /// Nothing passes in either direction, and nobody is told.
        case frozen
        /// What the server says does not come back.
        case deaf
    }

    /// One client with its connection to the server.
    private final class Pair: Sendable {
        struct State {
            var server: (any Channel)?
            /// What the client has said first.
            var words: [UInt8] = []
            var isSwallowed = false
        }

        let client: any Channel
        let state = Mutex(State())

        init(_ client: any Channel) {
            self.client = client
        }

        func close() {
            client.close(promise: nil)
            state.withLock { $0.server }?.close(promise: nil)
        }

        /// A connection whose server's end is not there yet reads when it is.
        func take(on mood: Mood) {
            guard mood != .cut else { return close() }
            guard let server = state.withLock({ $0.server }) else { return }
            client.setOption(.autoRead, value: mood != .frozen).whenComplete { _ in }
            server.setOption(.autoRead, value: mood == .well).whenComplete { _ in }
        }
    }

    private struct State {
        var mood = Mood.well
        var pairs: [ObjectIdentifier: Pair] = [:]
    }

    /// Its own object, so that the connections do not hold the proxy.
    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    /// Bytes of what a client says first that are remembered.
    private static let memory = 4096

    private let listener: any Channel
    private let shared: Shared

    private init(_ listener: any Channel, _ shared: Shared) {
        self.listener = listener
        self.shared = shared
    }

    /// Takes connections for a server on `port`, which need not be there yet.
    package static func start(to port: Int) async throws -> TCPProxy {
        let shared = Shared()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { client in
                client.eventLoop.makeCompletedFuture { join(client, to: port, shared) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return TCPProxy(listener, shared)
    }

    deinit {
        listener.close(promise: nil)
        become(.cut)
    }

    /// Where to connect.
    package var port: Int { listener.localAddress?.port ?? 0 }

    /// Changes how the line is, for connections that are open and for those to come.
    package func become(_ mood: Mood) {
        let pairs = shared.state.withLock { state in
            state.mood = mood
            return Array(state.pairs.values)
        }
        for pair in pairs { pair.take(on: mood) }
    }

    /// From now on what the server says is swallowed, on the open connections whose client has said these words.
    /// - Returns: how many those are.
    @discardableResult
    package func swallowReplies(toWhoSaid words: String) -> Int {
        let pairs = shared.state.withLock { Array($0.pairs.values) }
        return pairs.count { pair in
            pair.state.withLock { state in
                guard String(decoding: state.words, as: UTF8.self).contains(words) else { return false }
                state.isSwallowed = true
                return true
            }
        }
    }

    private static func join(_ client: any Channel, to port: Int, _ shared: Shared) {
        let pair = Pair(client)
        let name = ObjectIdentifier(pair)
        let mood = shared.state.withLock { state in
            state.pairs[name] = pair
            return state.mood
        }
        client.closeFuture.whenComplete { _ in
            _ = shared.state.withLock { $0.pairs.removeValue(forKey: name) }
            pair.close()
        }
        guard mood != .cut else { return pair.close() }
        ClientBootstrap(group: client.eventLoop)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .connect(host: "127.0.0.1", port: port)
            .flatMapThrowing { server in
                try server.pipeline.syncOperations.addHandler(Forwarder(pair, isFromClient: false))
                try client.pipeline.syncOperations.addHandler(Forwarder(pair, isFromClient: true))
                pair.state.withLock { $0.server = server }
                server.closeFuture.whenComplete { _ in pair.close() }
                // The client may have gone meanwhile. Whether its channel is active would not tell: on loopback the
                // server's end can be there before the client's is registered.
                let (mood, isOpen) = shared.state.withLock { ($0.mood, $0.pairs[name] != nil) }
                if isOpen { pair.take(on: mood) } else { pair.close() }
            }
            .whenFailure { _ in pair.close() }
    }

    private final class Forwarder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let pair: Pair
        private let isFromClient: Bool

        init(_ pair: Pair, isFromClient: Bool) {
            self.pair = pair
            self.isFromClient = isFromClient
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            let other = pair.state.withLock { state -> (any Channel)? in
                guard isFromClient else { return state.isSwallowed ? nil : pair.client }
                let room = TCPProxy.memory - state.words.count
                if room > 0 { state.words += buffer.readableBytesView.prefix(room) }
                return state.server
            }
            other?.writeAndFlush(buffer, promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
