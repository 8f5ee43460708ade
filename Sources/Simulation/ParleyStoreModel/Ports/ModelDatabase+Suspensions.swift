package import ParleyModel
import ParleyStorage

/// Suspensions of users.
extension ModelDatabase {
    package func suspend(
        _ user: UserID, _ suspension: Suspension, by actor: AuditActor, at milliseconds: Int64
    ) async throws(StoreError) -> StateChange<Suspension??> {
        try StoredText.refuseNUL(in: suspension.reason ?? "", as: "reason")
        return try await write(.account) { tables, _ in
            guard let row = tables.users[user], row.isPresent else { return StateChange(nil) }
            tables.note(
                AuditRules.suspended(user, suspension, before: row.account.suspension, by: actor), at: milliseconds)
            tables.updateUser(user) {
                $0.suspension = SuspensionRow(suspension: suspension, author: actor.user, since: milliseconds)
            }
            return StateChange(.some(row.account.suspension))
        }
    }

    package func endSuspension(
        of user: UserID, by actor: AuditActor
    ) async throws(StoreError) -> StateChange<Suspension?> {
        try await write(.account) { tables, context in
            guard let row = tables.users[user], row.isPresent, let suspension = row.account.suspension else {
                return StateChange(nil)
            }
            tables.updateUser(user) { $0.suspension = nil }
            tables.note(AuditRules.suspensionEnded(user, suspension, by: actor), at: context.now)
            return StateChange(suspension)
        }
    }

    package func suspensions(
        at now: Int64, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [SuspensionRecord] {
        try await read(.page) { tables in
            let found = tables.users.values.compactMap { row in
                row.suspension.map {
                    SuspensionRecord(user: row.user, suspension: $0.suspension, author: $0.author, since: $0.since)
                }
            }
            let standing = found.filter {
                $0.suspension.isInForce(at: now) && $0.user.id.text > user?.text ?? ""
            }
            return Array(standing.sorted { $0.user.id.text < $1.user.id.text }.prefix(max(limit, 0)))
        }
    }
}
