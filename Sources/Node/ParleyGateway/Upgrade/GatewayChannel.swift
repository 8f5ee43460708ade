package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Serves HTTP and WebSocket on one port; an `UpgradeGate` distinguishes the requests.
///
/// WebSocket handshakes are handled in the pipeline, other requests by the HTTP router. The task of a connection ends
/// with its handshake; an open WebSocket costs none.
package struct GatewayChannel: HTTPChannelHandler {
    /// A connection, and its HTTP end, if it has one.
    package struct Value: ServerChildChannelValue {
        package let channel: any Channel
        let http: EventLoopFuture<UpgradeGate.HTTPChannel>
    }

    package let responder: HTTPChannelHandler.Responder
    private let services: ConnectionServices
    private let admission: AdmissionControl
    private let loops: GatewayLoops

    init(
        responder: @escaping HTTPChannelHandler.Responder, services: ConnectionServices, admission: AdmissionControl,
        loops: GatewayLoops
    ) {
        self.responder = responder
        self.services = services
        self.admission = admission
        self.loops = loops
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.setUpOrClose { try build(channel, logger) }
    }

    private func build(_ channel: any Channel, _ logger: Logger) throws -> Value {
        let counts = services.limits.counts
        guard let loop = loops.loop(of: channel.eventLoop),
            let place = counts.openConnection(from: channel.remoteAddress?.ipAddress)
        else { throw ChannelError.eof }
        channel.closeFuture.whenComplete { _ in counts.closeConnection(place) }
        let http = channel.eventLoop.makePromise(of: UpgradeGate.HTTPChannel.self)
        do {
            let decoder = RequestDecoder()
            try channel.pipeline.syncOperations.addHandlers([
                HTTPResponseEncoder(), ByteToMessageHandler(decoder),
                RequestCheck(
                    decoder, clock: services.clock, closeTimeout: services.settings.closeTimeout, logger: logger),
                UpgradeGate(
                    admission, services: services, loop: loop, decoder: decoder, http: http, logger: logger),
            ])
        } catch {
            http.fail(error)
            throw error
        }
        return Value(channel: channel, http: http.futureResult)
    }

    package func handle(value: Value, logger: Logger) async {
        // There is no HTTP end if the first request was a handshake, or the connection ended before it.
        guard let channel = try? await value.http.get() else { return }
        // Requests of the router may compute for longer than an event loop can wait; see `GatewayServer`.
        await withTaskExecutorPreference(globalConcurrentExecutor) {
            await handleHTTP(asyncChannel: channel, logger: logger)
        }
    }
}
