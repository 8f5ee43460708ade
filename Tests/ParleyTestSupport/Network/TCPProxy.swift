import NIOCore
import NIOPosix
import Synchronization

/// Stands between clients and a server of 127.0.0.1, and does to their connections what networks do.
///
/// The connections are owned by a lock; what happens to one happens on its event loop.
package final class TCPProxy: Sendable {
    /// One client with its connection to the server.
    private final class Pair: Sendable {
        struct State {
            var server: (any Channel)?
            var words: [UInt8] = []
            var isDeaf = false
        }

        let client: any Channel
        let state = Mutex(State())

        init(_ client: any Channel) {
            self.client = client
        }
    }

    /// Bytes of what a client says first that are remembered.
    private static let memory = 4096

    private let listener: any Channel
    private let pairs: Pairs

    private final class Pairs: Sendable {
        let all = Mutex<[ObjectIdentifier: Pair]>([:])
    }

    /// Where to connect.
    package var port: Int { listener.localAddress?.port ?? 0 }
    /// How many connections are open.
    package var count: Int { pairs.all.withLock { $0.count } }

    private init(_ listener: any Channel, _ pairs: Pairs) {
        self.listener = listener
        self.pairs = pairs
    }

    /// - Parameter port: the server's.
    package static func start(to port: Int) async throws -> TCPProxy {
        let pairs = Pairs()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { client in
                let pair = Pair(client)
                return ClientBootstrap(group: client.eventLoop)
                    .channelInitializer { server in
                        server.eventLoop.makeCompletedFuture {
                            try server.pipeline.syncOperations.addHandler(Forwarder(pair, isFromClient: false))
                        }
                    }
                    .connect(host: "127.0.0.1", port: port)
                    .flatMap { server in
                        pair.state.withLock { $0.server = server }
                        pairs.all.withLock { $0[ObjectIdentifier(pair)] = pair }
                        client.closeFuture.whenComplete { _ in
                            _ = pairs.all.withLock { $0.removeValue(forKey: ObjectIdentifier(pair)) }
                        }
                        return client.eventLoop.makeCompletedFuture {
                            try client.pipeline.syncOperations.addHandler(Forwarder(pair, isFromClient: true))
                        }
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return TCPProxy(listener, pairs)
    }

    /// From now on what the server says is swallowed, on the open connections whose client has said these words.
    /// - Returns: how many those are.
    @discardableResult
    package func swallowAnswers(toWhoSaid words: String) -> Int {
        let pairs = pairs.all.withLock { Array($0.values) }
        return pairs.reduce(0) { count, pair in
            pair.state.withLock { state in
                guard String(decoding: state.words, as: UTF8.self).contains(words) else { return count }
                state.isDeaf = true
                return count + 1
            }
        }
    }

    /// Cuts all open connections.
    package func cut() {
        for pair in pairs.all.withLock({ Array($0.values) }) { pair.client.close(promise: nil) }
    }

    package func stop() async {
        try? await listener.close()
        cut()
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
                guard isFromClient else { return state.isDeaf ? nil : pair.client }
                let room = TCPProxy.memory - state.words.count
                if room > 0 { state.words += buffer.readableBytesView.prefix(room) }
                return state.server
            }
            other?.writeAndFlush(buffer, promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            pair.client.close(promise: nil)
            pair.state.withLock { $0.server }?.close(promise: nil)
        }
    }
}
