import GRDB
import ParleyModel
import ParleyStorage

/// Executes import records inside a transaction. SQLite allows one writer at a time, so rows that were read remain
/// valid.
struct Importer {
    let db: Database
    /// The origin of the users that are created.
    let origin: AccountOrigin
    /// The party that the audit log names for created users; `nil` for no rows.
    let actor: AuditActor?
    /// The current time in Unix milliseconds.
    let now: Int64
    let nameLook: NameLook.Rule

    func add(_ record: ImportRecord) throws -> ImportOutcome {
        switch record {
        case .user(let user, let passwordHash): try add(user, passwordHash)
        case .room(let id, let title, let visibility, let history):
            try add(NewRoom(id: id, title: title, visibility: visibility, history: history))
        case .member(let thread, let user, let role): try add(user, to: thread, as: role)
        }
    }

    private func add(_ user: User, _ passwordHash: String?) throws -> ImportOutcome {
        // SQLite would truncate the text at a NUL character, so that different names could become equal.
        guard !user.name.utf8.contains(0), !(passwordHash ?? "").utf8.contains(0) else { return .refused(.unstorable) }
        if let known = try self.user(AccountQueries.userByID, user.id.text) {
            return known.name.utf8.elementsEqual(user.name.utf8) ? .unchanged : .refused(.idTaken)
        }
        guard try self.user(AccountQueries.userByName, user.name) == nil else { return .refused(.nameTaken) }
        let look = nameLook(user.name)
        try db.run(
            AccountQueries.insertUser,
            [
                user.id.text, user.name, passwordHash, origin.rawValue, now, look.keys.first,
                look.keys.dropFirst().first,
            ])
        if let actor { try SQLiteStore.insert(AuditRules.accountCreated(user.id, by: actor), at: now, in: db) }
        return .added
    }

    private func add(_ room: NewRoom) throws -> ImportOutcome {
        guard !room.title.utf8.contains(0) else { return .refused(.unstorable) }
        if let known = try thread(room.id) {
            let isSame = known.info.kind == .room && known.info.title.utf8.elementsEqual(room.title.utf8)
            return isSame ? .unchanged : .refused(.idTaken)
        }
        if room.visibility == .public {
            guard try SQLiteStore.publicRoom(titled: room.title, in: db) == nil else { return .refused(.nameTaken) }
        }
        _ = try SQLiteStore.create(room, at: now, in: db)
        return .added
    }

    private func add(_ reference: UserReference, to id: ThreadID, as role: Membership.Role?) throws -> ImportOutcome {
        guard let thread = try thread(id) else { return .refused(.unknownThread) }
        guard let user = try user(reference), user != .erased(user.id) else { return .refused(.unknownUser) }
        guard thread.info.kind != .direct else { return .refused(.directThread) }
        let known = try String.fetchOne(
            db.cachedStatement(sql: AccountQueries.role), arguments: [id.text, user.id.text])
        if let known {
            return role == nil || role?.rawValue == known ? .unchanged : .refused(.otherRole)
        }
        let isBanned = try db.all(SanctionQueries.ofUser, [id.text, user.id.text]) { try $0.optionalSanction(0) }
            .contains { $0?.kind == .ban && $0?.isInForce(at: now) == true }
        if isBanned { return .refused(.banned) }
        let kinds = try String.fetchSet(
            db.cachedStatement(sql: AccountQueries.restrictions), arguments: [id.text, user.id.text])
        let restrictions = Restrictions(
            isRemoved: kinds.contains(Restrictions.Kind.removed.rawValue),
            isReadOnly: kinds.contains(Restrictions.Kind.readOnly.rawValue))
        if let violation = restrictions.violation(joiningAs: role) {
            return .refused(violation == .removed ? .removed : .otherRole)
        }
        let role = restrictions.role(given: role)
        // No `joined` event follows, so the log begins after what is stored.
        let start = thread.history == .all ? 0 : thread.headSeq + 1
        try db.run(
            AccountQueries.insertMember,
            [id.text, user.id.text, role.rawValue, thread.headSeq, thread.headN, now, start])
        return .joined(
            user, Membership(thread: thread.info, role: role, start: HistoryStart(stored: start)),
            after: thread.headSeq)
    }

    private func user(_ reference: UserReference) throws -> User? {
        if let id = reference.id, let user = try user(AccountQueries.userByID, id.text) { return user }
        guard let name = reference.name, !name.utf8.contains(0) else { return nil }
        return try user(AccountQueries.userByName, name)
    }

    private func user(_ sql: String, _ key: String) throws -> User? {
        try db.first(sql, [key]) { User(id: UserID(trusted: $0[0]), name: $0[1]) }
    }

    private func thread(
        _ id: ThreadID
    ) throws -> (info: ThreadInfo, headSeq: Int64, headN: Int64, history: RoomHistory)? {
        try db.first(AccountQueries.threadWithHead, [id.text]) { row in
            (try row.threadInfo(0), row[4], row[5], try RoomHistory(stored: row[6]))
        }
    }
}
