import GRDB
package import ParleyModel
package import ParleyStorage

/// A transaction that changes state: it loads facts, and executes the decision that depends on them. SQLite allows one
/// writer at a time, so rows that were read remain valid.
package struct StateTransaction: StateFacts {
    let db: Database
    /// The current time by the store's clock in Unix milliseconds, for the outbox.
    let now: Int64

    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try db.run(sql, arguments)
    }

    private func rows(_ sql: String, _ arguments: StatementArguments) throws -> [Row] {
        try Row.fetchAll(db.cachedStatement(sql: sql), arguments: arguments)
    }

    private func row(_ sql: String, _ arguments: StatementArguments) throws -> Row? {
        try Row.fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
    }

    func isPresent(_ user: UserID) throws -> Bool { try row(StateQueries.isPresent, [user.text]) != nil }

    // MARK: Facts

    package func members(
        of thread: ThreadID, requester: UserID, subject: UserID?, isSubjectHeld: Bool
    ) throws -> MemberFacts {
        let row = try row(StateQueries.roles, [thread.text, requester.text, subject?.text])
        // Also for a thread that does not exist, so that the same statements run for a hidden one.
        let sanctions = try subject.map { try self.sanctions(of: $0, in: thread) } ?? Sanctions.none
        let roles = try row.map { row in
            MemberRoles(
                thread: try row.threadInfo(0), requester: try row.optionalRole(4), subject: try row.optionalRole(5),
                restrictions: Restrictions(isRemoved: row[6], isReadOnly: row[7]),
                sanctions: sanctions,
                history: try RoomHistory(stored: row[8]), start: row.historyStart(9),
                options: try row.options(10), isBlocked: row[11])
        }
        return MemberFacts(
            roles: roles ?? MemberRoles(thread: nil, requester: nil, subject: nil),
            isSubjectPresent: try isSubjectHeld && subject.map(isPresent) ?? false)
    }

    private func sanctions(of user: UserID, in thread: ThreadID) throws -> Sanctions {
        try rows(SanctionQueries.ofUser, [thread.text, user.text]).reduce(into: .none) { sanctions, row in
            if let sanction = try row.optionalSanction(0) { sanctions[sanction.kind] = sanction }
        }
    }

    package func room(_ new: NewRoom, for user: UserID, at milliseconds: Int64) throws -> RoomFacts {
        let own = try SQLiteStore.memberships(of: user, inRoomsTitled: new.title, in: db)
        let found = StateRules.entered(own, or: try SQLiteStore.publicRoom(titled: new.title, in: db))
        let room = try found ?? SQLiteStore.create(new, at: milliseconds, in: db)
        let roles = try members(of: room.id, requester: user, subject: user, isSubjectHeld: true)
        return RoomFacts(
            room: room, isNew: found == nil, isUserPresent: roles.isSubjectPresent, role: roles.roles.subject,
            restrictions: roles.roles.restrictions, sanctions: roles.roles.sanctions, history: roles.roles.history,
            start: roles.roles.start, options: roles.roles.options)
    }

    package func details(of thread: ThreadID) throws -> RoomDetails {
        try row(StateQueries.details, [thread.text])?.details(0) ?? RoomDetails()
    }

    package func deletion(of thread: ThreadID) throws -> DeletionFacts {
        let members = try rows(StateQueries.membersOfThread, [thread.text]).map { UserID(trusted: $0[0]) }
        return DeletionFacts(members: members, epoch: try row(StateQueries.epoch, [thread.text]).map { $0[0] } ?? "")
    }

    // MARK: Facts of an erasure

    package func erasure(of user: UserID) throws -> (isKnown: Bool, memberships: [HeldMembership]) {
        (try row(AccountQueries.userByID, [user.text]) != nil, try memberships(of: user))
    }

    package func memberships(of user: UserID) throws -> [HeldMembership] {
        try rows(StateQueries.threadsOfMember, [user.text]).map { row in
            HeldMembership(thread: ThreadID(trusted: row[0]), kind: try ThreadInfo.Kind(stored: row[1]))
        }
    }

    package func sentMessages(
        of user: UserID, withClientIDAfter clientID: String?, limit: Int
    ) throws -> [SentMessage] {
        try rows(AccountQueries.sentWithClientID, [user.text, clientID ?? "", limit]).map { SentMessage(row: $0) }
    }

    package func sentMessages(
        of user: UserID, withoutClientIDAfter last: SentMessage?, limit: Int
    ) throws -> [SentMessage] {
        try rows(AccountQueries.sentWithoutClientID, [user.text, last?.thread.text ?? "", last?.seq ?? 0, limit])
            .map { SentMessage(row: $0) }
    }

    package func clientIDs(of user: UserID, limit: Int) throws -> [String] {
        let first = try sentMessages(of: user, withClientIDAfter: nil, limit: limit).compactMap(\.clientID)
        let later: [String] = try rows(AccountQueries.laterClientIDs, [user.text, limit]).map { $0[0] }
        return Set(first + later).sorted()
    }

    package func threads(among threads: [ThreadID], withEntry content: OutboxEntry.Content) throws -> Set<ThreadID> {
        let arguments: StatementArguments = [
            SQLiteStore.json(threads.map(\.text)), content.stored.kind, content.stored.payload,
        ]
        return Set(try rows(StateQueries.threadsWithOutboxEntry, arguments).map { ThreadID(trusted: $0[0]) })
    }

    package func renameEvents(of user: UserID, to name: String, limit: Int) throws -> [ThreadID] {
        try rows(AccountQueries.eraseNames, [name, user.text, limit]).map { ThreadID(trusted: $0[0]) }
    }

    package func eraseReactions(of user: UserID, limit: Int) throws -> [ThreadID] {
        try rows(AccountQueries.reactionsOfUser, [user.text, limit]).map { row in
            let (thread, seq, message, emoji): (String, Int64, Int64, String) = (row[0], row[1], row[2], row[3])
            try run(WriteQueries.unreact, [thread, message, emoji, user.text])
            try run(AccountQueries.eraseReaction, [thread, seq])
            return ThreadID(trusted: thread)
        }
    }

    package func forgetClientIDs(_ clientIDs: [String], of user: UserID) throws {
        for clientID in clientIDs {
            for sql in [
                AccountQueries.forgetClientID, AccountQueries.forgetLaterClientID, AccountQueries.deleteLaterSends,
            ] {
                try run(sql, [user.text, clientID])
            }
        }
    }
}

extension SentMessage {
    /// - Parameter row: a row that `AccountQueries.sentWithClientID` returns.
    fileprivate init(row: Row) {
        self.init(
            thread: ThreadID(trusted: row[0]), seq: row[1], id: MessageID(trusted: row[2]), clientID: row[4],
            isErased: row[3])
    }
}
