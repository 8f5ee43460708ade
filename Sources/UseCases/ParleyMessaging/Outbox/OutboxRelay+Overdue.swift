package import ParleyModel

extension OutboxRelay {
    /// The maximum number of threads relayed concurrently.
    private static let width = 8

    /// The result of one page of overdue entries.
    package struct Overdue: Hashable, Sendable {
        /// The ids of the entries found, oldest first.
        package var ids: [Int64] = []
        /// The number of found entries that are now relayed or completed.
        package var done = 0
        /// The number of found entries that this version cannot read.
        package var unreadable = 0
        /// The id to continue after; `nil` at the end.
        package var next: Int64?
    }

    /// Relays overdue entries in the threads of one host, and completes entries whose event is stored. Such entries were left
    /// by a process that died or lost its connection.
    ///
    /// Reads one page of the outbox: `pageLength` entries of all hosts, oldest first.
    /// - Parameters:
    ///   - age: The minimum age in milliseconds of the store's clock. Younger entries are being relayed by the process that
    ///     made the change.
    ///   - host: The log host.
    ///   - place: The id of the entry after which the page begins.
    ///   - timeout: The time limit for one thread.
    /// - Throws: Errors of the outbox. While the log is unavailable, entries remain unchanged.
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
        // The thread that has waited longest comes first.
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

    /// Drops the receipts of a log that has started over, so that their entries are relayed again.
    private func forgetLost(_ entries: [OutboxEntry]) async {
        let places = entries.compactMap { entry in receipt(of: entry).map { (entry, $0.position.epoch) } }
        guard !places.isEmpty, let ends = try? await log.ends(of: Array(Set(places.map(\.0.thread)))) else { return }
        for (entry, epoch) in places where ends[entry.thread]?.epoch != epoch { accepted.forget(entry.id) }
    }

    /// Completes the entries whose event is stored, because its position is at or below the end of the thread's stored log, in
    /// the same epoch.
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
