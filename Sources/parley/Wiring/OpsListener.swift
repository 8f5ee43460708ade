import Hummingbird
import HummingbirdCore
import Logging
import Metrics
import NIOCore
import ParleyGateway
import ParleyModel
import ParleyREST
import ServiceLifecycle

/// The HTTP listener that only operators and their programs reach. It is there from before the others to after them, so
/// that a start, a drain and an end can be watched.
struct OpsListener: Service {
    let ops: OpsServices
    let address: (host: String, port: Int)
    let clock: WallClock
    let gateway: GatewaySettings
    let loops: any EventLoopGroup
    let metrics: any MetricsFactory
    let logger: Logger

    /// How many connections there are at most: a few programs that ask every few seconds.
    private static let capacity = 256

    func run() async throws {
        let application = Application(
            router: makeOpsRouter(ops, clock: clock, metrics: metrics),
            server: HTTPServerBuilder { [gateway] in
                PlainHTTPChannel(
                    responder: $0,
                    counts: ConnectionCounts(limits: Limits(), spare: Self.capacity, metrics: nil),
                    limits: gateway.plainRequestLimits, idleTimeout: gateway.idleTimeout)
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
