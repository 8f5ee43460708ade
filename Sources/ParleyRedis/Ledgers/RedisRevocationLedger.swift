import NIOCore
package import ParleyModel
import Synchronization

/// What has been revoked of late on all nodes: a key for each, which goes when no ticket can need it any more.
///
/// Beside them each host has a mark that says since when this process of Redis has had the keys. Where it is missing,
/// or another process's, Redis was emptied, restarted or replaced, and entries may be lost: for the lifetime of a
/// ticket such a host answers nothing but what it knows to be revoked.
///
/// An entry that cannot be written waits, and `run` writes it when Redis is back. What waits is owned by a lock and
/// bounded by `limit`; above it the entry that expires first goes.
package final class RedisRevocationLedger: RevocationLedger {
    private let hosts: RedisHosts
    private let memory: Int64
    private let patience: Duration
    private let limit: Int
    private let clock: WallClock
    /// Entries that Redis does not have yet, with their expiries.
    private let waiting = Mutex<[Revocation: Int64]>([:])

    /// - Parameters:
    ///   - memory: how long a host must have had the keys to be believed.
    ///   - patience: how long an answer may take.
    ///   - limit: entries that wait for Redis.
    package init(
        hosts: RedisHosts, memory: Duration = Revocation.ticketLifetime, patience: Duration = .seconds(1),
        limit: Int = 10_000, clock: WallClock = .system
    ) {
        self.hosts = hosts
        self.memory = Int64(memory / .milliseconds(1))
        self.patience = patience
        self.limit = limit
        self.clock = clock
    }

    /// How many entries wait for Redis.
    package var waitingCount: Int { waiting.withLock { $0.count } }

    package func revoke(_ revocation: Revocation, until expiry: Int64) async {
        // Kept until Redis has it, so that a task that ends meanwhile loses nothing.
        waiting.withLock { waiting in
            waiting[revocation] = max(waiting[revocation] ?? 0, expiry)
            guard waiting.count > limit, let first = waiting.min(by: { $0.value < $1.value }) else { return }
            waiting[first.key] = nil
        }
        await write(revocation, until: expiry)
    }

    /// Writes what waits for Redis, until the task is cancelled.
    package func run() async {
        while (try? await Task.sleep(for: .seconds(1))) != nil { await writeWaiting() }
    }

    /// Tries once to write what waits.
    package func writeWaiting() async {
        for (revocation, expiry) in waiting.withLock({ $0 }) {
            // When one cannot be written the others of that host cannot either, but theirs may be another one.
            await write(revocation, until: expiry)
        }
    }

    private func write(_ revocation: Revocation, until expiry: Int64) async {
        let milliseconds = expiry - clock.milliseconds
        if milliseconds > 0 {
            let key = key(revocation)
            var command = RedisScripts.revoke.command(keys: [key], arguments: 1)
            command.append(milliseconds)
            guard (try? await connection(key).send(command, within: patience)) != nil else { return }
        }
        waiting.withLock { waiting in
            if waiting[revocation] == expiry { waiting[revocation] = nil }
        }
    }

    package func isRevoked(_ revocations: [Revocation]) async throws(LedgerError) -> Bool {
        if waiting.withLock({ waiting in revocations.contains { waiting[$0] != nil } }) { return true }
        var isUnsure: LedgerError?
        // One script for each: they may lie on different hosts, and there are two at most.
        for key in revocations.map(key) {
            do throws(LedgerError) {
                if try await isRevoked(key) { return true }
            } catch {
                isUnsure = error
            }
        }
        if let isUnsure { throw isUnsure }
        return false
    }

    private func isRevoked(_ key: String) async throws(LedgerError) -> Bool {
        let connection = connection(key)
        let server = await connection.serverID()
        var command = RedisScripts.revoked.command(
            keys: [key, hosts.layout.names.revocationMark], arguments: 1, capacity: 384)
        command.append(server)
        let answer: RESPValue
        do {
            answer = try await connection.send(command, server: server, within: patience)
        } catch {
            throw .unavailable("\(error)")
        }
        guard let values = answer.elements, values.count == 2, let isThere = values[0].number,
            let age = values[1].number
        else { throw .unavailable("an unexpected answer") }
        if isThere == 1 { return true }
        guard age >= memory else { throw .unavailable("what was revoked before Redis began is not known") }
        return false
    }

    private func key(_ revocation: Revocation) -> String {
        switch revocation {
        case .session(let hash): hosts.layout.names.revoked("s:\(hash.text)")
        case .user(let user): hosts.layout.names.revoked("u:\(user.text)")
        }
    }

    private func connection(_ key: String) -> CommandConnection {
        hosts.commands[hosts.layout.ring.host(of: key)]
    }
}
