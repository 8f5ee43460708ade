import ParleyChannels
package import ParleyModel
import ParleyRedisClient

/// The data about sends that Redis keeps besides their events.
extension RedisLog: SendMemory {
    /// The time for which a message stays withdrawn, in milliseconds. A command that Redis executes after that was not
    /// sent on any connection that is still open.
    private static let withdrawnMilliseconds: Int64 = 3_600_000

    package func withdraw(_ message: MessageID, from thread: ThreadID) async throws(AppendError) {
        let key = names.withdrawn(message, in: thread)
        _ = try await command(RESPCommand("SET", key, "", "PX", "\(Self.withdrawnMilliseconds)"), thread)
    }

    /// Forgets sends of a user on every host, since each may have sends of every user.
    package func forget(_ clientIDs: [String], of user: UserID) async throws(AppendError) {
        guard !clientIDs.isEmpty else { return }
        let names = names
        let keys = clientIDs.flatMap { [names.once(user, $0), names.claim(user, $0)] }
        var failure: AppendError?
        for connection in hosts.commands {
            do throws(RedisError) {
                _ = try await connection.send(RESPCommand(["DEL"] + keys))
            } catch {
                // The others need not wait for this one.
                failure = .unavailable("\(error)")
            }
        }
        if let failure { throw failure }
    }

    /// Has the persister of a thread read its ingest stream at once.
    func wakePersister(of thread: ThreadID) {
        let (list, host) = (names.awaited(in: thread), hosts.layout.host(of: thread))
        // The list has one element at most.
        for command in [RESPCommand("LPUSH", list, "1"), RESPCommand("LTRIM", list, "0", "0")] {
            hosts.commands[host].send(command) { _ in }
        }
    }
}
