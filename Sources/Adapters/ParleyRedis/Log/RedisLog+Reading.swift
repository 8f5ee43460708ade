import ParleyChannels
package import ParleyModel
import ParleyRedisClient

/// Heads and events, and the removal of content. The part of a thread that is in Redis is shown only after the thread
/// was checked in the present incarnation of Redis (`ThreadChecks`).
extension RedisLog {
    package func head(of thread: ThreadID) async throws(AppendError) -> ThreadHead? {
        try await heads(of: [thread])[thread]
    }

    package func heads(of threads: [ThreadID]) async throws(AppendError) -> [ThreadID: ThreadHead] {
        var heads = try await known(threads).mapValues(\.head)
        var unknown = threads.filter { heads[$0] == nil }[...]
        while !unknown.isEmpty {
            // At most as many as the connection takes at a time, however many threads the store has.
            heads.merge(try await makeKnown(Array(unknown.prefix(ThreadChecks.batchSize)))) { $1 }
            unknown = unknown.dropFirst(ThreadChecks.batchSize)
        }
        return heads
    }

    package func ends(of threads: [ThreadID]) async throws(AppendError) -> [ThreadID: Position] {
        try await known(threads).mapValues(\.position)
    }

    /// Returns the heads of the threads known to Redis, checked in its present incarnation if the store is available.
    private func known(_ threads: [ThreadID]) async throws(AppendError) -> [ThreadID: PackedHead] {
        var known: [ThreadID: PackedHead] = [:]
        for (host, threads) in Dictionary(grouping: threads, by: { hosts.layout.host(of: $0) }) {
            var rest = threads[...]
            while let first = rest.first {
                let part = rest.prefix(ThreadChecks.batchSize)
                rest = rest.dropFirst(part.count)
                var read = RESPCommand(count: part.count + 1, capacity: 64 * part.count + 64)
                read.append("MGET")
                for thread in part { read.append(names.head(of: thread)) }
                guard let heads = try await command(read, first).elements, heads.count == part.count else {
                    throw .unavailable("unexpected answer")
                }
                var unchecked: [ThreadID] = []
                for (thread, bytes) in zip(part, heads) {
                    guard let head = bytes.bytes.flatMap({ PackedHead($0) }) else { continue }
                    known[thread] = head
                    if !canRead(head, host) { unchecked.append(thread) }
                }
                guard !unchecked.isEmpty else { continue }
                known.merge(try await checks.check(unchecked, on: host, for: .read) ?? [:]) { $1 }
            }
        }
        for (thread, head) in known { hosts.seen.note(head.position, of: thread) }
        return known
    }

    private func canRead(_ head: PackedHead, _ host: Int) -> Bool {
        hosts.commands[host].knownIncarnation?.canRead(head.mark) == true
    }

    package func events(in thread: ThreadID, after: Int64, limit: Int) async throws(AppendError) -> LogSlice {
        let host = hosts.layout.host(of: thread)
        var isChecked = false
        // Two further attempts: one for a thread that must be checked, one for a thread unknown to Redis.
        for _ in 0..<3 {
            var read = RedisScripts.read.command(
                keys: [names.head(of: thread), names.log(of: thread), names.formerEpochs(of: thread)], arguments: 2)
            read.append(max(0, after))
            read.append(max(0, limit))
            let reply = try await command(read, thread)
            guard let parts = reply.elements else { throw .unavailable("unexpected answer") }
            guard parts.count == 4, let head = parts[0].bytes.flatMap({ PackedHead($0) }) else {
                guard try await makeKnown([thread])[thread] != nil else { break }
                continue
            }
            if !isChecked, !canRead(head, host) {
                isChecked = true
                // If the store is unavailable, only the events in Redis can be shown.
                if try await checks.checkForReading(thread) { continue }
            }
            hosts.seen.note(head.position, of: thread)
            let oldest = parts[1].text.flatMap { Int64($0.prefix { $0 != "-" }) }
            let events = (parts[2].elements ?? []).compactMap { StreamEntry($0)?.event(codec) }
            var slice = LogSlice(
                epoch: head.epoch, events: events, end: head.seq,
                isTruncated: after < (oldest.map { $0 - 1 } ?? head.seq))
            slice.formerEpochs = parts[3].bytes.map { FormerEpochs.read($0) } ?? [:]
            return slice
        }
        return LogSlice(epoch: nil, events: [], end: 0, isTruncated: false)
    }

    /// Redacts a thread's log. For an erased user it also wakes the persister: their texts may wait in the ingest
    /// stream.
    package func redact(_ redaction: LogRedaction, in thread: ThreadID) async throws(AppendError) {
        try await LogWindow(hosts: hosts, codec: codec, clock: clock).redact(redaction, in: thread)
        if case .user = redaction { wakePersister(of: thread) }
    }

    package func forget(_ thread: ThreadID) async throws(AppendError) {
        try await LogWindow(hosts: hosts, codec: codec, clock: clock).forget(thread)
    }

    /// Seeds threads in Redis from the store.
    /// - Returns: the heads of the threads that the store knows.
    private func makeKnown(_ threads: [ThreadID]) async throws(AppendError) -> [ThreadID: ThreadHead] {
        let stored: [ThreadID: ThreadHead]
        do throws(StoreError) {
            stored = try await history.heads(of: threads)
        } catch {
            throw .unavailable("the end of the thread could not be read from the store: \(error)")
        }
        do {
            // All at the same time, so that the commands and replies are pipelined.
            return try await withThrowingTaskGroup(of: (ThreadID, ThreadHead?).self) { group in
                for (thread, head) in stored {
                    group.addTask { (thread, try await self.seed(thread, head)) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
        } catch {
            throw error as? AppendError ?? .unavailable("\(error)")
        }
    }

    private func seed(_ thread: ThreadID, _ head: ThreadHead) async throws(AppendError) -> ThreadHead? {
        var generator = SystemRandomNumberGenerator()
        let connection = hosts.commands[hosts.layout.host(of: thread)]
        let incarnation = connection.knownIncarnation
        var command = RedisScripts.seed.command(keys: [names.head(of: thread), names.log(of: thread)], arguments: 6)
        command.append(Epoch.make(using: &generator).text)
        command.append(head.position.seq)
        command.append(head.messageCount)
        command.append(head.milliseconds)
        command.append(settings.log.doubtMilliseconds)
        command.append(incarnation?.mark ?? ServerIncarnation.unmarked)
        return try await self.command(command, thread, server: incarnation?.server).bytes.flatMap { PackedHead($0) }?
            .head
    }

    func command(
        _ command: RESPCommand, _ thread: ThreadID, server: String? = nil
    ) async throws(AppendError) -> RESPValue {
        do throws(RedisError) {
            return try await hosts.commands[hosts.layout.host(of: thread)].send(command, server: server)
        } catch {
            throw .unavailable("\(error)")
        }
    }
}
