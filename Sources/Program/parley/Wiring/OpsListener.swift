import Hummingbird
import HummingbirdCore
import Logging
import Metrics
import NIOCore
import ParleyGateway
import ParleyModel
import ParleyREST
import ServiceLifecycle

/// The separate HTTP listener of the ops endpoints. It opens before the other listeners and closes after them, so that
/// startup, drain and shutdown can be observed.
struct OpsListener: Service {
    let ops: OpsServices
    let address: (host: String, port: Int)
    let clock: WallClock
    let gateway: GatewaySettings
    let loops: any EventLoopGroup
    let metrics: any MetricsFactory
    let logger: Logger

    /// Maximum number of connections; a few programs poll every few seconds.
    private static let capacity = 256

    func run() async throws {
        let application = Application(
            router: makeOpsRouter(ops, clock: clock, metrics: metrics),
            server: HTTPServerBuilder { [gateway, clock] in
                PlainHTTPChannel(
                    responder: $0,
                    counts: ConnectionCounts(limits: Limits(), spare: Self.capacity, metrics: nil),
                    limits: gateway.plainRequestLimits, idleTimeout: gateway.idleTimeout, clock: clock)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port), reuseAddress: true),
            eventLoopGroupProvider: .shared(loops), logger: logger)
        do {
            try await application.run()
        } catch let error as IOError {
            throw PortFailure(error, host: address.host, port: address.port, flag: "--ops-port")
        }
    }
}
