package import ParleyModel

extension PostgresStore: StateStore {
    // MARK: Members

    /// Joins a room, which is created if it is missing. Titles are compared byte by byte. A new member's read cursor is
    /// at the end of what is stored.
    package func join(
        _ user: User, roomTitled title: String, newID id: ThreadID, at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<JoinedRoom> {
        try Self.refuseNUL(in: title, as: "title")
        return try await authorizedChange { transaction in
            // Members, who are most of the callers, are answered without a transaction.
            let find = AccountQueries.roleByTitle(.text(title), .text(user.id.text))
            if let known = try transaction.connection.run([find])[0].first {
                return StateChange(try Self.joined(known.text(0), title, role: known.text(1), isNew: false))
            }
            // A room that is renamed or deleted concurrently is looked up again.
            for _ in 0..<Self.stateAttempts {
                let change = try Self.join(user, titled: title, newID: id, at: milliseconds, transaction, authorize)
                if let change { return change }
                guard transaction.connection.recover() else { break }
            }
            throw StoreError.unavailable("the room was changed concurrently in each of \(Self.stateAttempts) attempts")
        }
    }

    /// - Returns: `nil` if the room no longer has the title.
    private static func join(
        _ user: User, titled title: String, newID id: ThreadID, at milliseconds: Int64,
        _ transaction: StateTransaction, _ authorize: Authorization
    ) throws -> StateChange<JoinedRoom>? {
        let made = try transaction.connection.run([
            Statement.begin(), AccountQueries.insertRoom(.text(id.text), .text(title), .int(milliseconds)),
            AccountQueries.roomOfTitle(.text(title)),
        ])
        guard let room = try made[2].first?.text(0) else { return nil }
        let (thread, member) = (Parameter.text(room), Parameter.text(user.id.text))
        // Locks the user after the thread, in the order used by an erasure.
        let found = try transaction.connection.run([
            Locks.stateOfThread(thread), StateQueries.holdUser(member),
            StateQueries.roomOfTitle(thread, .text(title), member),
        ])
        guard found[1].count == 1 else { throw StoreError.failed("the joining user is unknown or erased") }
        guard let row = found[2].first else { return nil }
        if let role = try row.optionalText(0) {
            _ = try transaction.commit([], outbox: [])
            return StateChange(try joined(room, title, role: role, isNew: false))
        }
        var role = Membership.Role.owner
        if made[1].count == 0 {
            let roles = MemberRoles(
                thread: ThreadInfo(id: ThreadID(trusted: room), kind: .room, title: title), requester: nil,
                subject: nil,
                restrictions: Restrictions(isRemoved: try row.bool(1), isReadOnly: try row.bool(2)))
            do { try authorize(roles) } catch { throw StateTransaction.Rejection(error: error) }
            role = roles.restrictions.role(given: nil)
        }
        let id = ThreadID(trusted: room)
        let restricted = role == .readOnly ? [(id, OutboxEntry.Content.append(.role(user.id, role, by: user.id)))] : []
        let insert = AccountQueries.insertMember(thread, member, .text(role.rawValue), .int(milliseconds))
        let committed = try transaction.commit(
            [Locks.cursorsOfThread(thread), insert],
            outbox: [(id, .append(.joined(user)))] + restricted)
        return StateChange(try joined(room, title, role: role.rawValue, isNew: true), outbox: committed.outbox)
    }

    package func setMember(
        _ user: User, of thread: ThreadID, role: Membership.Role?, by requester: UserID, at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange> {
        try await authorizedChange { transaction in
            let (roles, replies) = try transaction.begin(
                thread, requester: requester, subject: user.id, [StateQueries.holdUser(.text(user.id.text))],
                authorize: authorize)
            guard let info = roles.thread else { throw Self.unknownThread }
            let (id, member) = (Parameter.text(thread.text), Parameter.text(user.id.text))
            var change = MemberChange(thread: info, before: roles.subject, after: roles.subject)
            var (calls, contents): ([Call], [(ThreadID, OutboxEntry.Content)]) = ([], [])
            if replies.first?.count == 1 {
                change.after = role ?? roles.subject ?? roles.restrictions.role(given: nil)
                if roles.subject == nil {
                    calls = [
                        Locks.cursorsOfThread(id),
                        AccountQueries.insertMember(
                            id, member, .text(change.after?.rawValue), .int(milliseconds)),
                    ]
                    contents.append((thread, .append(.joined(user, by: requester == user.id ? nil : requester))))
                } else if change.before != change.after {
                    calls = [StateQueries.setRole(.text(change.after?.rawValue), id, member)]
                }
                if let after = change.after, after != change.before ?? .member {
                    contents.append((thread, .append(.role(user.id, after, by: requester))))
                }
            }
            return StateChange(change, outbox: try transaction.commit(calls, outbox: contents).outbox)
        }
    }

    package func removeMember(
        _ user: User, from thread: ThreadID, by requester: UserID, isRemoval: Bool, at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange> {
        try await authorizedChange { transaction in
            let roles = try transaction.begin(thread, requester: requester, subject: user.id, authorize: authorize)
                .roles
            guard let info = roles.thread else { throw Self.unknownThread }
            let change = MemberChange(thread: info, before: roles.subject, after: nil)
            let isMember = roles.subject != nil
            let (id, member) = (Parameter.text(thread.text), Parameter.text(user.id.text))
            var calls = isMember ? [StateQueries.removeMember(id, member)] : []
            if isMember, isRemoval {
                calls.append(
                    StateQueries.restrict(id, member, .text(Restrictions.Kind.removed.rawValue), .int(milliseconds)))
            }
            let committed = try transaction.commit(
                calls, outbox: isMember ? [(thread, .append(.left(user, by: requester)))] : [])
            return StateChange(change, outbox: committed.outbox)
        }
    }

    private static let unknownThread = StoreError.failed("there is no such thread")

    // MARK: Threads

    package func rename(
        _ thread: ThreadID, to title: String, by requester: UserID, at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomRename?> {
        try Self.refuseNUL(in: title, as: "title")
        return try await authorizedChange { transaction in
            let roles = try transaction.begin(thread, requester: requester, subject: nil, authorize: authorize).roles
            guard let info = roles.thread, info.kind == .room else { return StateChange(nil) }
            // Compared by bytes: two spellings of a letter are two titles.
            guard !info.title.utf8.elementsEqual(title.utf8) else {
                return StateChange(RoomRename(before: info, after: info))
            }
            let committed = try transaction.commit(
                [WriteQueries.rename(.text(title), .text(thread.text))],
                outbox: [(thread, .append(.renamed(title: title, by: requester)))])
            let renamed = RoomRename(before: info, after: ThreadInfo(id: thread, kind: .room, title: title))
            return StateChange(renamed, outbox: committed.outbox)
        }
    }

    /// Deletes a thread. Its rows are left to a cleanup; the thread cannot be created again under its id until few or
    /// none are left.
    package func deleteThread(
        _ thread: ThreadID, by requester: UserID, authorize: @escaping Authorization
    ) async throws -> StateChange<DeletedThread?> {
        try await authorizedChange { transaction in
            let roles = try transaction.begin(thread, requester: requester, subject: nil, authorize: authorize).roles
            guard let info = roles.thread else { return StateChange(nil) }
            let (id, cleanup) = (Parameter.text(thread.text), Cleanup.Subject.thread(thread).parameters)
            let found = try transaction.connection.run([
                StateQueries.holdThread(id), StateQueries.membersOfThread(id),
            ])
            let epoch = try found[0].first?.optionalText(0) ?? ""
            let members = try found[1].map { UserID(trusted: try $0.text(0)) }
            let committed = try transaction.commit(
                [
                    StateQueries.insertDeletedEpochs(id, .texts([epoch]), .int(transaction.now)),
                    ThreadQueries.deleteThread(id),
                    StateQueries.insertCleanup(cleanup.kind, cleanup.id),
                ], outbox: [(thread, .forgetThread)])
            return StateChange(DeletedThread(thread: info, members: members), outbox: committed.outbox)
        }
    }

    // MARK: Accounts

    package func setOperator(
        _ isOperator: Bool, of user: UserID, at milliseconds: Int64
    ) async throws(StoreError) -> StateChange<Bool?> {
        try await change { transaction in
            let id = Parameter.text(user.text)
            let update =
                isOperator ? StateQueries.grantOperator(id, .int(milliseconds)) : StateQueries.revokeOperator(id)
            let replies = try transaction.connection.run([
                Statement.begin(), StateQueries.holdUser(id), update, Statement.commit(),
            ])
            return StateChange(replies[1].count == 1 ? replies[2].count == 1 : nil)
        }
    }

    package func setPassword(
        _ hash: String, and profile: Profile?, of user: UserID, keeping kept: TokenHash?, ifVersion version: Int64?
    ) async throws(StoreError) -> StateChange<[TokenHash]?> {
        let setProfile = try profile.map { profile throws(StoreError) in try Self.setProfile(profile, of: user) }
        let update = StateQueries.setPassword(.text(hash), .text(user.text), .int(version))
        let delete = ThreadQueries.revokeSessions(.text(user.text), .text(kept?.text ?? ""))
        return try await change { transaction in
            let isSet = try transaction.connection.run([Statement.begin(), update])[1].count == 1
            if isSet, let setProfile, try transaction.connection.run([setProfile])[0].count == 0 {
                throw StoreError.noAvatar
            }
            let replies = try transaction.commit(isSet ? [delete] : [], outbox: []).replies
            return StateChange(isSet ? try replies[0].map { TokenHash(try $0.text(0)) } : nil)
        }
    }

    package func revokeAll(of user: UserID) async throws(StoreError) -> StateChange<[TokenHash]> {
        try await change { transaction in
            let replies = try transaction.connection.run([
                Statement.begin(), StateQueries.invalidateCredentials(.text(user.text)),
                ThreadQueries.revokeSessions(.text(user.text), .text("")), Statement.commit(),
            ])
            return StateChange(try replies[2].map { TokenHash(try $0.text(0)) })
        }
    }

    package func revokeSessions(
        of user: UserID, keeping kept: TokenHash?
    ) async throws(StoreError) -> StateChange<[TokenHash]> {
        let call = ThreadQueries.revokeSessions(.text(user.text), .text(kept?.text ?? ""))
        return StateChange(try await rows(.account, call) { TokenHash(try $0.text(0)) })
    }

    package func revokeSession(_ token: TokenHash) async throws(StoreError) -> StateChange<UserID?> {
        let users = try await rows(.account, AccountQueries.deleteSession(.text(token.text))) {
            UserID(trusted: try $0.text(0))
        }
        return StateChange(users.first)
    }
}
