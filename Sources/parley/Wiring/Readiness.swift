import Logging
import ParleyGateway
import ParleyRedis
import Synchronization

/// Whether the start is over, and the end has not begun.
final class Readiness: Sendable {
    private let isStarted = Atomic<Bool>(false)
    private let isEnding = Atomic<Bool>(false)

    /// Why the process is not ready, for `/readyz`; empty if it is.
    var reasons: [String] {
        if isEnding.load(ordering: .relaxed) { return ["draining"] }
        return isStarted.load(ordering: .relaxed) ? [] : ["starting"]
    }

    /// The process has been told to end.
    func end() {
        isEnding.store(true, ordering: .relaxed)
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
