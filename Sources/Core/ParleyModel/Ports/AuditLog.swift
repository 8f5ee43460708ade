/// The audit log. Its rows are written by the transactions of the changes (`StateStore`, `MessageStore`).
package protocol AuditLog: Sendable {
    /// Rows, newest first.
    /// - Parameters:
    ///   - id: The row to continue before; `nil` starts at the newest.
    ///   - limit: The maximum number of rows.
    func auditEntries(_ filter: AuditFilter, before id: Int64?, limit: Int) async throws(StoreError) -> [AuditEntry]

    /// Deletes rows older than an instant, oldest first.
    /// - Parameters:
    ///   - milliseconds: The instant in Unix milliseconds.
    ///   - limit: The maximum number of deleted rows.
    /// - Returns: The number of deleted rows.
    func pruneAudit(before milliseconds: Int64, limit: Int) async throws(StoreError) -> Int
}
