import ParleyModel
import ParleyStorage

/// Executes import records in one transaction of three round trips. One round trip inserts the records, and two
/// determine the reasons for which records were not inserted.
struct Importer {
    private let connection: PostgresConnection
    private let records: [ImportRecord]
    private let origin: AccountOrigin
    /// The party that the audit log names for created users; `nil` for no rows.
    private let actor: AuditActor?
    private let nameLook: NameLook.Rule
    private let now: Int64
    /// The rows that were inserted for each record, at most one; `nil` for a record that was not sent.
    private var insertions: [[AdministrationQueries.Inserted]?] = []

    static func run(
        _ records: [ImportRecord], origin: AccountOrigin, by actor: AuditActor?, on connection: PostgresConnection,
        at milliseconds: Int64, nameLook: @escaping NameLook.Rule
    ) throws -> [ImportOutcome] {
        guard !records.isEmpty else { return [] }
        var importer = Importer(
            connection: connection, records: records, origin: origin, actor: actor, nameLook: nameLook, at: milliseconds
        )
        try importer.insert()
        return try importer.outcomes()
    }

    private init(
        connection: PostgresConnection, records: [ImportRecord], origin: AccountOrigin, actor: AuditActor?,
        nameLook: @escaping NameLook.Rule, at now: Int64
    ) {
        self.connection = connection
        self.now = now
        self.records = records
        self.origin = origin
        self.actor = actor
        self.nameLook = nameLook
    }

    // MARK: Inserting

    private mutating func insert() throws {
        let threads = records.compactMap { if case .member(let thread, _, _) = $0 { thread.text } else { nil } }
        let calls = records.map { $0.isStorable ? call($0) : nil }
        var pipeline = Pipeline(
            Statement.begin(), AdministrationQueries.lock(), Locks.stateOfThreads(.texts(threads)),
            AdministrationQueries.cursorsOfThreads(.texts(threads)))
        let tokens = calls.map { $0.map { pipeline.add($0) } }
        let replies = try connection.run(pipeline)
        insertions = try tokens.map { token in try token.map { try replies.all($0) } }
    }

    private func call(_ record: ImportRecord) -> TypedCall<AdministrationQueries.Inserted> {
        switch record {
        case .user(let user, let hash):
            let look = nameLook(user.name)
            return AdministrationQueries.insertUser(
                .text(user.id.text), .text(user.name), .text(hash), .text(origin.rawValue), .int(now),
                .text(look.keys.first), .text(look.keys.dropFirst().first))
        case .room(let id, let title, let visibility, let history):
            return AdministrationQueries.insertRoom(
                .text(id.text), .text(title), .int(now), .text(visibility.rawValue), .text(history.rawValue))
        case .member(let thread, let user, let role):
            return AdministrationQueries.insertMember(
                .text(thread.text), .text(user.id?.text), .text(role?.rawValue), .int(now), .text(user.name))
        }
    }

    /// The rows of the audit log for the users that were inserted.
    private var created: [AuditNote] {
        guard let actor else { return [] }
        return zip(records, insertions).compactMap { record, inserted in
            guard case .user(let user, _) = record, inserted?.isEmpty == false else { return nil }
            return AuditRules.accountCreated(user.id, by: actor)
        }
    }

    // MARK: Explaining

    /// The existing rows, read after the insertions.
    private struct Facts {
        var usersByID: [String: User] = [:]
        /// Keyed by the bytes of the name, since texts that differ in bytes can be equal as Swift strings.
        var usersByName: [[UInt8]: User] = [:]
        var threads: [ThreadID: ThreadInfo] = [:]
        var roles: [Member: String] = [:]
        var restrictions: [Member: Restrictions] = [:]
        var banned: Set<Member> = []

        func user(_ reference: UserReference) -> User? {
            if let id = reference.id, let user = usersByID[id.text] { return user }
            return reference.name.flatMap { usersByName[Array($0.utf8)] }
        }
    }

    private struct Member: Hashable {
        var thread: String
        var user: String
    }

    private func outcomes() throws -> [ImportOutcome] {
        let facts = try facts()
        return try zip(records, insertions).map { record, inserted in
            guard let inserted else {
                if case .member = record { return .refused(.unknownUser) }
                return .refused(.unstorable)
            }
            switch record {
            case .user(let user, _):
                if !inserted.isEmpty { return .added }
                guard let known = facts.usersByID[user.id.text] else { return .refused(.nameTaken) }
                return known.name.utf8.elementsEqual(user.name.utf8) ? .unchanged : .refused(.idTaken)
            case .room(let id, let title, _, _):
                if !inserted.isEmpty { return .added }
                guard let known = facts.threads[id] else { return .refused(.nameTaken) }
                let isSame = known.kind == .room && known.title.utf8.elementsEqual(title.utf8)
                return isSame ? .unchanged : .refused(.idTaken)
            case .member(let thread, let reference, let role):
                return try outcome(thread, reference, role, joined: inserted.first, facts)
            }
        }
    }

    private func outcome(
        _ id: ThreadID, _ reference: UserReference, _ role: Membership.Role?, joined: AdministrationQueries.Inserted?,
        _ facts: Facts
    ) throws -> ImportOutcome {
        guard let thread = facts.threads[id] else { return .refused(.unknownThread) }
        guard let user = facts.user(reference) else { return .refused(.unknownUser) }
        if case .member(let role, let readSeq, let start) = joined {
            return .joined(user, Membership(thread: thread, role: role, start: start), after: readSeq)
        }
        guard thread.kind != .direct else { return .refused(.directThread) }
        let member = Member(thread: id.text, user: user.id.text)
        guard let known = facts.roles[member] else {
            if facts.banned.contains(member) { return .refused(.banned) }
            // Without restrictions either, a later record created the thread or the user.
            guard let restrictions = facts.restrictions[member] else { return .refused(.unknownUser) }
            return .refused(restrictions.isRemoved ? .removed : .otherRole)
        }
        return role == nil || role?.rawValue == known ? .unchanged : .refused(.otherRole)
    }

    /// Reads the existing rows and ends the transaction.
    private func facts() throws -> Facts {
        var (ids, names, threads): ([String], [String], [String]) = ([], [], [])
        for record in records where record.isStorable {
            switch record {
            case .user(let user, _): ids.append(user.id.text)
            case .room(let id, _, _, _): threads.append(id.text)
            case .member(let thread, let user, _):
                threads.append(thread.text)
                if let id = user.id { ids.append(id.text) }
                if let name = user.name { names.append(name) }
            }
        }
        var pipeline = Pipeline()
        let usersByID = pipeline.add(AccountQueries.usersByID(.texts(ids))) { try $0.user(0) }
        let usersByName = pipeline.add(AccountQueries.usersByName(.texts(names))) { try $0.user(0) }
        let threadsByID = pipeline.add(AccountQueries.threadsByID(.texts(threads))) { try $0.threadInfo(0) }
        let found = try connection.run(pipeline)
        var facts = Facts()
        for user in try found.all(usersByID) { facts.usersByID[user.id.text] = user }
        for user in try found.all(usersByName) { facts.usersByName[Array(user.name.utf8)] = user }
        for info in try found.all(threadsByID) { facts.threads[info.id] = info }
        let members = records.compactMap { record -> Member? in
            guard case .member(let thread, let reference, _) = record else { return nil }
            return facts.user(reference).map { Member(thread: thread.text, user: $0.id.text) }
        }
        let (wantedThreads, wantedUsers) = (
            Parameter.texts(members.map(\.thread)), Parameter.texts(members.map(\.user))
        )
        pipeline = Pipeline()
        let roles = pipeline.add(AdministrationQueries.roles(wantedThreads, wantedUsers)) { row in
            (member: Member(thread: try row.text(0), user: try row.text(1)), role: try row.text(2))
        }
        let restrictions = pipeline.add(AdministrationQueries.restrictions(wantedThreads, wantedUsers)) { row in
            (member: Member(thread: try row.text(0), user: try row.text(1)), kind: try row.text(2))
        }
        let bans = pipeline.add(AdministrationQueries.bans(wantedThreads, wantedUsers, .int(now))) { row in
            Member(thread: try row.text(0), user: try row.text(1))
        }
        for note in created { pipeline.add(AuditQueries.insertion(of: note, at: now)) }
        pipeline.add(Statement.commit())
        let known = try connection.run(pipeline)
        facts.banned = Set(try known.all(bans))
        for (member, role) in try known.all(roles) { facts.roles[member] = role }
        for (member, kind) in try known.all(restrictions) {
            switch Restrictions.Kind(rawValue: kind) {
            case .removed: facts.restrictions[member, default: .none].isRemoved = true
            case .readOnly: facts.restrictions[member, default: .none].isReadOnly = true
            // A kind of restriction that a newer version added; it does not prevent the insertion.
            case nil: break
            }
        }
        return facts
    }
}

extension ImportRecord {
    /// PostgreSQL's type `text` cannot contain a NUL character.
    fileprivate var isStorable: Bool {
        switch self {
        case .user(let user, let hash): !user.name.utf8.contains(0) && !(hash ?? "").utf8.contains(0)
        case .room(_, let title, _, _): !title.utf8.contains(0)
        case .member(_, let user, _): !(user.name ?? "").utf8.contains(0)
        }
    }
}
