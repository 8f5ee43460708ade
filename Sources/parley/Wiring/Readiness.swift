import Logging
import ParleyGateway
import ParleyRedis
import Synchronization

/// Whether the start is over.
final class Readiness: Sendable {
    private let isStarted = Atomic<Bool>(false)

    /// Why the process is not ready, for `/readyz`; empty if it is.
    var reasons: [String] {
        isStarted.load(ordering: .relaxed) ? [] : ["starting"]
    }

    /// The door is open.
    func began(_ settings: Settings, _ role: Role, _ logger: Logger) {
        isStarted.store(true, ordering: .relaxed)
        logger.info(
            "parley is up",
            metadata: [
                "role": "\(role.rawValue)",
                "url": "http://\(settings.host):\(settings.port)", "database": "\(settings.database)",
                "redis": "\(settings.redis.map { "\($0.addresses.count) host(s)" } ?? "none")",
                "node": "\(settings.gateway.node)", "version": "\(Version.text)",
            ])
    }
}
