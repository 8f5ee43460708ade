package import ParleyModel
import ParleyStorage

extension PostgresStore {
    /// Writes batches in one transaction of two or three round trips, whatever their sizes. Writers of one partition
    /// wait for each other.
    ///
    /// Entries covered by a stored checkpoint are recognised if the checkpoint lies in the batch, those of older
    /// batches by their stored events. An event of an unknown thread, a direct message between users other than the
    /// thread's two, and an event that `EventRules` forbids are rejected. The head of a thread rises to every seq that
    /// the log has used, stored or not, so that a log seeded from this store never assigns one again.
    package func write(_ batches: [IngestBatch]) async throws(StoreError) -> [[StoreOutcome]] {
        let (now, key) = (clock.milliseconds, contentKey)
        return try await pool.perform(.write) { try BatchWriter.write(batches, to: $0, at: now, key) }
    }

    package func checkpoints(
        of partitions: [Partition]
    ) async throws(StoreError) -> [Partition: IngestCheckpoint] {
        let call = WriteQueries.checkpoints(.ints(partitions.map { Int64($0.number) }))
        let found = try await rows(.checkpoint, call)
        return Dictionary(found) { _, last in last }
    }

    package func note(progress: Int64, ofHost host: Int) async throws(StoreError) {
        try await run(.checkpoint, WriteQueries.noteProgress(.int(Int64(host)), .int(progress)))
    }

    package func progress(ofHost host: Int) async throws(StoreError) -> Int64 {
        try await rows(.checkpoint, WriteQueries.progress(.int(Int64(host)))) { try $0.int(0) }.first ?? 0
    }
}

extension PostgresStore {
    package func sends(_ queries: [SendQuery]) async throws(StoreError) -> [StoredSend?] {
        let keys = queries.compactMap { query in query.message.sendKey }.filter { !$0.clientID.utf8.contains(0) }
        guard !keys.isEmpty else { return queries.map { _ in nil } }
        let call = SendQueries.uses(.texts(keys.map(\.sender.text)), .texts(keys.map(\.clientID)))
        let found = try await rows(.history, call)
        let uses = Dictionary(grouping: found, by: \.0).mapValues { $0.map(\.1) }
        return queries.map { $0.reply(from: uses, contentKey) }
    }
}
