import Logging
import ParleyGateway
import Synchronization

/// Whether the start is over.
final class Readiness: Sendable {
    private let isStarted = Atomic<Bool>(false)

    /// Why the process is not ready, for `/readyz`; empty if it is.
    var reasons: [String] {
        isStarted.load(ordering: .relaxed) ? [] : ["starting"]
    }

    /// The door is open.
    func began(_ settings: Settings, _ logger: Logger) {
        isStarted.store(true, ordering: .relaxed)
        logger.info(
            "parley is up",
            metadata: [
                "url": "http://\(settings.host):\(settings.port)", "database": "\(settings.databasePath)",
                "node": "\(settings.gateway.node)", "version": "\(Version.text)",
            ])
    }
}
