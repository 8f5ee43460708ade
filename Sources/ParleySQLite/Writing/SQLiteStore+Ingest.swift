import GRDB
package import ParleyModel
import ParleyStorage

extension SQLiteStore {
    /// Writes a batch in one transaction with one disk sync, whatever its size.
    ///
    /// Entries covered by the stored checkpoint are recognised if the checkpoint lies in the batch, those of older
    /// batches by their stored events. An event of an unknown thread, a direct message between users other than the
    /// thread's two, and an event that `EventRules` forbids are rejected. The head of a thread rises to every seq that
    /// the log has used, stored or not, so that a log seeded from this store never assigns one again.
    package func write(_ batch: IngestBatch) async throws(StoreError) -> [StoreOutcome] {
        let (now, key) = (clock.milliseconds, contentKey)
        defer { if batch.deletesMessages { noteRemains() } }
        return try await write { db in try BatchWriter.write(batch, to: db, at: now, key) }
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

    package func checkpoint(of partition: Partition) async throws(StoreError) -> IngestCheckpoint? {
        try await read { db in
            let row = try Row.fetchOne(
                db.cachedStatement(sql: WriteQueries.checkpoint), arguments: [partition.number])
            return row.map { IngestCheckpoint(incarnation: $0[0], offset: $0[1]) }
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
