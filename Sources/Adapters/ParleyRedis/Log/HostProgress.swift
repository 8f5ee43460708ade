import Logging
import ParleyModel
import ParleyRedisClient

/// Notes the progress of each Redis host in the store, so that a host that was set back is recognised even if none of
/// the events it lost were stored and no node remembers them.
///
/// After events of this node were appended on a host, the node raises a counter there and then notes its value in the
/// store, at most once a second. A host whose counter is below the noted value has lost everything that was appended
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

    /// Records that an event was appended on a host.
    func appended(on host: Int) { unnoted.set(host, true) }

    /// Notes the progress of all hosts until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            // Hosts are noted separately, so that an unavailable host does not delay the others.
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
        // Take the flag before the counter is raised: an event that is appended in between is left to the next note.
        guard unnoted.take(host) else { return }
        do {
            try await history.note(progress: try await checks.advance(host), ofHost: host)
        } catch {
            unnoted.set(host, true)
            logger.debug("failed to note the progress of Redis", metadata: ["host": "\(host)", "error": "\(error)"])
        }
    }
}
