import GRDB
import ParleyModel
import ParleyStorage

/// Writes batches of different partitions inside one transaction, on the queue of the connection. Events are written
/// one at a time and in order; threads and cursors are collected and written once at the end.
enum BatchWriter {
    /// Writes batches.
    /// - Parameters:
    ///   - milliseconds: the current time.
    ///   - key: the key for the digests of deleted messages.
    /// - Returns: for each batch, one outcome per entry.
    /// - Throws: any error of the database. The caller must then roll the transaction back.
    static func write(
        _ batches: [IngestBatch], to db: Database, at milliseconds: Int64, _ key: ContentKey?
    ) throws -> [[StoreOutcome]] {
        let tables = DirectTables(db: db, now: milliseconds, key)
        var flow = BatchFlow(tables)
        let outcomes = try batches.map { try flow.write($0) }
        try tables.writeCursors()
        for (id, state) in flow.changedThreads { try tables.write(state, of: id) }
        let transaction = StateTransaction(db: db, now: milliseconds)
        for draft in flow.redactions { _ = try transaction.add(draft, isOverdue: true) }
        if !flow.journal.isEmpty {
            try db.run(EventQueries.insert, [milliseconds, EventRun.text(flow.journal.all)])
        }
        for batch in batches {
            guard let checkpoint = batch.checkpoint else { continue }
            try db.run(WriteQueries.setCheckpoint, [batch.partition.number, checkpoint.incarnation, checkpoint.offset])
        }
        return outcomes
    }
}
