import GRDB
package import ParleyModel
import ParleyStorage

extension SQLiteStore: AuditLog {
    package func auditEntries(
        _ filter: AuditFilter, before id: Int64?, limit: Int
    ) async throws(StoreError) -> [AuditEntry] {
        let arguments: StatementArguments = [
            id ?? .max, filter.thread?.text, filter.user?.text, filter.actor?.text, filter.action?.rawValue,
            filter.from, filter.to, max(limit, 0),
        ]
        return try await read { db in
            try db.all(AuditQueries.page(of: filter), arguments) { try AuditEntry(row: $0) }
        }
    }

    package func pruneAudit(before milliseconds: Int64, limit: Int) async throws(StoreError) -> Int {
        try await write { db in
            try db.run(AuditQueries.prune, [milliseconds, max(limit, 0)])
            return db.changesCount
        }
    }

    static func insert(_ note: AuditNote, at milliseconds: Int64, in db: Database) throws {
        let (actor, states) = (note.actor.stored, note.storedStates)
        try db.run(
            AuditQueries.insert,
            [
                milliseconds, actor.kind, actor.id, note.action.rawValue, note.thread?.text, note.user?.text,
                note.reason, states.before, states.after,
            ])
    }
}

extension StateTransaction {
    /// Adds a row to the audit log.
    func note(_ note: AuditNote) throws { try SQLiteStore.insert(note, at: now, in: db) }
}

extension AuditEntry {
    /// - Throws: `StoreError.failed` for an actor, an action or a state that is unknown to this version.
    init(row: Row) throws {
        self.init(
            id: row[0], milliseconds: row[1],
            note: try AuditNote(
                storedAction: row[2], actorKind: row[3], actorID: row[4], thread: row[5], user: row[6],
                reason: row[7], before: row[8], after: row[9]))
    }
}
