import NIOCore
import NIOPosix
import Synchronization

/// A proxy between clients and a server on 127.0.0.1 that injects network faults.
///
/// Bytes held back by a fault are not lost; they are forwarded when it ends, as in a real network. The list of
/// connections is protected by a lock; each connection is handled on its event loop.
package final class TCPProxy: Sendable {
    /// The state of the network.
    package enum Mode: Hashable, Sendable {
        case normal
        /// Connections are closed, including new ones.
        case cut
        /// Nothing is forwarded in either direction, and no connection is closed.
        case frozen
        /// The server's bytes are not forwarded.
        case deaf
    }

    /// A client connection with its connection to the server.
    private final class Pair: Sendable {
        struct State {
            var server: (any Channel)?
            /// The first bytes sent by the client.
            var words: [UInt8] = []
            var isSwallowed = false
            var isFrozen = false
            /// What a client sent before it hung up on a frozen connection: its end makes NIO read the rest.
            var held = ByteBuffer()
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

        /// Applies a state; a connection without its server side applies it when that is connected.
        func take(on mode: Mode) {
            guard mode != .cut else { return close() }
            guard let server = state.withLock({ $0.server }) else { return }
            let held = state.withLock { state in
                state.isFrozen = mode == .frozen
                defer { if !state.isFrozen { state.held = ByteBuffer() } }
                return state.isFrozen ? ByteBuffer() : state.held
            }
            if held.readableBytes > 0 {
                let client = client
                server.writeAndFlush(held).whenComplete { _ in if !client.isActive { server.close(promise: nil) } }
            }
            client.setOption(.autoRead, value: mode != .frozen).whenComplete { _ in }
            server.setOption(.autoRead, value: mode == .normal).whenComplete { _ in }
        }
    }

    private struct State {
        var mode = Mode.normal
        var pairs: [ObjectIdentifier: Pair] = [:]
    }

    /// A separate object, so that the connections do not retain the proxy.
    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    /// The number of a client's first bytes that are remembered.
    private static let memory = 4096

    private let listener: any Channel
    private let shared: Shared

    private init(_ listener: any Channel, _ shared: Shared) {
        self.listener = listener
        self.shared = shared
    }

    /// Starts a proxy for a server on `port`, which need not be running yet.
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

    /// The port to connect to.
    package var port: Int { listener.localAddress?.port ?? 0 }

    /// Changes the state of the network, for open and new connections.
    package func become(_ mode: Mode) {
        let pairs = shared.state.withLock { state in
            state.mode = mode
            return Array(state.pairs.values)
        }
        for pair in pairs { pair.take(on: mode) }
    }

    /// Drops the server's bytes from now on, on the open connections whose client has sent these bytes.
    /// - Returns: the number of these connections.
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
        let mode = shared.state.withLock { state in
            state.pairs[name] = pair
            return state.mode
        }
        let end: @Sendable () -> Void = {
            _ = shared.state.withLock { $0.pairs.removeValue(forKey: name) }
            pair.close()
        }
        client.closeFuture.whenComplete { _ in
            if pair.state.withLock({ $0.held.readableBytes }) == 0 { end() }
        }
        guard mode != .cut else { return pair.close() }
        ClientBootstrap(group: client.eventLoop)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .connect(host: "127.0.0.1", port: port)
            .flatMapThrowing { server in
                try server.pipeline.syncOperations.addHandler(Forwarder(pair, isFromClient: false))
                try client.pipeline.syncOperations.addHandler(Forwarder(pair, isFromClient: true))
                pair.state.withLock { $0.server = server }
                server.closeFuture.whenComplete { _ in end() }
                // The client may have disconnected meanwhile. Its channel's activity does not show that: on loopback
                // the server side can be connected before the client's is registered.
                let (mode, isOpen) = shared.state.withLock { ($0.mode, $0.pairs[name] != nil) }
                if isOpen { pair.take(on: mode) } else { pair.close() }
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
                if state.isFrozen {
                    state.held.writeImmutableBuffer(buffer)
                    return nil
                }
                return state.server
            }
            other?.writeAndFlush(buffer, promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
