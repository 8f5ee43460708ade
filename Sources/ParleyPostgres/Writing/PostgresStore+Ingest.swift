package import ParleyModel

extension PostgresStore {
    /// Entries that the stored checkpoint covers are recognised if the checkpoint lies in the batch, those of older
    /// batches by their events being there.
    ///
    /// An event of an unknown thread, a direct message between others than the thread's two, a `clientID` that its
    /// sender used in another thread, and what `EventRules` forbids, are rejected. The head of a thread goes up to
    /// every seq that the log has used, stored or not, so that a log seeded from here never gives one out again.
    /// One transaction of two or three round trips, whatever the size of the batch. Two writers of one partition wait
    /// for each other.
    package func write(_ batch: IngestBatch) async throws(StoreError) -> [StoreOutcome] {
        let now = clock.milliseconds
        return try await pool.perform(.write) { try BatchWriter.write(batch, to: $0, at: now) }
    }

    package func checkpoint(of partition: Partition) async throws(StoreError) -> IngestCheckpoint? {
        try await rows(.checkpoint, WriteQueries.checkpoint(.int(Int64(partition.number)))) { row in
            IngestCheckpoint(incarnation: try row.text(0), offset: try row.text(1))
        }.first
    }
}
