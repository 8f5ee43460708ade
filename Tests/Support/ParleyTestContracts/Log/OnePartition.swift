package import ParleyModel

// The ports take several partitions at a time; most tests have one.

extension IngestStream {
    /// The next entries of one partition; waits until there is one. Empty if the stream has ended.
    package func read(
        _ partition: Partition, after checkpoint: IngestCheckpoint?, limit: Int
    ) async throws -> IngestBatch {
        let batches = try await read([IngestPosition(partition, after: checkpoint)], limit: limit)
        return batches.first ?? IngestBatch(partition: partition, incarnation: "", entries: [])
    }

    @discardableResult
    package func stored(_ batch: IngestBatch, outcomes: [StoreOutcome]) async -> Int? {
        await stored([StoredBatch(batch, outcomes)]).first ?? nil
    }
}

extension MessageStore {
    @discardableResult
    package func write(_ batch: IngestBatch) async throws(StoreError) -> [StoreOutcome] {
        try await write([batch]).first ?? []
    }

    package func checkpoint(of partition: Partition) async throws(StoreError) -> IngestCheckpoint? {
        try await checkpoints(of: [partition])[partition]
    }
}
