import Logging
import ParleyAccounts
import ParleyModel

/// What operators do to users, threads and nodes. Every deed is a line in the log.
struct Administration: Sendable {
    private let services: RESTServices
    private let cluster: Cluster
    private let changer: ThreadChanger

    init(_ services: RESTServices, _ cluster: Cluster) {
        self.services = services
        self.cluster = cluster
        changer = ThreadChanger(services)
    }

    /// Makes a user; the same one again changes nothing.
    func makeUser(_ fields: Fields) async throws -> (user: User, isNew: Bool) {
        let account = try NewAccount(
            name: fields.text("username"), id: fields.textIfPresent("id"), clock: services.clock)
        let password = try fields.textIfPresent("password").flatMap { $0.isEmpty ? nil : $0 }
        var hash: String?
        if let password { hash = try await services.login.hash(password) }
        switch try await importOne(.user(account.user, passwordHash: hash)) {
        case .added:
            services.directory.forget(user: account.user)
            return (account.user, true)
        case .refused(.nameTaken): throw APIError(.conflict, "the username is taken")
        case .refused(.idTaken): throw APIError(.conflict, "the id is another user's")
        case .refused(.unstorable): throw APIError.badRequest("the username cannot be stored")
        default: return (account.user, false)
        }
    }

    /// Makes a room without members; the same one again changes nothing.
    func makeRoom(_ fields: Fields) async throws -> (room: ThreadInfo, isNew: Bool) {
        let title = try RoomTitle(fields.text("title"))
        let wanted = try fields.textIfPresent("id").flatMap { $0.isEmpty ? nil : $0 }
        let id = try wanted.map { text throws(APIError) in
            guard let id = ThreadID(text) else {
                throw .badRequest("id is not allowed; allowed are 1 to 90 of A-Z a-z 0-9 . _ -")
            }
            if let flaw = ThreadInfo.flaw(inRoomID: id) { throw .badRequest(flaw) }
            return id
        }
        let room = ThreadInfo(id: id ?? ThreadID(UUIDv7(services.clock)), kind: .room, title: title.text)
        switch try await importOne(.room(id: room.id, title: room.title)) {
        case .added:
            services.directory.forget(thread: room)
            return (room, true)
        case .refused(.nameTaken): throw APIError(.conflict, "another room has this title")
        case .refused(.idTaken): throw APIError(.conflict, "the id is another thread's")
        case .refused(.unstorable): throw APIError.badRequest("the title cannot be stored")
        default: return (room, false)
        }
    }

    private func importOne(_ record: ImportRecord) async throws -> ImportOutcome {
        try await services.accounts.importRecords([record], at: services.clock.milliseconds).first ?? .unchanged
    }

    /// Makes a user a member, or gives a member another role.
    func put(
        _ user: User, in thread: ThreadInfo, as role: Membership.Role?, by asker: Operator
    ) async throws -> (role: Membership.Role, isNew: Bool) {
        guard thread.kind == .room else { throw RightsFlaw.directThread }
        return try await changer.put(user, in: thread, as: role, by: nil, asker.author(for: user))
    }

    func remove(_ user: User, from thread: ThreadInfo, by asker: Operator) async throws {
        guard thread.kind == .room else { throw RightsFlaw.directThread }
        try await changer.remove(user, from: thread, by: asker.author(for: user))
    }

    /// Ends all sessions of a user, and closes their sockets, whatever they got in by, with 4001.
    func endSessions(of user: User) async throws -> JSON {
        // The store first: who is thrown out must not come back by the same cookie.
        let ended = try await services.accounts.revokeSessions(of: user.id, except: nil)
        await services.login.announce(ended, of: user.id)
        let nodes = await cluster.nodes().nodes.filter(\.hasSockets)
        let (_, silent) = await cluster.ask(.closeSockets(user.id), of: nodes)
        return .object([
            ("sessions", .integer(Int64(ended.count))), ("silent_nodes", .array(silent.map { .string($0.name) })),
        ])
    }

    /// Sends a node away as SIGTERM does.
    /// - Parameter text: its name, or its instance.
    func drain(_ text: String) async throws -> JSON {
        let (nodes, trouble) = await cluster.nodes()
        let meant = nodes.filter { $0.instance == text || $0.name == text }
        guard let node = meant.first else {
            if let trouble {
                var error = APIError(.unavailable, "the nodes are not known at the moment")
                error.detail = trouble
                throw error
            }
            throw APIError(.notFound, "no such node")
        }
        guard meant.count == 1 else {
            let instances = meant.map(\.instance).joined(separator: ", ")
            throw APIError(.conflict, "several nodes have this name; say which instance: \(instances)")
        }
        guard await cluster.ask(.drain, of: [node]).silent.isEmpty else {
            throw APIError(.unavailable, "the node has not answered in time")
        }
        return .object([("node", .string(node.name)), ("instance", .string(node.instance)), ("draining", .bool(true))])
    }
}
