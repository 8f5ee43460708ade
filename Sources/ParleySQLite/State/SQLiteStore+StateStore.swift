import GRDB
package import ParleyModel

extension SQLiteStore: StateStore {
    // MARK: Members

    /// Joins a room, which is created if it is missing. Titles are compared byte by byte. A new member's read cursor is
    /// at the end of what is stored.
    package func join(
        _ user: User, roomTitled title: String, newID id: ThreadID, at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<JoinedRoom> {
        try Self.refuseNUL(in: title, as: "title")
        // Members, who are most of the callers, are answered without a write and without waiting for a writer.
        if let known = try await member(user, titled: title) { return StateChange(known) }
        return try await judged { transaction in
            let db = transaction.db
            guard try transaction.isPresent(user.id) else {
                throw StoreError.failed("the joining user is unknown or erased")
            }
            let found = try Row.fetchOne(db.cachedStatement(sql: AccountQueries.roomOfTitle), arguments: [title])
            let info = try Self.room(found, titled: title, newID: id, at: milliseconds, in: db)
            let role = try String.fetchOne(
                db.cachedStatement(sql: AccountQueries.role), arguments: [info.id.text, user.id.text])
            if let role {
                let membership = Membership(thread: info, role: try Self.role(role))
                return StateChange(JoinedRoom(membership: membership, isNewMember: false))
            }
            var newRole = Membership.Role.owner
            if found != nil {
                let roles = try transaction.judge(info.id, requester: user.id, subject: user.id, authorize)
                newRole = roles.restrictions.role(given: nil)
            }
            try transaction.run(
                StateQueries.insertMember, [info.id.text, user.id.text, newRole.rawValue, milliseconds])
            var outbox = [try transaction.addOutboxEntry(info.id, .append(.joined(user)))]
            if newRole == .readOnly {
                outbox.append(try transaction.addOutboxEntry(info.id, .append(.role(user.id, newRole, by: user.id))))
            }
            let joined = JoinedRoom(membership: Membership(thread: info, role: newRole), isNewMember: true)
            return StateChange(joined, outbox: outbox)
        }
    }

    private func member(_ user: User, titled title: String) async throws(StoreError) -> JoinedRoom? {
        try await read { db in
            let found = try Row.fetchOne(db.cachedStatement(sql: AccountQueries.roomOfTitle), arguments: [title])
            guard let found else { return nil }
            let info = ThreadInfo(id: ThreadID(trusted: found[0]), kind: .room, title: title)
            let role = try String.fetchOne(
                db.cachedStatement(sql: AccountQueries.role), arguments: [info.id.text, user.id.text])
            return try role.map {
                JoinedRoom(membership: Membership(thread: info, role: try Self.role($0)), isNewMember: false)
            }
        }
    }

    package func setMember(
        _ user: User, of thread: ThreadID, role: Membership.Role?, by requester: UserID, at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange> {
        try await judged { transaction in
            let roles = try transaction.judge(thread, requester: requester, subject: user.id, authorize)
            guard let info = roles.thread else { throw Self.unknownThread }
            var change = StateChange(MemberChange(thread: info, before: roles.subject, after: roles.subject))
            guard try transaction.isPresent(user.id) else { return change }
            let after = role ?? roles.subject ?? roles.restrictions.role(given: nil)
            change.value.after = after
            if roles.subject == nil {
                try transaction.run(
                    StateQueries.insertMember, [thread.text, user.id.text, after.rawValue, milliseconds])
                let by = requester == user.id ? nil : requester
                change.outbox.append(try transaction.addOutboxEntry(thread, .append(.joined(user, by: by))))
            } else if roles.subject != after {
                try transaction.run(WriteQueries.setRole, [after.rawValue, thread.text, user.id.text])
            }
            if after != roles.subject ?? .member {
                change.outbox.append(
                    try transaction.addOutboxEntry(thread, .append(.role(user.id, after, by: requester))))
            }
            return change
        }
    }

    package func removeMember(
        _ user: User, from thread: ThreadID, by requester: UserID, isRemoval: Bool, at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<MemberChange> {
        try await judged { transaction in
            let roles = try transaction.judge(thread, requester: requester, subject: user.id, authorize)
            guard let info = roles.thread else { throw Self.unknownThread }
            var change = StateChange(MemberChange(thread: info, before: roles.subject, after: nil))
            guard roles.subject != nil else { return change }
            try transaction.run(WriteQueries.deleteMember, [thread.text, user.id.text])
            if isRemoval {
                try transaction.run(
                    StateQueries.restrict,
                    [thread.text, user.id.text, Restrictions.Kind.removed.rawValue, milliseconds])
            }
            change.outbox.append(try transaction.addOutboxEntry(thread, .append(.left(user, by: requester))))
            return change
        }
    }

    private static let unknownThread = StoreError.failed("there is no such thread")

    // MARK: Threads

    package func rename(
        _ thread: ThreadID, to title: String, by requester: UserID, at milliseconds: Int64,
        authorize: @escaping Authorization
    ) async throws -> StateChange<RoomRename?> {
        try Self.refuseNUL(in: title, as: "title")
        return try await judged { transaction in
            let roles = try transaction.judge(thread, requester: requester, subject: nil, authorize)
            guard let info = roles.thread, info.kind == .room else { return StateChange(nil) }
            // Compared by bytes: two spellings of a letter are two titles.
            guard !info.title.utf8.elementsEqual(title.utf8) else {
                return StateChange(RoomRename(before: info, after: info))
            }
            try Self.orTaken { try transaction.run(WriteQueries.rename, [title, thread.text]) }
            let entry = try transaction.addOutboxEntry(thread, .append(.renamed(title: title, by: requester)))
            let renamed = RoomRename(before: info, after: ThreadInfo(id: thread, kind: .room, title: title))
            return StateChange(renamed, outbox: [entry])
        }
    }

    /// Deletes a thread in one transaction: writers wait until its messages are gone, since these refer to the thread's
    /// row.
    package func deleteThread(
        _ thread: ThreadID, by requester: UserID, authorize: @escaping Authorization
    ) async throws -> StateChange<DeletedThread?> {
        try await judged { transaction in
            let roles = try transaction.judge(thread, requester: requester, subject: nil, authorize)
            guard let info = roles.thread else { return StateChange(nil) }
            let (db, id) = (transaction.db, thread.text)
            let members = try String.fetchAll(
                db.cachedStatement(sql: StateQueries.membersOfThread), arguments: [id])
            let epoch = try String.fetchOne(db.cachedStatement(sql: StateQueries.epoch), arguments: [id])
            try transaction.run(StateQueries.insertDeletedEpoch, [id, epoch ?? "", transaction.now])
            for sql in [
                ThreadQueries.deleteMessages, ThreadQueries.deleteEvents, ThreadQueries.deleteReactions,
                ThreadQueries.deleteThread,
            ] {
                try transaction.run(sql, [id])
            }
            let entry = try transaction.addOutboxEntry(thread, .forgetThread)
            let deleted = DeletedThread(thread: info, members: members.map { UserID(trusted: $0) })
            return StateChange(deleted, outbox: [entry])
        }
    }

    // MARK: Accounts

    package func setOperator(
        _ isOperator: Bool, of user: UserID, at milliseconds: Int64
    ) async throws(StoreError) -> StateChange<Bool?> {
        try await change { transaction in
            guard try transaction.isPresent(user) else { return StateChange(nil) }
            if isOperator {
                try transaction.run(StateQueries.grantOperator, [user.text, milliseconds])
            } else {
                try transaction.run(StateQueries.revokeOperator, [user.text])
            }
            return StateChange(transaction.db.changesCount == 1)
        }
    }

    package func setPassword(
        _ hash: String, and profile: Profile?, of user: UserID, keeping kept: TokenHash?, ifVersion version: Int64?
    ) async throws(StoreError) -> StateChange<[TokenHash]?> {
        if let profile { try Self.refuseNUL(in: profile) }
        return try await change { transaction in
            try transaction.run(StateQueries.setPassword, [hash, user.text, version])
            guard transaction.db.changesCount == 1 else { return StateChange(nil) }
            if let profile, try !Self.setProfile(profile, of: user, transaction.db) {
                throw StoreError.noAvatar
            }
            return StateChange(try Self.endSessions(of: user, except: kept, transaction).value)
        }
    }

    package func revokeAll(of user: UserID) async throws(StoreError) -> StateChange<[TokenHash]> {
        try await change { transaction in
            try transaction.run(StateQueries.invalidateCredentials, [user.text])
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

    package func revokeSession(_ token: TokenHash) async throws(StoreError) -> StateChange<UserID?> {
        try await write { db in
            let user = try String.fetchOne(
                db.cachedStatement(sql: AccountQueries.deleteSession), arguments: [token.text])
            return StateChange(user.map { UserID(trusted: $0) })
        }
    }
}
