import ParleyModel

/// Executes import records in one transaction of three round trips: one inserts, two determine why records were not
/// inserted.
struct Importer {
    private let connection: PostgresConnection
    private let records: [ImportRecord]
    private let origin: AccountOrigin
    private let nameLook: NameLook.Rule
    /// The reply to each record's insertion; `nil` for a record that was not sent.
    private var replies: [Rows?] = []

    static func run(
        _ records: [ImportRecord], origin: AccountOrigin, on connection: PostgresConnection, at milliseconds: Int64,
        nameLook: @escaping NameLook.Rule
    ) throws -> [ImportOutcome] {
        guard !records.isEmpty else { return [] }
        var importer = Importer(connection: connection, records: records, origin: origin, nameLook: nameLook)
        try importer.insert(at: milliseconds)
        return try importer.outcomes()
    }

    private init(
        connection: PostgresConnection, records: [ImportRecord], origin: AccountOrigin,
        nameLook: @escaping NameLook.Rule
    ) {
        self.connection = connection
        self.records = records
        self.origin = origin
        self.nameLook = nameLook
    }

    // MARK: Inserting

    private mutating func insert(at now: Int64) throws {
        let threads = records.compactMap { if case .member(let thread, _, _) = $0 { thread.text } else { nil } }
        let calls = records.map { $0.isStorable ? call($0, at: now) : nil }
        let before = [
            Statement.begin(), AdministrationQueries.lock(), Locks.stateOfThreads(.texts(threads)),
            AdministrationQueries.cursorsOfThreads(.texts(threads)),
        ]
        var rest = try connection.run(before + calls.compactMap { $0 })[before.count...]
        replies = calls.map { $0 == nil ? nil : rest.popFirst() }
    }

    private func call(_ record: ImportRecord, at now: Int64) -> Call {
        switch record {
        case .user(let user, let hash):
            let look = nameLook(user.name)
            return AdministrationQueries.insertUser(
                .text(user.id.text), .text(user.name), .text(hash), .text(origin.rawValue), .int(now),
                .text(look.keys.first), .text(look.keys.dropFirst().first))
        case .room(let id, let title):
            return AdministrationQueries.insertRoom(.text(id.text), .text(title), .int(now))
        case .member(let thread, let user, let role):
            return AdministrationQueries.insertMember(
                .text(thread.text), .text(user.id?.text), .text(role?.rawValue), .int(now), .text(user.name))
        }
    }

    // MARK: Explaining

    /// The rows that exist after the insertions.
    private struct Facts {
        var usersByID: [String: User] = [:]
        /// By the bytes of the name: texts that differ in bytes can be equal as Swift strings.
        var usersByName: [[UInt8]: User] = [:]
        var threads: [ThreadID: ThreadInfo] = [:]
        var roles: [Member: String] = [:]
        var restrictions: [Member: Restrictions] = [:]

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
        return try zip(records, replies).map { record, reply in
            guard let reply else {
                if case .member = record { return .refused(.unknownUser) }
                return .refused(.unstorable)
            }
            switch record {
            case .user(let user, _):
                if reply.count > 0 { return .added }
                guard let known = facts.usersByID[user.id.text] else { return .refused(.nameTaken) }
                return known.name.utf8.elementsEqual(user.name.utf8) ? .unchanged : .refused(.idTaken)
            case .room(let id, let title):
                if reply.count > 0 { return .added }
                guard let known = facts.threads[id] else { return .refused(.nameTaken) }
                let isSame = known.kind == .room && known.title.utf8.elementsEqual(title.utf8)
                return isSame ? .unchanged : .refused(.idTaken)
            case .member(let thread, let reference, let role):
                return try outcome(thread, reference, role, joined: reply.first, facts)
            }
        }
    }

    private func outcome(
        _ id: ThreadID, _ reference: UserReference, _ role: Membership.Role?, joined: Row?, _ facts: Facts
    ) throws -> ImportOutcome {
        guard let thread = facts.threads[id] else { return .refused(.unknownThread) }
        guard let user = facts.user(reference) else { return .refused(.unknownUser) }
        if let joined {
            let role = try joined.role(1)
            return .joined(user, Membership(thread: thread, role: role), after: try joined.int(0))
        }
        guard thread.kind == .room else { return .refused(.directThread) }
        let member = Member(thread: id.text, user: user.id.text)
        guard let known = facts.roles[member] else {
            // Without any, the thread or the user was created by a later record.
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
            case .room(let id, _): threads.append(id.text)
            case .member(let thread, let user, _):
                threads.append(thread.text)
                if let id = user.id { ids.append(id.text) }
                if let name = user.name { names.append(name) }
            }
        }
        let found = try connection.run([
            AccountQueries.usersByID(.texts(ids)), AccountQueries.usersByName(.texts(names)),
            AccountQueries.threadsByID(.texts(threads)),
        ])
        var facts = Facts()
        for user in try found[0].map({ try $0.user(0) }) { facts.usersByID[user.id.text] = user }
        for user in try found[1].map({ try $0.user(0) }) { facts.usersByName[Array(user.name.utf8)] = user }
        for row in found[2].map({ $0 }) {
            let info = try row.threadInfo(0)
            facts.threads[info.id] = info
        }
        let members = records.compactMap { record -> Member? in
            guard case .member(let thread, let reference, _) = record else { return nil }
            return facts.user(reference).map { Member(thread: thread.text, user: $0.id.text) }
        }
        let (wantedThreads, wantedUsers) = (
            Parameter.texts(members.map(\.thread)), Parameter.texts(members.map(\.user))
        )
        let known = try connection.run([
            AdministrationQueries.roles(wantedThreads, wantedUsers),
            AdministrationQueries.restrictions(wantedThreads, wantedUsers), Statement.commit(),
        ])
        for row in known[0].map({ $0 }) {
            facts.roles[Member(thread: try row.text(0), user: try row.text(1))] = try row.text(2)
        }
        for row in known[1].map({ $0 }) {
            let member = Member(thread: try row.text(0), user: try row.text(1))
            switch Restrictions.Kind(rawValue: try row.text(2)) {
            case .removed: facts.restrictions[member, default: .none].isRemoved = true
            case .readOnly: facts.restrictions[member, default: .none].isReadOnly = true
            // Of a newer version, which lets the insertion pass.
            case nil: break
            }
        }
        return facts
    }
}

extension ImportRecord {
    /// PostgreSQL's text type has no NUL.
    fileprivate var isStorable: Bool {
        switch self {
        case .user(let user, let hash): !user.name.utf8.contains(0) && !(hash ?? "").utf8.contains(0)
        case .room(_, let title): !title.utf8.contains(0)
        case .member(_, let user, _): !(user.name ?? "").utf8.contains(0)
        }
    }
}
