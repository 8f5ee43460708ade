import NIOCore
import NIOHTTP1
import NIOPosix

/// A hostile v1 server on 127.0.0.1, which runs scenarios against a client.
///
/// All state is on one event loop.
package final class ConformanceKit: Sendable {
    package let port: Int
    private let channel: any Channel
    private let kit: NIOLoopBound<KitLoop>

    private init(_ channel: any Channel, _ kit: NIOLoopBound<KitLoop>) {
        self.channel = channel
        self.kit = kit
        port = channel.localAddress?.port ?? 0
    }

    var loop: any EventLoop { channel.eventLoop }
    package var url: String { "http://127.0.0.1:\(port)" }

    /// - Parameter port: 0 for a free one.
    /// - Throws: If the port cannot be bound.
    package static func start(port: Int = 0) async throws -> ConformanceKit {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let kit = try await loop.submit { NIOLoopBound(KitLoop(loop), eventLoop: loop) }.get()
        let channel = try await ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let encoder = HTTPResponseEncoder()
                    let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
                    let handler = UpgradeHandler(kit.value, codecs: [encoder, decoder])
                    try channel.pipeline.syncOperations.addHandlers([WriteLimit(), encoder, decoder, handler])
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        return ConformanceKit(channel, kit)
    }

    package func stop() async throws { try await channel.close() }

    /// Begins one scenario: from now on a client may connect.
    /// - Parameters:
    ///   - trial: The scenario and the client's names.
    ///   - asked: Called on the event loop with what the client is to do: a line for a program, a text for a person.
    /// - Returns: Its end.
    func begin(
        _ trial: Trial, asked: @escaping @Sendable (_ line: String, _ text: String) -> Void
    ) async throws -> EventLoopFuture<ScenarioResult> {
        try await channel.eventLoop.submit { [kit, loop] in
            let promise = loop.makePromise(of: ScenarioResult.self)
            kit.value.run(trial, asked: asked, finished: { promise.succeed($0) })
            return promise.futureResult
        }.get()
    }

    /// Tells the trial what the client shows, or that it has ended.
    package func note(_ event: TrialEvent) {
        channel.eventLoop.execute { [kit] in kit.value.process(event) }
    }
}
