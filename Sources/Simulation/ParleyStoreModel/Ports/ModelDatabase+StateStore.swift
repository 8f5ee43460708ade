package import ParleyModel
package import ParleyStorage

extension ModelDatabase: StateExecutor {
    package func transact<Value: Sendable>(
        _ decide: @escaping @Sendable (StateTransaction) throws -> StateDecision<Value>
    ) async throws(StoreError) -> Result<StateChange<Value>, RefusedChange> {
        try await write(.state) { tables, context in
            try StateTransaction.run(on: &tables, context) { transaction in
                do {
                    return .success(try transaction.execute(decide(transaction)))
                } catch let refusal as RefusedChange {
                    return .failure(refusal)
                }
            }
        }
    }

    package func step<Next: Sendable>(
        of cleanup: Cleanup, _ decide: @escaping @Sendable (StateTransaction) throws -> StateDecision<Next?>
    ) async throws(StoreError) -> (decision: StateDecision<Next?>, claim: Cleanup)? {
        try await write(.cleanup) { tables, context in
            try StateTransaction.run(on: &tables, context) { transaction in
                guard transaction.tables.cleanups[cleanup.subject] == cleanup.lease else { return nil }
                let decision = try decide(transaction)
                _ = try transaction.execute(decision, isOverdue: true)
                let lease = decision.value == nil ? nil : context.now + Cleanup.leaseMilliseconds
                transaction.tables.cleanups[cleanup.subject] = lease
                return lease.map { (decision, Cleanup(subject: cleanup.subject, lease: $0)) }
            }
        }
    }

    package func memberships(
        of user: UserID, inRoomsTitled title: String
    ) async throws(StoreError) -> [Membership] {
        try await read(.account) { $0.memberships(of: user, inRoomsTitled: title) }
    }

    // MARK: Accounts

    package func setOperator(
        _ isOperator: Bool, of user: UserID, by actor: AuditActor, at milliseconds: Int64
    ) async throws(StoreError) -> StateChange<Bool?> {
        try await write(.account) { tables, context in
            guard let row = tables.users[user], row.isPresent else { return StateChange(nil) }
            guard (row.operatorSince != nil) != isOperator else { return StateChange(false) }
            tables.updateUser(user) { $0.operatorSince = isOperator ? milliseconds : nil }
            tables.note(AuditRules.operatorSet(isOperator, user, by: actor), at: context.now)
            return StateChange(true)
        }
    }

    package func setPassword(
        _ hash: String, and profile: Profile?, of user: UserID, keeping kept: TokenHash?, ifVersion version: Int64?,
        by actor: AuditActor?
    ) async throws(StoreError) -> StateChange<[TokenHash]?> {
        try profile?.refuseNUL()
        return try await write(.account) { tables, context in
            guard let row = tables.users[user], row.isPresent,
                version ?? row.credentialsVersion == row.credentialsVersion
            else { return StateChange(nil) }
            if let profile, !tables.setProfile(profile, of: user, at: context.now) { throw StoreError.noAvatar }
            tables.updateUser(user) { row in
                row.passwordHash = hash
                row.credentialsVersion += 1
            }
            if let actor { tables.note(AuditNote(.passwordReset, by: actor, of: user), at: context.now) }
            return StateChange(tables.deleteSessions(of: user, except: kept))
        }
    }

    package func revokeAll(
        of user: UserID, by actor: AuditActor
    ) async throws(StoreError) -> StateChange<[TokenHash]> {
        try await write(.account) { tables, context in
            tables.note(AuditNote(.sessionsRevoked, by: actor, of: user), at: context.now)
            if tables.isPresent(user) { tables.updateUser(user) { $0.credentialsVersion += 1 } }
            return StateChange(tables.deleteSessions(of: user, except: nil))
        }
    }

    package func revokeSessions(
        of user: UserID, keeping kept: TokenHash?
    ) async throws(StoreError) -> StateChange<[TokenHash]> {
        try await write(.account) { tables, _ in StateChange(tables.deleteSessions(of: user, except: kept)) }
    }

    package func revokeSession(
        _ token: TokenHash, by actor: AuditActor?
    ) async throws(StoreError) -> StateChange<UserID?> {
        try await write(.account) { tables, context in
            let user = tables.deleteSession(token)
            if let user, let actor { tables.note(AuditNote(.sessionRevoked, by: actor, of: user), at: context.now) }
            return StateChange(user)
        }
    }
}

extension ModelDatabase: Cleanups {
    package func claimCleanups(limit: Int) async throws(StoreError) -> [Cleanup] {
        guard limit > 0 else { return [] }
        return try await write(.cleanup) { tables, context in
            let due = tables.cleanups.filter { $0.value <= context.now }.sorted {
                ($0.value, $0.key.stored.kind, $0.key.stored.id) < ($1.value, $1.key.stored.kind, $1.key.stored.id)
            }
            let lease = context.now + Cleanup.leaseMilliseconds
            return due.prefix(limit).map { subject, _ in
                tables.cleanups[subject] = lease
                return Cleanup(subject: subject, lease: lease)
            }
        }
    }

    package func removeEndedEntrances(before milliseconds: Int64, limit: Int) async throws(StoreError) -> Int {
        guard limit > 0 else { return 0 }
        return try await write(.account) { tables, _ in
            let links = tables.removeEndedLinks(before: milliseconds, limit: limit)
            return links + tables.removeEndedEntrances(before: milliseconds, limit: limit)
        }
    }

    package func finish(_ cleanup: Cleanup, forgetting sends: any SendMemory) async throws(StoreError) {
        switch cleanup.subject {
        case .user(let user): try await finishErasure(of: user, cleanup, forgetting: sends)
        case .thread(let thread):
            var claim = cleanup
            while let step = try await step(
                of: claim, { StateDecision($0.tables.removeRows(of: thread) ? true : nil) })
            {
                claim = step.claim
            }
        }
    }
}
