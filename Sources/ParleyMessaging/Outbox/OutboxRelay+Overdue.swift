package import ParleyModel

extension OutboxRelay {
    /// How many threads are relayed at the same time.
    private static let width = 8

    /// What was found to wait, and what became of it.
    package struct Overdue: Hashable, Sendable {
        /// The ids of the entries that were found, oldest first.
        package var ids: [Int64]
        /// How many are relayed or completed now.
        package var done: Int
    }

    /// Relays whatever was written before a point of time, of all threads, and completes what turns out to be stored:
    /// what is left by a process that died, or was cut off, or could not complete it since it is of an earlier version.
    /// - Parameters:
    ///   - milliseconds: Unix time; what is younger is being relayed by whoever made the change.
    ///   - limit: the most entries, the oldest first.
    ///   - patience: how long a thread may take.
    /// - Throws: what the outbox does. A log that is away leaves the entries as they are.
    package func relayOverdue(
        before milliseconds: Int64, limit: Int, patience: Duration
    ) async throws(StoreError) -> Overdue {
        let entries = try await outbox.outboxEntries(of: nil, before: milliseconds, limit: limit)
        guard !entries.isEmpty else { return Overdue(ids: [], done: 0) }
        await forgetLost(entries)
        let before = Set(entries.filter { receipt(of: $0) != nil }.map(\.id))
        var threads: [ThreadID] = []
        let byThread = Dictionary(grouping: entries, by: \.thread)
        for entry in entries where threads.last != entry.thread {
            if !threads.contains(entry.thread) { threads.append(entry.thread) }
        }
        await withTaskGroup(of: Void.self) { group in
            for (index, thread) in threads.enumerated() {
                if index >= Self.width { await group.next() }
                group.addTask { _ = try? await relay(byThread[thread] ?? [], of: thread, within: patience) }
            }
        }
        let completed = try await complete(entries)
        let relayed = entries.filter { !before.contains($0.id) && receipt(of: $0) != nil }.map(\.id)
        return Overdue(ids: entries.map(\.id), done: completed.union(relayed).count)
    }

    /// Forgets where entries were in a log that has begun anew, so that they are relayed again.
    private func forgetLost(_ entries: [OutboxEntry]) async {
        let places = entries.compactMap { entry in receipt(of: entry).map { (entry, $0.position.epoch) } }
        guard !places.isEmpty, let ends = try? await log.ends(of: Array(Set(places.map(\.0.thread)))) else { return }
        for (entry, epoch) in places where ends[entry.thread]?.epoch != epoch { accepted.forget(entry.id) }
    }

    /// Completes those of the entries whose event is stored: it lies at or below the end of what is stored of the thread,
    /// in the same numbering.
    private func complete(_ entries: [OutboxEntry]) async throws(StoreError) -> Set<Int64> {
        let places = entries.compactMap { entry in receipt(of: entry).map { (entry, $0.position) } }
        guard !places.isEmpty else { return [] }
        let heads = try await history.heads(of: Array(Set(places.map(\.0.thread))))
        let stored = places.filter { entry, position in
            guard let head = heads[entry.thread]?.position else { return false }
            return head.epoch == position.epoch && head.seq >= position.seq
        }.map(\.0)
        if !stored.isEmpty { try await outbox.complete(stored) }
        return Set(stored.map(\.id))
    }
}
