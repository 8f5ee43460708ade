import Logging
import ParleyModel

/// Notes in the store how far each Redis host has come, so that a host that was set back is recognised even if nothing
/// of what it lost was stored, and no node remembers it.
///
/// After events of this node were appended on a host, the node raises a counter there and then notes its value in the
/// store, at most once a second. A host whose counter is below what is noted has lost everything that was appended
/// since; `ThreadChecks` compares them before anything else is appended.
///
/// `appended` may be called from anywhere and never waits.
final class HostProgress: Sendable {
    private let hosts: RedisHosts
    private let history: any LogHistory
    private let checks: ThreadChecks
    private let logger: Logger
    private let unnoted: HostFlags

    init(hosts: RedisHosts, history: any LogHistory, checks: ThreadChecks, logger: Logger) {
        self.hosts = hosts
        self.history = history
        self.checks = checks
        self.logger = logger
        unnoted = HostFlags(count: hosts.commands.count)
    }

    /// An event was appended on a host.
    func appended(on host: Int) { unnoted.set(host, true) }

    /// Notes the progress of all hosts until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            // Separately, so that a host that is away delays no other.
            for host in hosts.commands.indices {
                group.addTask {
                    while (try? await Task.sleep(for: self.hosts.settings.log.progressDelay)) != nil {
                        await self.note(host)
                    }
                }
            }
        }
    }

    private func note(_ host: Int) async {
        // Taken before the counter is raised: an event that is appended meanwhile is left to the next note.
        guard unnoted.take(host) else { return }
        do {
            try await history.note(progress: try await checks.advance(host), ofHost: host)
        } catch {
            unnoted.set(host, true)
            logger.debug("failed to note the progress of Redis", metadata: ["host": "\(host)", "error": "\(error)"])
        }
    }
}
