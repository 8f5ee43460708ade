/// Builds the indexes of a step beside the writers, outside of a transaction.
///
/// Everything it needs to continue after a crash is in the database: an index that was not finished is invalid, and is
/// dropped and built again; one that was finished is kept.
package enum IndexBuilder {
    /// The number of times that a unique index is built anew because writers added rows that contradict it.
    private static let attempts = 3

    /// Builds the missing indexes of a step.
    /// - Parameter connection: a session without limits of time, which ends afterwards; the lock is its own.
    /// - Returns: `false` if another session is building.
    package static func build(_ step: Migration, on connection: PostgresConnection) throws(PostgresError) -> Bool {
        guard try connection.run([Locks.tryIndexes()])[0].first?.bool(0) == true else { return false }
        for index in step.indexes { try build(index, on: connection) }
        return true
    }

    private static func build(_ index: Migration.Index, on connection: PostgresConnection) throws(PostgresError) {
        for attempt in 1...attempts {
            let isValid = try connection.run([state(.text(index.name))])[0].first?.bool(0)
            if isValid == true { return }
            // Left by a crash or by the attempt before.
            if isValid == false { try connection.run([index.drop()]) }
            do {
                try connection.run([index.create(concurrently: true)()])
                return
            } catch {
                guard error.isUniqueViolation, let repair = index.repair, attempt < attempts else { throw error }
                try connection.run([repair()])
            }
        }
    }

    /// Whether the indexes of a step are complete.
    static func areBuilt(_ step: Migration, on connection: PostgresConnection) throws(PostgresError) -> Bool {
        for index in step.indexes {
            guard try connection.run([state(.text(index.name))])[0].first?.bool(0) == true else { return false }
        }
        return true
    }

    /// Whether an index is complete; no row if there is none.
    private static let state = Statement(
        "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)", isKept: false)
}
