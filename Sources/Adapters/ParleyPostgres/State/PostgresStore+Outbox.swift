package import ParleyModel

extension PostgresStore: Outbox {
    package func outboxEntries(of thread: ThreadID?, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        let limit = Parameter.int(Int64(max(limit, 0)))
        let call =
            if let thread { StateQueries.entriesOfThread(limit, .text(thread.text)) } else {
                StateQueries.entries(limit)
            }
        return try await rows(.account, call)
    }

    package func overdueEntries(
        age: Int64, after place: Int64, limit: Int
    ) async throws(StoreError) -> [OutboxEntry] {
        try await rows(
            .account, StateQueries.overdueEntries(.int(age), .int(place), .int(Int64(max(limit, 0)))))
    }

    package func complete(_ entries: [OutboxEntry]) async throws(StoreError) {
        guard !entries.isEmpty else { return }
        try await run(.account, StateQueries.complete(.ints(entries.map(\.id))))
    }

    package func completeForgotten(_ entry: OutboxEntry, epochs: [Epoch]) async throws(StoreError) {
        try await run(
            .account,
            StateQueries.insertDeletedEpochs(
                .text(entry.thread.text), .texts(epochs.map(\.text)), .int(clock.milliseconds)),
            StateQueries.complete(.ints([entry.id])))
    }
}
