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

extension AuditLog {
    /// Returns a row; `nil` if there is none, or it has expired.
    package func auditEntry(_ id: Int64) async throws(StoreError) -> AuditEntry? {
        guard id > 0, id < Int64.max else { return nil }
        let newest = try await auditEntries(AuditFilter(), before: id &+ 1, limit: 1).first
        return newest?.id == id ? newest : nil
    }
}
