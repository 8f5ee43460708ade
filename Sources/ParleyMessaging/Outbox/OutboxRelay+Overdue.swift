package import ParleyModel

extension OutboxRelay {
    /// How many threads are relayed at the same time.
    private static let width = 8

    /// What was found to wait, and what became of it.
    package struct Overdue: Hashable, Sendable {
        /// The ids of the entries that were found, oldest first.
        package var ids: [Int64] = []
        /// How many are relayed or completed now.
        package var done = 0
        /// How many cannot be read.
        package var unreadable = 0
        /// The last entry of the page, behind which the next one begins; `nil`: there is none.
        package var next: Int64?
    }

    /// Relays what has waited for a while, in the threads of one host, and completes what turns out to be stored: what is
    /// left by a process that died, or was cut off, or could not complete it since it is of an earlier version.
    ///
    /// One page of the outbox, of `pageLength` entries of all hosts, the oldest first.
    /// - Parameters:
    ///   - age: milliseconds of the store's clock; what is younger is being relayed by whoever made the change.
    ///   - host: of the log.
    ///   - place: the page begins behind the entry of this id.
    ///   - patience: how long a thread may take.
    /// - Throws: what the outbox does. A log that is away leaves the entries as they are.
    package func relayOverdue(
        age: Int64, of host: Int = 0, after place: Int64 = 0, timeout: Duration
    ) async throws(StoreError) -> Overdue {
        let page = try await outbox.overdueEntries(age: age, after: place, limit: Self.pageLength)
        var overdue = Overdue()
        overdue.next = page.count == Self.pageLength ? page.last?.id : nil
        let entries = page.filter { log.host(of: $0.thread) == host }
        guard !entries.isEmpty else { return overdue }
        overdue.ids = entries.map(\.id)
        overdue.unreadable = entries.count { if case .unreadable = $0.content { true } else { false } }
        await forgetLost(entries)
        let before = Set(entries.filter { receipt(of: $0) != nil }.map(\.id))
        let byThread = Dictionary(grouping: entries, by: \.thread)
        // The thread that has waited longest first.
        let threads = byThread.values.sorted { ($0.first?.id ?? 0) < ($1.first?.id ?? 0) }
        await withTaskGroup(of: Void.self) { group in
            for (index, entries) in threads.enumerated() {
                if index >= Self.width { await group.next() }
                group.addTask {
                    guard let thread = entries.first?.thread else { return }
                    _ = try? await relay(entries, of: thread, within: timeout)
                }
            }
        }
        let completed = try await complete(entries)
        let relayed = entries.filter { !before.contains($0.id) && receipt(of: $0) != nil }.map(\.id)
        overdue.done = completed.union(relayed).count
        return overdue
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
