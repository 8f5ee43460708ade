package import ParleyModel

/// A store that loads facts and executes decisions. What a state change does is decided here and in `StateRules`, for
/// every such store alike.
package protocol StateExecutor: StateStore, Cleanups {
    associatedtype Facts: StateFacts

    /// Runs one transaction that loads facts, decides, executes the decision and commits; after a conflict with another
    /// transaction it begins again.
    /// - Returns: the `RefusedChange` that `decide` throws; nothing is changed then.
    func transact<Value: Sendable>(
        _ decide: @escaping @Sendable (Facts) throws -> StateDecision<Value>
    ) async throws(StoreError) -> Result<StateChange<Value>, RefusedChange>

    /// Runs one step of a cleanup in the same way, whose outbox entries only persisters relay. The claim is renewed, or
    /// the cleanup ended if the step decides that there is no next one.
    /// - Returns: the decision and the renewed claim; `nil` if this was the last step, or if the claim has been taken
    ///   over.
    func step<Next: Sendable>(
        of cleanup: Cleanup, _ decide: @escaping @Sendable (Facts) throws -> StateDecision<Next?>
    ) async throws(StoreError) -> (decision: StateDecision<Next?>, claim: Cleanup)?

    /// Returns a user's memberships in rooms with a title, read without a transaction.
    func memberships(of user: UserID, inRoomsTitled title: String) async throws(StoreError) -> [Membership]
}

/// Carries an error thrown by `authorize` through code that throws store errors.
package struct RefusedChange: Error {
    package let error: any Error

    static func check(_ roles: MemberRoles, _ authorize: Authorization) throws(RefusedChange) {
        do { try authorize(roles) } catch { throw RefusedChange(error: error) }
    }
}

extension StateExecutor {
    /// - Throws: the error of a refusal, otherwise `StoreError`.
    func authorized<Value: Sendable>(
        _ decide: @escaping @Sendable (Facts) throws -> StateDecision<Value>
    ) async throws -> StateChange<Value> {
        switch try await transact(decide) {
        case .success(let change): return change
        case .failure(let refusal): throw refusal.error
        }
    }

    // MARK: Members

    package func join(
        _ user: User, roomTitled title: String, newID id: ThreadID, visibility: RoomVisibility, history: RoomHistory,
        at milliseconds: Int64, authorize: @escaping Authorization
    ) async throws -> StateChange<JoinedRoom> {
        try StoredText.refuseNUL(in: title, as: "title")
        // Members, who are most of the callers, are answered without a transaction.
        let own = try await memberships(of: user.id, inRoomsTitled: title)
        let listed = own.first { $0.thread.visibility == .public }?.thread
        if let entered = StateRules.entered(own, or: listed), let known = own.first(where: { $0.thread == entered }) {
            return StateChange(JoinedRoom(membership: known, isNewMember: false))
        }
        let new = NewRoom(id: id, title: title, visibility: visibility, history: history)
        return try await authorized { transaction in
            let facts = try transaction.room(new, for: user.id, at: milliseconds)
            let decision = try StateRules.join(user, facts, at: milliseconds)
            if facts.role == nil {
                let roles = MemberRoles(
                    thread: facts.isNew ? nil : facts.room, requester: nil, subject: nil,
                    restrictions: facts.restrictions, sanctions: facts.sanctions)
                try RefusedChange.check(roles, authorize)
            }
            return decision
        }
    }

    package func setMember(
        _ user: User, of thread: ThreadID, role: Membership.Role?, by requester: UserID, as actor: AuditActor,
        at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange> {
        try await authorized { transaction in
            let facts = try transaction.members(
                of: thread, requester: requester, subject: user.id, isSubjectHeld: true)
            try RefusedChange.check(facts.roles, authorize)
            return AuditRules.memberSet(
                try StateRules.setMember(user, role: role, by: requester, facts, at: milliseconds), user.id, by: actor)
        }
    }

    package func removeMember(
        _ user: User, from thread: ThreadID, by requester: UserID, as actor: AuditActor, isRemoval: Bool,
        at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange> {
        try await authorized { transaction in
            let roles = try transaction.members(
                of: thread, requester: requester, subject: user.id, isSubjectHeld: false
            ).roles
            try RefusedChange.check(roles, authorize)
            return AuditRules.memberRemoved(
                try StateRules.removeMember(user, by: requester, isRemoval: isRemoval, roles, at: milliseconds),
                user.id, by: actor)
        }
    }

    package func sanction(
        _ user: User, in thread: ThreadID, _ sanction: Sanction, author: UserID?, by requester: UserID,
        as actor: AuditActor,
        at milliseconds: Int64, authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange?> {
        try StoredText.refuseNUL(in: sanction.reason ?? "", as: "reason")
        return try await authorized { transaction in
            let facts = try transaction.members(
                of: thread, requester: requester, subject: user.id, isSubjectHeld: true)
            try RefusedChange.check(facts.roles, authorize)
            return AuditRules.sanctioned(
                try StateRules.sanction(user, sanction, author: author, by: requester, facts, at: milliseconds),
                user.id, sanction, before: facts.roles.sanctions[sanction.kind], by: actor)
        }
    }

    package func endSanction(
        _ kind: Sanction.Kind, of user: User, in thread: ThreadID, by requester: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws -> StateChange<Sanction?> {
        try await authorized { transaction in
            let roles = try transaction.members(
                of: thread, requester: requester, subject: user.id, isSubjectHeld: false
            ).roles
            try RefusedChange.check(roles, authorize)
            return AuditRules.sanctionEnded(
                StateRules.endSanction(kind, of: user.id, in: thread, roles), user.id, in: thread, by: actor)
        }
    }

    // MARK: Threads

    package func rename(
        _ thread: ThreadID, to title: String, by requester: UserID, as actor: AuditActor, at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomChange?> {
        try StoredText.refuseNUL(in: title, as: "title")
        return try await authorized { transaction in
            let roles = try transaction.members(of: thread, requester: requester, subject: nil, isSubjectHeld: false)
                .roles
            try RefusedChange.check(roles, authorize)
            return AuditRules.changed(StateRules.rename(roles.thread, to: title, by: requester), by: actor)
        }
    }

    package func setVisibility(
        _ visibility: RoomVisibility, of thread: ThreadID, by requester: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomChange?> {
        try await authorized { transaction in
            let roles = try transaction.members(of: thread, requester: requester, subject: nil, isSubjectHeld: false)
                .roles
            try RefusedChange.check(roles, authorize)
            return AuditRules.changed(
                StateRules.setVisibility(visibility, of: roles.thread, by: requester), by: actor)
        }
    }

    package func setHistory(
        _ history: RoomHistory, of thread: ThreadID, by requester: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomHistory?> {
        try await authorized { transaction in
            let roles = try transaction.members(of: thread, requester: requester, subject: nil, isSubjectHeld: false)
                .roles
            try RefusedChange.check(roles, authorize)
            return AuditRules.historySet(
                StateRules.setHistory(history, of: roles.thread, before: roles.history), history, in: thread, by: actor)
        }
    }

    package func deleteThread(
        _ thread: ThreadID, by requester: UserID, as actor: AuditActor, authorize: @escaping Authorization
    ) async throws -> StateChange<DeletedThread?> {
        try await authorized { transaction in
            let roles = try transaction.members(of: thread, requester: requester, subject: nil, isSubjectHeld: false)
                .roles
            try RefusedChange.check(roles, authorize)
            guard let info = roles.thread else { return StateDecision(nil) }
            return AuditRules.threadDeleted(
                StateRules.deleteThread(info, try transaction.deletion(of: thread)), by: actor)
        }
    }

    // MARK: Erasure

    package func eraseUser(
        _ user: UserID, at milliseconds: Int64, by actor: AuditActor
    ) async throws(StoreError) -> StateChange<Bool> {
        let result = try await transact { transaction in
            let facts = try transaction.erasure(of: user)
            return StateRules.eraseUser(
                user, isKnown: facts.isKnown, memberships: facts.memberships, at: milliseconds, by: actor)
        }
        switch result {
        case .success(let change): return change
        case .failure(let refusal): throw .failed("an erasure was refused: \(refusal.error)")
        }
    }

    /// Does the remaining work of an erasure.
    package func finishErasure(
        of user: UserID, _ cleanup: Cleanup, forgetting sends: any SendMemory
    ) async throws(StoreError) {
        // A thread that is notified again only checks its log once more.
        let rememberedAtMost = 10_000
        var (claim, step, notified) = (cleanup, ErasureStep.memberships, Set<ThreadID>())
        while true {
            let (now, known) = (step, notified)
            let done = try await self.step(of: claim) { try now.decide(for: user, notified: known, $0) }
            guard let done, let next = done.decision.value else { return }
            (claim, step) = (done.claim, next)
            if case .clientIDs(let clientIDs) = next { try await sends.forgetNames(clientIDs, of: user) }
            if notified.count > rememberedAtMost { notified = [] }
            notified.formUnion(done.decision.outbox.map(\.thread))
        }
    }
}
