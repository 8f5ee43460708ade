package import ParleyModel
import ParleyStorage

/// Suspensions of users.
extension PostgresStore {
    package func suspend(
        _ user: UserID, _ suspension: Suspension, by actor: AuditActor, at milliseconds: Int64
    ) async throws(StoreError) -> StateChange<Suspension??> {
        try StoredText.refuseNUL(in: suspension.reason ?? "", as: "reason")
        return try await change { transaction in
            guard let before = try Self.hold(user, transaction) else { return StateChange(nil) }
            let put = SuspensionQueries.put(
                .text(user.text), .int(milliseconds), .int(suspension.until), .text(suspension.reason),
                .text(actor.user?.text))
            let row = AuditQueries.insertion(
                of: AuditRules.suspended(user, suspension, before: before, by: actor), at: milliseconds)
            try transaction.connection.run(Pipeline(put, row, Statement.commit()))
            return StateChange(before)
        }
    }

    package func endSuspension(
        of user: UserID, by actor: AuditActor
    ) async throws(StoreError) -> StateChange<Suspension?> {
        try await change { transaction in
            guard let before = try Self.hold(user, transaction), let suspension = before else {
                return StateChange(nil)
            }
            let row = AuditQueries.insertion(
                of: AuditRules.suspensionEnded(user, suspension, by: actor), at: transaction.now)
            try transaction.connection.run(
                Pipeline(SuspensionQueries.end(.text(user.text)), row, Statement.commit()))
            return StateChange(suspension)
        }
    }

    /// Begins the transaction, and holds the user until it ends.
    /// - Returns: The present suspension; `nil` if the user is unknown or erased.
    private static func hold(_ user: UserID, _ transaction: StateTransaction) throws -> Suspension?? {
        var pipeline = Pipeline(Statement.begin())
        let held = pipeline.add(SuspensionQueries.hold(.text(user.text)))
        return try transaction.connection.run(pipeline).first(held)
    }

    package func suspensions(
        at now: Int64, after user: UserID?, limit: Int
    ) async throws(StoreError) -> [SuspensionRecord] {
        try await rows(
            .page, SuspensionQueries.page(.int(now), .text(user?.text ?? ""), .int(Int64(max(limit, 0)))))
    }
}
