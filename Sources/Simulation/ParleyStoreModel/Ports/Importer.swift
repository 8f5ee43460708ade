import ParleyModel
import ParleyStorage

/// Executes import records: first all are inserted, then what is there explains why some were not.
struct Importer {
    /// The rows that a record has inserted; `nil` for a record that cannot be stored.
    private enum Insertion {
        case user, room
        case member(Membership.Role, readSeq: Int64)
        case nothing
    }

    static func run(
        _ records: [ImportRecord], origin: AccountOrigin, on tables: inout Tables, at milliseconds: Int64,
        _ nameLook: NameLook.Rule
    ) throws -> [ImportOutcome] {
        // Before the first change.
        for case .room(let id, _, _, _) in records { try tables.checkRemains(of: id) }
        let insertions = records.map { record in
            record.isStorable ? insert(record, origin, &tables, at: milliseconds, nameLook) : nil
        }
        return zip(records, insertions).map { outcome(of: $0, $1, tables, at: milliseconds) }
    }

    // MARK: Inserting

    private static func insert(
        _ record: ImportRecord, _ origin: AccountOrigin, _ tables: inout Tables, at now: Int64,
        _ nameLook: NameLook.Rule
    ) -> Insertion {
        switch record {
        case .user(let user, let hash):
            return tables.insertUser(UserRow(user, hash, origin, nameLook(user.name))) ? .user : .nothing
        case .room(let id, let title, let visibility, let history):
            let room = NewRoom(id: id, title: title, visibility: visibility, history: history)
            return tables.insertThread(ThreadRow(room)) ? .room : .nothing
        case .member(let thread, let reference, let role):
            return insert(reference, role, to: thread, &tables, at: now)
        }
    }

    /// Finds the user by the id, otherwise by the name, unless the id belongs to an erased user.
    private static func insert(
        _ reference: UserReference, _ role: Membership.Role?, to id: ThreadID, _ tables: inout Tables, at now: Int64
    ) -> Insertion {
        let row =
            reference.id.flatMap { tables.users[$0] } ?? reference.name.flatMap { tables.user(named: $0) }
        guard let thread = tables.threads[id], thread.kind != .direct, let user = row, user.isPresent else {
            return .nothing
        }
        let restrictions = tables.restrictions[MemberPlace(user: user.id, thread: id)] ?? .none
        guard restrictions.violation(joiningAs: role) == nil, !tables.isBanned(user.id, from: id, at: now) else {
            return .nothing
        }
        let role = restrictions.role(given: role)
        guard tables.insertMember(user.id, of: id, role, at: now) else { return .nothing }
        // No `joined` event follows, so the log begins after what is stored.
        if thread.history == .sinceJoining { tables.setStart(thread.headSeq + 1, of: user.id, in: id) }
        return .member(role, readSeq: thread.headSeq)
    }

    // MARK: Explaining

    private static func outcome(
        of record: ImportRecord, _ insertion: Insertion?, _ tables: Tables, at now: Int64
    ) -> ImportOutcome {
        guard let insertion else {
            if case .member = record { return .refused(.unknownUser) }
            return .refused(.unstorable)
        }
        switch (record, insertion) {
        case (.user, .user), (.room, .room): return .added
        case (.user(let user, _), _):
            guard let known = tables.users[user.id], known.isPresent else { return .refused(.nameTaken) }
            return ByteText(known.name) == ByteText(user.name) ? .unchanged : .refused(.idTaken)
        case (.room(let id, let title, _, _), _):
            guard let known = tables.threads[id] else { return .refused(.nameTaken) }
            return known.title.map(ByteText.init) == ByteText(title) ? .unchanged : .refused(.idTaken)
        case (.member(let thread, let reference, let role), _):
            return outcome(thread, reference, role, insertion, tables, at: now)
        }
    }

    private static func outcome(
        _ id: ThreadID, _ reference: UserReference, _ role: Membership.Role?, _ insertion: Insertion,
        _ tables: Tables, at now: Int64
    ) -> ImportOutcome {
        guard let thread = tables.threads[id] else { return .refused(.unknownThread) }
        let candidates = [
            reference.id.flatMap { tables.users[$0] }, reference.name.flatMap { tables.user(named: $0) },
        ]
        guard let user = candidates.compactMap({ $0 }).first(where: \.isPresent)?.user else {
            return .refused(.unknownUser)
        }
        if case .member(let role, let readSeq) = insertion {
            let start = HistoryStart(stored: tables.member(user.id, of: id)?.visibleFrom ?? 0)
            return .joined(user, Membership(thread: tables.info(of: thread), role: role, start: start), after: readSeq)
        }
        guard thread.kind != .direct else { return .refused(.directThread) }
        guard let known = tables.member(user.id, of: id)?.role else {
            if tables.isBanned(user.id, from: id, at: now) { return .refused(.banned) }
            // Without any, the thread or the user was created by a later record.
            guard let restrictions = tables.restrictions[MemberPlace(user: user.id, thread: id)] else {
                return .refused(.unknownUser)
            }
            return .refused(restrictions.isRemoved ? .removed : .otherRole)
        }
        return role == nil || role == known ? .unchanged : .refused(.otherRole)
    }
}

extension ImportRecord {
    /// PostgreSQL's text type has no NUL.
    fileprivate var isStorable: Bool {
        switch self {
        case .user(let user, let hash): !user.name.utf8.contains(0) && !(hash ?? "").utf8.contains(0)
        case .room(_, let title, _, _): !title.utf8.contains(0)
        case .member(_, let user, _): !(user.name ?? "").utf8.contains(0)
        }
    }
}
