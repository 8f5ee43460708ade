package import ParleyModel
import ParleyStorage

extension PostgresStore {
    /// Writes batches of any size in one transaction of two or three round trips. Writers of the same partition wait
    /// for each other.
    ///
    /// An entry that a stored checkpoint covers is recognised by the checkpoint if that is within the batch, and
    /// otherwise by its stored event. Events in unknown threads, direct messages between users other than the two of
    /// the thread, and events that `EventRules` forbids are rejected. The head of a thread rises to every seq that the
    /// log has used, whether stored or not, so that a log seeded from this store never assigns a seq again.
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
        let uses = Dictionary(grouping: found, by: \.key).mapValues { $0.map(\.use) }
        return queries.map { $0.reply(from: uses, contentKey) }
    }
}
