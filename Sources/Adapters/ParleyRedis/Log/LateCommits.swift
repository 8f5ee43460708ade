import ParleyChannels
import ParleyModel
import ParleyRedisClient
import Synchronization

/// Threads whose events were stored while Redis may have lost them.
///
/// A persister holds entries for as long as the store is slow. If Redis is restarted or replaced during that time,
/// other nodes may have checked the threads against a store that did not have the entries yet. Therefore such threads
/// are checked again when they are next used, if Redis is behind what is stored by then.
///
/// Callable from any thread. Bounded by the events of one report: the next events are read once Redis has taken them.
final class LateCommits: Sendable {
    private let hosts: RedisHosts
    /// The threads by host, with the last seq that is stored.
    private let threads = Mutex<[Int: [ThreadID: Int64]]>([:])

    init(hosts: RedisHosts) {
        self.hosts = hosts
    }

    /// Adds the threads of a batch whose entries Redis may not have.
    func note(_ stored: StoredBatch, on host: Int) {
        for (entry, outcome) in zip(stored.batch.entries, stored.outcomes) {
            guard let seq = outcome.seq, case .event(let event) = entry.content else { continue }
            note(event.thread, upTo: seq, on: host)
        }
    }

    /// Adds a thread whose log in Redis may end before the stored `seq`.
    func note(_ thread: ThreadID, upTo seq: Int64, on host: Int) {
        threads.withLock { $0[host, default: [:]][thread] = max(seq, $0[host]?[thread] ?? 0) }
    }

    /// Has the threads of a host checked when they are next used.
    func settle(_ host: Int) async throws(AppendError) {
        guard let late = threads.withLock({ $0[host] }) else { return }
        let names = hosts.layout.names
        var command = RedisScripts.recheck.command(
            keys: late.keys.map { names.head(of: $0) }, arguments: 1 + late.count)
        command.append(ServerIncarnation.unmarked)
        for seq in late.values { command.append(seq) }
        do throws(RedisError) {
            _ = try await hosts.commands[host].send(command)
        } catch {
            throw .unavailable("\(error)")
        }
        threads.withLock { threads in
            // Keep the threads that were added in the meantime.
            threads[host] = threads[host]?.filter { late[$0] != $1 }
            if threads[host]?.isEmpty == true { threads[host] = nil }
        }
    }
}
