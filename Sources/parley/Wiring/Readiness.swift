import Logging
import ParleyGateway
import ParleyRedis
import Synchronization

/// The readiness of the process: startup is complete and shutdown has not begun.
final class Readiness: Sendable {
    private let isStarted = Atomic<Bool>(false)
    private let isEnding = Atomic<Bool>(false)

    /// Why the process is not ready, for `/readyz`; empty if it is.
    var reasons: [String] {
        if isEnding.load(ordering: .relaxed) { return ["draining"] }
        return isStarted.load(ordering: .relaxed) ? [] : ["starting"]
    }

    /// Records that shutdown has begun.
    func end() {
        isEnding.store(true, ordering: .relaxed)
    }

    /// Records, and logs, that the listeners are open.
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
