import GRDB
package import ParleyModel

extension SQLiteStore: Outbox {
    package func outboxEntries(of thread: ThreadID?, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        var values: [(any DatabaseValueConvertible)?] = [max(limit, 0)]
        if let thread { values.append(thread.text) }
        let sql = thread == nil ? StateQueries.entries : StateQueries.entriesOfThread
        let arguments = StatementArguments(values)
        return try await read { db in
            try db.all(sql, arguments, Self.entry)
        }
    }

    package func overdueEntries(
        age: Int64, after place: Int64, limit: Int
    ) async throws(StoreError) -> [OutboxEntry] {
        let arguments: StatementArguments = [place, clock.milliseconds - age, max(limit, 0)]
        return try await read { db in
            try db.all(StateQueries.overdueEntries, arguments, Self.entry)
        }
    }

    private static func entry(_ row: Row) -> OutboxEntry {
        OutboxEntry(
            id: row[0], thread: ThreadID(trusted: row[1]),
            content: OutboxEntry.Content(storedKind: row[2], payload: row[3]))
    }

    package func complete(_ entries: [OutboxEntry]) async throws(StoreError) {
        guard !entries.isEmpty else { return }
        try await change { transaction in
            for entry in entries { try transaction.run(StateQueries.complete, [entry.id]) }
        }
    }

    package func completeForgotten(_ entry: OutboxEntry, epochs: [Epoch]) async throws(StoreError) {
        try await change { transaction in
            for epoch in epochs {
                try transaction.run(
                    StateQueries.insertDeletedEpoch, [entry.thread.text, epoch.text, transaction.now])
            }
            try transaction.run(StateQueries.complete, [entry.id])
        }
    }
}
