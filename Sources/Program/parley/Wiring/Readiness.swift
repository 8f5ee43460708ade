import Logging
import ParleyGateway
import ParleyMessaging
import ParleyModel
import ParleyREST
import ParleyRedis
import Synchronization

/// The readiness of the process: startup is complete and shutdown has not begun.
final class Readiness: Sendable {
    private let isStarted = Atomic<Bool>(false)
    private let isEnding = Atomic<Bool>(false)

    /// The reasons that the process is not ready, for `/readyz`; empty if it is.
    var reasons: [String] {
        if isEnding.load(ordering: .relaxed) { return ["draining"] }
        return isStarted.load(ordering: .relaxed) ? [] : ["starting"]
    }

    /// Reports what the process can serve: sockets as long as handshakes find a reachable thread (they are decided by
    /// the same value, `BusReach`), and REST as long as the database is available. Operators see unavailable hosts of
    /// Redis.
    func report(of adapters: Adapters, as role: Role, _ clocks: ClockWatch) async -> ReadinessReport {
        async let database = adapters.problems()
        async let redis = adapters.backend.problems()
        let (problems, away) = await (database, redis)
        // Read last, so that the report is as new as it can be.
        var sockets: [String] = []
        if !role.hasSockets {
            sockets = ["this process has no sockets"]
        } else if adapters.backend.bus.reach == .none {
            sockets = ["redis: no host can be reached"]
        }
        return ReadinessReport(
            reasons: reasons + problems, sockets: sockets,
            rest: role.hasREST ? [] : ["this process has no REST"], notes: away + clocks.problems)
    }

    /// Whether shutdown has begun.
    var hasEnded: Bool { isEnding.load(ordering: .relaxed) }

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
