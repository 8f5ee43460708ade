package import ParleyModel

extension ModelDatabase: Outbox {
    package func outboxEntries(of thread: ThreadID?, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        try await entries(limit) { row, _ in thread.map { row.thread == $0 } ?? true }
    }

    package func overdueEntries(
        age: Int64, after place: Int64, limit: Int
    ) async throws(StoreError) -> [OutboxEntry] {
        return try await entries(limit) { row, now in row.id > place && row.created <= now - age }
    }

    private func entries(
        _ limit: Int, where matches: @Sendable (OutboxRow, _ now: Int64) -> Bool
    ) async throws(StoreError) -> [OutboxEntry] {
        try await readServer(.outbox) { state, now in
            var entries: [OutboxEntry] = []
            for row in state.tables.outbox where entries.count < limit && matches(row, now) {
                entries.append(row.entry)
            }
            return entries
        }
    }

    package func complete(_ entries: [OutboxEntry]) async throws(StoreError) {
        guard !entries.isEmpty else { return }
        try await write(.outbox) { tables, _ in
            for entry in entries { tables.removeFromOutbox(entry.id) }
        }
    }

    package func completeForgotten(_ entry: OutboxEntry, epochs: [Epoch]) async throws(StoreError) {
        try await write(.outbox) { tables, _ in
            tables.deletedEpochs[entry.thread, default: []].formUnion(epochs.map(\.text))
            tables.removeFromOutbox(entry.id)
        }
    }
}
