import GRDB
package import ParleyModel
import ParleyStorage

/// Suspensions of users.
extension SQLiteStore {
    package func suspend(
        _ user: UserID, _ suspension: Suspension, by actor: AuditActor, at milliseconds: Int64
    ) async throws(StoreError) -> StateChange<Suspension??> {
        try StoredText.refuseNUL(in: suspension.reason ?? "", as: "reason")
        return try await change { transaction in
            guard let before = try Self.suspension(of: user, transaction.db) else { return StateChange(nil) }
            try transaction.run(
                SuspensionQueries.put,
                [user.text, milliseconds, suspension.until, suspension.reason, actor.user?.text])
            try Self.insert(
                AuditRules.suspended(user, suspension, before: before, by: actor), at: milliseconds, in: transaction.db)
            return StateChange(before)
        }
    }

    package func endSuspension(
        of user: UserID, by actor: AuditActor
    ) async throws(StoreError) -> StateChange<Suspension?> {
        try await change { transaction in
            guard let before = try Self.suspension(of: user, transaction.db), let suspension = before else {
                return StateChange(nil)
            }
            try transaction.run(SuspensionQueries.end, [user.text])
            try transaction.note(AuditRules.suspensionEnded(user, suspension, by: actor))
            return StateChange(suspension)
        }
    }

    /// - Returns: The present suspension; `nil` if the user is unknown or erased.
    private static func suspension(of user: UserID, _ db: Database) throws -> Suspension?? {
        try db.first(SuspensionQueries.ofUser, [user.text]) { $0.optionalSuspension(0) }
    }

    package func suspensions(
        at now: Int64, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [SuspensionRecord] {
        try await read { db in
            try db.all(SuspensionQueries.page, [now, user?.text ?? "", max(limit, 0)]) { row in
                let author: String? = row[4]
                return SuspensionRecord(
                    user: User(id: UserID(trusted: row[0]), name: row[1]),
                    suspension: Suspension(until: row[2], reason: row[3]), author: author.map { UserID(trusted: $0) },
                    since: row[5])
            }
        }
    }
}
