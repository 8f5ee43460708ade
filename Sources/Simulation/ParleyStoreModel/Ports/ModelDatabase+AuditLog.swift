package import ParleyModel

extension ModelDatabase: AuditLog {
    package func auditEntries(
        _ filter: AuditFilter, before id: Int64?, limit: Int
    ) async throws(StoreError) -> [AuditEntry] {
        try await read(.page) { tables in
            let found = tables.audit.reversed().lazy.filter { $0.id < id ?? .max && filter.matches($0) }
            return Array(found.prefix(max(limit, 0)))
        }
    }

    package func pruneAudit(before milliseconds: Int64, limit: Int) async throws(StoreError) -> Int {
        try await write(.account) { tables, _ in
            let old = tables.audit.filter { $0.milliseconds < milliseconds }
                .sorted { ($0.milliseconds, $0.id) < ($1.milliseconds, $1.id) }
            let ids = Set(old.prefix(max(limit, 0)).map(\.id))
            tables.audit.removeAll { ids.contains($0.id) }
            for id in ids { tables.expire(tables.auditStamps.removeValue(forKey: id) ?? 0, in: .audit) }
            return ids.count
        }
    }
}

extension AuditFilter {
    fileprivate func matches(_ entry: AuditEntry) -> Bool {
        let note = entry.note
        return (thread == nil || note.thread == thread) && (user == nil || note.user == user)
            && (actor == nil || note.actor.user == actor) && (action == nil || note.action == action)
            && (from.map { entry.milliseconds >= $0 } ?? true) && (to.map { entry.milliseconds < $0 } ?? true)
    }
}
