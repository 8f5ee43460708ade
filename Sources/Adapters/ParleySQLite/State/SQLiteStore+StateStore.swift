import GRDB
package import ParleyModel
package import ParleyStorage

extension SQLiteStore: StateExecutor {
    package func transact<Value: Sendable>(
        _ decide: @escaping @Sendable (StateTransaction) throws -> StateDecision<Value>
    ) async throws(StoreError) -> Result<StateChange<Value>, RefusedChange> {
        let now = clock.milliseconds
        defer { noteDeletedContent() }
        do {
            return .success(
                try await pool.write { db in
                    let transaction = StateTransaction(db: db, now: now)
                    return try transaction.execute(decide(transaction))
                })
        } catch let refusal as RefusedChange {
            return .failure(refusal)
        } catch {
            writability.failed(error, path: path)
            throw StoreError(error, path: path)
        }
    }

    func change<Value: Sendable>(
        _ body: @Sendable (StateTransaction) throws -> Value
    ) async throws(StoreError) -> Value {
        let now = clock.milliseconds
        defer { noteDeletedContent() }
        return try await write { db in try body(StateTransaction(db: db, now: now)) }
    }

    /// Does not wait for a writer.
    package func memberships(
        of user: UserID, inRoomsTitled title: String
    ) async throws(StoreError) -> [Membership] {
        try await read { db in try Self.memberships(of: user, inRoomsTitled: title, in: db) }
    }

    static func memberships(of user: UserID, inRoomsTitled title: String, in db: Database) throws -> [Membership] {
        try db.all(AccountQueries.membershipsByTitle, [title, user.text]) { row in
            let limits = try row.limits(5)
            return Membership(thread: try row.threadInfo(0), role: try row.role(4), limits)
        }
    }

    // MARK: Accounts

    package func setOperator(
        _ isOperator: Bool, of user: UserID, by actor: AuditActor, at milliseconds: Int64
    ) async throws(StoreError) -> StateChange<Bool?> {
        try await change { transaction in
            guard try transaction.isPresent(user) else { return StateChange(nil) }
            if isOperator {
                try transaction.run(StateQueries.grantOperator, [user.text, milliseconds])
            } else {
                try transaction.run(StateQueries.revokeOperator, [user.text])
            }
            guard transaction.db.changesCount == 1 else { return StateChange(false) }
            try transaction.note(AuditRules.operatorSet(isOperator, user, by: actor))
            return StateChange(true)
        }
    }

    package func setPassword(
        _ hash: String, and profile: Profile?, of user: UserID, keeping kept: TokenHash?, ifVersion version: Int64?,
        by actor: AuditActor?
    ) async throws(StoreError) -> StateChange<[TokenHash]?> {
        if let profile { try Self.refuseNUL(in: profile) }
        return try await change { transaction in
            try transaction.run(StateQueries.setPassword, [hash, user.text, version])
            guard transaction.db.changesCount == 1 else { return StateChange(nil) }
            if let profile, try !Self.setProfile(profile, of: user, at: transaction.now, transaction.db) {
                throw StoreError.noAvatar
            }
            if let actor { try transaction.note(AuditNote(.passwordReset, by: actor, of: user)) }
            return StateChange(try Self.endSessions(of: user, except: kept, transaction).value)
        }
    }

    package func revokeAll(
        of user: UserID, by actor: AuditActor
    ) async throws(StoreError) -> StateChange<[TokenHash]> {
        try await change { transaction in
            try transaction.run(StateQueries.invalidateCredentials, [user.text])
            try transaction.note(AuditNote(.sessionsRevoked, by: actor, of: user))
            return try Self.endSessions(of: user, except: nil, transaction)
        }
    }

    package func revokeSessions(
        of user: UserID, keeping kept: TokenHash?
    ) async throws(StoreError) -> StateChange<[TokenHash]> {
        try await change { try Self.endSessions(of: user, except: kept, $0) }
    }

    private static func endSessions(
        of user: UserID, except kept: TokenHash?, _ transaction: StateTransaction
    ) throws -> StateChange<[TokenHash]> {
        let statement = try transaction.db.cachedStatement(sql: ThreadQueries.revokeSessions)
        let ended = try String.fetchAll(statement, arguments: [user.text, kept?.text ?? ""])
        return StateChange(ended.map { TokenHash($0) })
    }

    package func revokeSession(
        _ token: TokenHash, by actor: AuditActor?
    ) async throws(StoreError) -> StateChange<UserID?> {
        try await change { transaction in
            let statement = try transaction.db.cachedStatement(sql: AccountQueries.deleteSession)
            let user = try String.fetchOne(statement, arguments: [token.text]).map { UserID(trusted: $0) }
            if let user, let actor { try transaction.note(AuditNote(.sessionRevoked, by: actor, of: user)) }
            return StateChange(user)
        }
    }
}
