package import ParleyModel
package import ParleyStorage

extension PostgresStore: StateExecutor {
    /// The maximum number of attempts of a transaction that conflicts with others.
    static let stateAttempts = 4

    package func transact<Value: Sendable>(
        _ decide: @escaping @Sendable (StateTransaction) throws -> StateDecision<Value>
    ) async throws(StoreError) -> Result<StateChange<Value>, RefusedChange> {
        try await change { transaction in
            do {
                return .success(try transaction.commit(decide(transaction)))
            } catch let refusal as RefusedChange {
                return .failure(refusal)
            }
        }
    }

    package func step<Next: Sendable>(
        of cleanup: Cleanup, _ decide: @escaping @Sendable (StateTransaction) throws -> StateDecision<Next?>
    ) async throws(StoreError) -> (decision: StateDecision<Next?>, claim: Cleanup)? {
        try await change { transaction in
            guard try transaction.hold(cleanup) else { return nil }
            let decision = try decide(transaction)
            return try transaction.commit(decision, of: cleanup).map { (decision, $0) }
        }
    }

    package func memberships(
        of user: UserID, inRoomsTitled title: String
    ) async throws(StoreError) -> [Membership] {
        try await rows(.account, AccountQueries.membershipsByTitle(.text(title), .text(user.text)))
    }

    /// Runs a transaction, and retries it after conflicts. If `body` leaves the transaction open, it is rolled back.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (StateTransaction) throws -> Value
    ) async throws(StoreError) -> Value {
        let now = clock.milliseconds
        return try await pool.perform(.account) { connection in
            var attempt = 1
            while true {
                do {
                    return try body(StateTransaction(connection: connection, now: now))
                } catch let error as PostgresError where error.isCollision {
                    guard attempt < Self.stateAttempts, connection.recover() else { throw error }
                    attempt += 1
                }
            }
        }
    }

    // MARK: Accounts

    package func setOperator(
        _ isOperator: Bool, of user: UserID, by actor: AuditActor, at milliseconds: Int64
    ) async throws(StoreError) -> StateChange<Bool?> {
        try await change { transaction in
            let id = Parameter.text(user.text)
            var pipeline = Pipeline(Statement.begin())
            let held = pipeline.add(StateQueries.holdUser(id))
            let changed = pipeline.add(
                isOperator ? StateQueries.grantOperator(id, .int(milliseconds)) : StateQueries.revokeOperator(id))
            let replies = try transaction.connection.run(pipeline)
            let isChanged = replies.count(changed) == 1
            pipeline = Pipeline()
            if isChanged {
                pipeline.add(
                    AuditQueries.insertion(
                        of: AuditRules.operatorSet(isOperator, user, by: actor), at: transaction.now))
            }
            pipeline.add(Statement.commit())
            try transaction.connection.run(pipeline)
            return StateChange(replies.count(held) == 1 ? isChanged : nil)
        }
    }

    package func setPassword(
        _ hash: String, and profile: Profile?, of user: UserID, keeping kept: TokenHash?, ifVersion version: Int64?,
        by actor: AuditActor?
    ) async throws(StoreError) -> StateChange<[TokenHash]?> {
        let setProfile = try profile.map { profile throws(StoreError) in try Self.setProfile(profile, of: user) }
        return try await change { transaction in
            let connection = transaction.connection
            var pipeline = Pipeline(Statement.begin())
            let update = pipeline.add(StateQueries.setPassword(.text(hash), .text(user.text), .int(version)))
            guard try connection.run(pipeline).count(update) == 1 else {
                try connection.run(Pipeline(Statement.commit()))
                return StateChange(nil)
            }
            if let setProfile, try connection.run(setProfile).isEmpty { throw StoreError.noAvatar }
            pipeline = Pipeline()
            if profile != nil {
                pipeline.add(AuditQueries.insertion(of: AuditRules.profileSet(user), at: transaction.now))
            }
            let ended = pipeline.add(ThreadQueries.revokeSessions(.text(user.text), .text(kept?.text ?? "")))
            if let actor {
                pipeline.add(
                    AuditQueries.insertion(of: AuditNote(.passwordReset, by: actor, of: user), at: transaction.now))
            }
            pipeline.add(Statement.commit())
            return StateChange(try connection.run(pipeline).all(ended))
        }
    }

    package func revokeAll(
        of user: UserID, by actor: AuditActor
    ) async throws(StoreError) -> StateChange<[TokenHash]> {
        try await change { transaction in
            var pipeline = Pipeline(
                Statement.begin(), StateQueries.invalidateCredentials(.text(user.text)))
            let ended = pipeline.add(ThreadQueries.revokeSessions(.text(user.text), .text("")))
            pipeline.add(
                AuditQueries.insertion(of: AuditNote(.sessionsRevoked, by: actor, of: user), at: transaction.now))
            pipeline.add(Statement.commit())
            return StateChange(try transaction.connection.run(pipeline).all(ended))
        }
    }

    package func revokeSessions(
        of user: UserID, keeping kept: TokenHash?
    ) async throws(StoreError) -> StateChange<[TokenHash]> {
        let call = ThreadQueries.revokeSessions(.text(user.text), .text(kept?.text ?? ""))
        return StateChange(try await rows(.account, call))
    }

    package func revokeSession(
        _ token: TokenHash, by actor: AuditActor?
    ) async throws(StoreError) -> StateChange<UserID?> {
        let deletion = AccountQueries.deleteSession(.text(token.text))
        guard let actor else { return StateChange(try await rows(.account, deletion).first) }
        return try await change { transaction in
            var pipeline = Pipeline(Statement.begin())
            let deleted = pipeline.add(deletion)
            let user = try transaction.connection.run(pipeline).all(deleted).first
            pipeline = Pipeline()
            if let user {
                pipeline.add(
                    AuditQueries.insertion(of: AuditNote(.sessionRevoked, by: actor, of: user), at: transaction.now))
            }
            pipeline.add(Statement.commit())
            _ = try transaction.connection.run(pipeline)
            return StateChange(user)
        }
    }
}
