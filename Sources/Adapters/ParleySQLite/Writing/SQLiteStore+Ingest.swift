import GRDB
package import ParleyModel
import ParleyStorage

extension SQLiteStore {
    /// Writes batches of any size in one transaction, with one disk sync.
    ///
    /// An entry that a stored checkpoint covers is recognised by the checkpoint if that is within the batch, and
    /// otherwise by its stored event. Events in unknown threads, direct messages between users other than the two of
    /// the thread, and events that `EventRules` forbids are rejected. The head of a thread rises to every seq that the
    /// log has used, whether stored or not, so that a log seeded from this store never assigns a seq again.
    package func write(_ batches: [IngestBatch]) async throws(StoreError) -> [[StoreOutcome]] {
        let (now, key) = (clock.milliseconds, contentKey)
        defer { if batches.contains(where: \.deletesMessages) { noteDeletedContent() } }
        return try await writeOnThread { db in try BatchWriter.write(batches, to: db, at: now, key) }
    }

    package func sends(_ queries: [SendQuery]) async throws(StoreError) -> [StoredSend?] {
        let key = contentKey
        return try await read { db in
            var uses: [SendKey: [StoredUse]] = [:]
            for name in queries.compactMap(\.message.sendKey) where uses[name] == nil && !name.clientID.utf8.contains(0)
            {
                uses[name] = try StoredUse.all(of: name, in: db)
            }
            return queries.map { $0.reply(from: uses, key) }
        }
    }

    package func checkpoints(
        of partitions: [Partition]
    ) async throws(StoreError) -> [Partition: IngestCheckpoint] {
        try await read { db in
            var checkpoints: [Partition: IngestCheckpoint] = [:]
            for partition in partitions {
                checkpoints[partition] = try db.first(WriteQueries.checkpoint, [partition.number]) {
                    IngestCheckpoint(incarnation: $0[0], offset: $0[1])
                }
            }
            return checkpoints
        }
    }

    package func note(progress: Int64, ofHost host: Int) async throws(StoreError) {
        try await writeOnThread { db in
            try db.run(WriteQueries.noteProgress, [host, progress])
        }
    }

    package func progress(ofHost host: Int) async throws(StoreError) -> Int64 {
        try await read { db in
            try Int64.fetchOne(db.cachedStatement(sql: WriteQueries.progress), arguments: [host]) ?? 0
        }
    }
}

extension IngestBatch {
    fileprivate var deletesMessages: Bool {
        entries.contains { entry in
            if case .event(let event) = entry.content, case .deleted = event.body { true } else { false }
        }
    }
}
