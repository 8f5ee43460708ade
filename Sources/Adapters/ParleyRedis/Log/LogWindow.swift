import ParleyChannels
import ParleyModel
import ParleyRedisClient

/// Redacts the part of a thread's log that is in Redis.
///
/// The affected entries are determined here and not in a script, since payloads may be encrypted; the script replaces
/// an entry only if it is unchanged. One redaction reads the whole log of the thread and, if something must be
/// replaced, rewrites it, which occupies Redis for about a millisecond.
struct LogWindow: Sendable {
    private struct Replacement {
        let id: String
        let digest: String
        let payload: [UInt8]
        /// The name of a message that loses it.
        let name: (sender: UserID, clientID: String)?
    }

    /// The number of times that the entries may change between reading and writing before the redaction fails.
    private static let attempts = 4

    let hosts: RedisHosts
    let codec: EventCodec
    /// Dates the tokens of an encrypted layer.
    let clock: WallClock

    func redact(_ redaction: LogRedaction, in thread: ThreadID) async throws(AppendError) {
        for _ in 0..<Self.attempts {
            let replacements = try await replacements(by: redaction, in: thread)
            guard !replacements.isEmpty else { return }
            try await forget(replacements.compactMap(\.name), in: thread)
            var command = RedisScripts.redact.command(
                keys: [log(of: thread)], arguments: 3 * replacements.count, capacity: 512 * replacements.count + 256)
            for replacement in replacements {
                command.append(replacement.id)
                command.append(replacement.digest)
                command.append(replacement.payload)
            }
            if try await send(command, thread).number == Int64(replacements.count) { return }
        }
        throw .unavailable("the log of the thread changes too often to be redacted")
    }

    func forget(_ thread: ThreadID) async throws(AppendError) {
        let names = hosts.layout.names
        var command = RedisScripts.forget.command(
            keys: [names.head(of: thread), log(of: thread), names.formerEpochs(of: thread)], arguments: 2)
        command.append(names.goneEpoch)
        // A send is not remembered for longer than this.
        command.append(AppendScript.longestLead + hosts.settings.log.onceMilliseconds)
        guard try await send(command, thread).number == 1 else { throw .unavailable("unexpected answer") }
        hosts.seen.forget(thread)
    }

    private func replacements(
        by redaction: LogRedaction, in thread: ThreadID
    ) async throws(AppendError) -> [Replacement] {
        var replacements: [Replacement] = []
        var start: String? = "-"
        while let first = start {
            var command = RedisScripts.window.command(keys: [log(of: thread)], arguments: 1)
            command.append(first)
            guard let reply = try await send(command, thread).elements else { throw .unavailable("unexpected answer") }
            let entries = reply.compactMap { StreamEntry($0) }
            for entry in entries {
                guard let payload = entry.payload, let event = entry.event(codec),
                    let placeholder = redaction.placeholder(for: event)
                else { continue }
                replacements.append(
                    Replacement(
                        id: entry.id, digest: RedisScript.sha(of: payload), payload: try self.payload(placeholder),
                        name: placeholder.message.flatMap { message in
                            guard message.isErased, let clientID = event.message?.clientID else { return nil }
                            return (message.sender.id, clientID)
                        }))
            }
            start = entries.last.flatMap { EntryID($0.id)?.next }
        }
        return replacements
    }

    /// Forgets sends of erased users, including sends that reach the store without a name after it has forgotten the
    /// others.
    private func forget(
        _ names: [(sender: UserID, clientID: String)], in thread: ThreadID
    ) async throws(AppendError) {
        guard !names.isEmpty else { return }
        let layout = hosts.layout
        let keys = names.map { layout.names.once($0.sender, $0.clientID) }
        _ = try await send(RESPCommand(["DEL"] + keys), thread)
        // Claims expire, and their hosts may be unavailable.
        for name in names where hosts.commands.count > 1 {
            let claim = layout.names.claim(name.sender, name.clientID)
            hosts.commands[layout.ring.host(of: claim)].send(RESPCommand("DEL", claim)) { _ in }
        }
    }

    private func payload(_ event: LogEvent) throws(AppendError) -> [UInt8] {
        do throws(ChannelsCodecError) {
            return try codec.entry(of: event, seconds: clock.seconds)
        } catch {
            throw .unavailable("the event cannot be written: \(error)")
        }
    }

    private func log(of thread: ThreadID) -> String { hosts.layout.names.log(of: thread) }

    private func send(_ command: RESPCommand, _ thread: ThreadID) async throws(AppendError) -> RESPValue {
        do throws(RedisError) {
            return try await hosts.commands[hosts.layout.host(of: thread)].send(command)
        } catch {
            throw .unavailable("\(error)")
        }
    }
}
