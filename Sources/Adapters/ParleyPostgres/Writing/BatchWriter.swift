import ParleyModel
import ParleyStorage

/// Writes batches of different partitions in one transaction.
///
/// - One round trip locks the partitions and reads the checkpoints and threads, and another one writes everything. The
///   work between the two happens in memory.
/// - Batches are assumed to be new if all of their events are above the heads of their threads, as in nearly all
///   batches. The unique indexes detect a wrong assumption. In that case, and for all other batches, an additional
///   round trip first reads the rows that are already stored.
/// - Only a late event, which is below the head and at a free seq, needs separate statements.
enum BatchWriter {
    /// The maximum number of attempts for a transaction that conflicts with others.
    private static let attempts = 4

    /// Writes batches.
    /// - Parameters:
    ///   - milliseconds: the current time.
    ///   - key: the key for the digests of deleted messages.
    /// - Returns: for each batch, one outcome per entry.
    /// - Throws: any error of the database.
    static func write(
        _ batches: [IngestBatch], to connection: PostgresConnection, at milliseconds: Int64, _ key: ContentKey?
    ) throws -> [[StoreOutcome]] {
        guard batches.contains(where: { !$0.entries.isEmpty }) else { return batches.map { _ in [] } }
        var isAssumedNew = true
        for _ in 0..<attempts {
            do {
                let facts = try BatchFacts(of: batches, connection)
                let before =
                    try isAssumedNew && facts.areNew(batches) ? nil : StoredBefore(batches, key, connection)
                let tables = CollectedTables(facts, before, connection)
                var flow = BatchFlow(tables)
                let outcomes = try batches.map { try flow.write($0) }
                try tables.finish(batches, flow, at: milliseconds)
                return outcomes
            } catch let error as PostgresError where error.isUniqueViolation || error.isCollision {
                if error.isUniqueViolation { isAssumedNew = false }
                guard connection.recover() else { throw error }
            }
        }
        throw StoreError.unavailable("batches conflicted with other transactions in each of \(attempts) attempts")
    }
}
