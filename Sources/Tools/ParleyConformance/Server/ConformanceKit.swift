import NIOCore
import NIOHTTP1
import NIOPosix

/// A hostile v1 server on 127.0.0.1 that runs scenarios against a client.
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

    /// - Parameter port: The port; 0 selects a free one.
    /// - Throws: An error if the port cannot be bound.
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

    /// Begins a scenario, which accepts connections of the client.
    /// - Parameters:
    ///   - machine: The scenario and the client's names.
    ///   - asked: Called on the event loop with requests to the client: a line for a program, and a text for a person.
    /// - Returns: The result of the scenario.
    func begin(
        _ machine: ScenarioMachine, asked: @escaping @Sendable (_ line: String, _ text: String) -> Void
    ) async throws -> EventLoopFuture<ScenarioResult> {
        try await channel.eventLoop.submit { [kit, loop] in
            let promise = loop.makePromise(of: ScenarioResult.self)
            kit.value.run(machine, asked: asked, finished: { promise.succeed($0) })
            return promise.futureResult
        }.get()
    }

    /// Passes a report or the end of the client to the scenario.
    package func note(_ event: ScenarioEvent) {
        channel.eventLoop.execute { [kit] in kit.value.process(event) }
    }
}
