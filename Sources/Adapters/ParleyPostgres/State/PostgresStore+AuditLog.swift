package import ParleyModel
import ParleyStorage

extension PostgresStore: AuditLog {
    package func auditEntries(
        _ filter: AuditFilter, before id: Int64?, limit: Int
    ) async throws(StoreError) -> [AuditEntry] {
        try await rows(.list, AuditQueries.page(filter, before: id, limit: limit))
    }

    package func pruneAudit(before milliseconds: Int64, limit: Int) async throws(StoreError) -> Int {
        try await rows(.account, AuditQueries.prune(.int(milliseconds), .int(Int64(max(limit, 0))))).count
    }
}
