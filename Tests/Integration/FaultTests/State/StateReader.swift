import ParleyTestServers
import ParleyTestSupport

/// Reads from a cluster that is quiet again what `StateChecker` compares.
struct StateReader {
    let cluster: Cluster
    let model: StateModel

    /// Waits until nothing is on its way any more: no outbox entry, nothing that is not stored.
    func waitUntilQuiet(within limit: Duration = .seconds(60)) async throws {
        _ = try await eventually(within: limit) {
            guard try await outbox() == 0 else { return false }
            let keys = try await cluster.redis.cli("--scan", "--pattern", "parley:*:ingest").split(separator: "\n")
            for key in keys where try await cluster.redis.cli("XLEN", String(key)) != "0" { return false }
            return true
        }
    }

    private func outbox() async throws -> Int {
        try await cluster.rows("SELECT count(*) FROM outbox").first.flatMap { Int($0) } ?? -1
    }

    /// - Parameter old: sockets that were open before the last fault, by user.
    func facts(old: [(user: String, socket: TestSocket)]) async throws -> StateFacts {
        var facts = StateFacts()
        for room in model.rooms { facts.threads[room] = try await thread(room, isGroup: false) }
        let groups = try await cluster.rows("SELECT id FROM threads WHERE kind = 'group' ORDER BY id")
        for group in groups { facts.threads[group] = try await thread(group, isGroup: true) }
        for row in try await cluster.rows("SELECT user_id, blocked_id FROM blocks") {
            let parts = row.split(separator: "|").map(String.init)
            if parts.count == 2 { facts.blocks.insert(StateFacts.Block(user: parts[0], other: parts[1])) }
        }
        for (id, users) in model.directs {
            let isBlocked = facts.blocks.contains { users == [$0.user, $0.other] }
            facts.directs[id] = StateFacts.Direct(users: users, isBlocked: isBlocked)
        }
        (facts.answered, facts.answeredInvitations) = (model.answered, model.answeredInvitations)
        facts.answeredBlocks = model.answeredBlocks
        let tried = model.rooms + facts.directs.keys.sorted() + groups.prefix(Self.groupsTried)
        facts.outbox = try await outbox()
        for (user, socket) in old {
            facts.sockets.append(
                StateFacts.Socket(
                    user: user, isOld: true, rights: try await rights(of: socket, in: tried, firstRef: 1000)))
        }
        for (index, user) in model.living.enumerated() {
            let gateway = cluster.gateways[index % cluster.gateways.count]
            let socket = try await Self.socket(of: user, at: gateway)
            facts.sockets.append(
                StateFacts.Socket(
                    user: user, isOld: false, rights: try await rights(of: socket, in: tried, firstRef: 1)))
            await socket.drop()
        }
        for gateway in cluster.gateways {
            for session in model.voidSessions.suffix(20) {
                let opening = try await TestSocket.open(
                    port: gateway.port, path: "/v1/socket", headers: [("Authorization", "Bearer \(session)")],
                    subprotocols: ["parley.v1"])
                if opening.status != 401 { facts.voidButTaken.append("\(session): \(opening.status)") }
            }
            for user in model.erased {
                let opening = try await TestSocket.open(
                    port: gateway.port, path: "/v1/socket", headers: StateWorker.headers(of: user),
                    subprotocols: ["parley.v1"])
                if opening.status != 401 { facts.voidButTaken.append("\(user): \(opening.status)") }
            }
        }
        return facts
    }

    static func socket(of user: String, at gateway: ParleyProcess) async throws -> TestSocket {
        let socket = try await TestSocket.connect(
            port: gateway.port, path: "/v1/socket", headers: StateWorker.headers(of: user), subprotocols: ["parley.v1"])
        _ = try await socket.nextJSON { $0["type"]?.string == "hello" }
        return socket
    }

    // MARK: Threads

    /// The groups in which every socket is tried.
    private static let groupsTried = 8

    private func thread(_ id: String, isGroup: Bool) async throws -> StateFacts.Thread {
        var log: [JSONValue] = []
        var hasMore = true
        while hasMore {
            let after = log.last?["seq"]?.int ?? 0
            let page = try await cluster.rest().get("/v1/threads/\(id)/events?after_seq=\(after)&limit=1000").json()
            log += page["events"]?.array ?? []
            hasMore = page["has_more"]?.bool ?? false
        }
        var members: [String: String] = [:]
        for row in try await cluster.rows("SELECT user_id, role FROM members WHERE thread_id = '\(id)'") {
            let parts = row.split(separator: "|").map(String.init)
            if parts.count == 2 { members[parts[0]] = parts[1] }
        }
        let mutes = try await cluster.rows(
            "SELECT user_id FROM sanctions WHERE thread_id = '\(id)' AND kind = 'mute'")
        let invited = try await cluster.rows("SELECT user_id FROM invitations WHERE thread_id = '\(id)'")
        let row = try await cluster.rows("SELECT visibility, title FROM threads WHERE id = '\(id)'").first ?? "|"
        let columns = row.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return StateFacts.Thread(
            imported: model.imported[id] ?? [:], importedTitle: isGroup ? "" : StateModel.title(of: id),
            importedVisibility: isGroup ? "private" : StateModel.visibility, log: log.map(Self.event),
            // The boss is no member of groups.
            window: isGroup ? [] : try await window(id).map(Self.event), members: members,
            title: columns.last ?? "", visibility: columns.first ?? "", mutes: Set(mutes), isGroup: isGroup,
            invited: Set(invited))
    }

    /// The end of the log, as a socket of the room's owner gets it.
    private func window(_ id: String) async throws -> [JSONValue] {
        let socket = try await Self.socket(of: StateModel.boss, at: cluster.gateways[0])
        try await socket.send(json: ["history": ["id": .string(id), "limit": 200], "ref": 1])
        let page = try await socket.nextJSON { $0["ref"]?.int == 1 }
        await socket.drop()
        return page["events"]?.array ?? []
    }

    private static func event(_ json: JSONValue) -> StateFacts.Event {
        let user = json["user_id"]?.string ?? ""
        let change: StateFacts.Event.Change =
            switch json["type"]?.string {
            case "joined": .joined(user: user)
            case "left": .left(user: user)
            case "role": .role(user: user, json["role"]?.string ?? "")
            case "renamed": .renamed(title: json["title"]?.string ?? "")
            case "visibility": .visibility(json["visibility"]?.string ?? "")
            default: .other
            }
        return StateFacts.Event(seq: json["seq"]?.int ?? 0, epoch: json["epoch"]?.string ?? "", change: change)
    }

    // MARK: Rights

    /// `typing` needs the right to write and changes nothing; a user who may only read gets an error.
    private func rights(
        of socket: TestSocket, in threads: [String], firstRef: Int
    ) async throws -> [String: StateFacts.Right] {
        var rights: [String: StateFacts.Right] = [:]
        for (index, room) in threads.enumerated() {
            let ref = firstRef + index
            try await socket.send(json: ["typing": ["id": .string(room), "on": false], "ref": .int(ref)])
            let response = try await socket.nextJSON { $0["ref"]?.int == ref }
            switch response["code"]?.string {
            case nil: rights[room] = .write
            case "forbidden": rights[room] = .read
            case "not_a_member": rights[room] = StateFacts.Right.none
            case "not_found": rights[room] = .hidden
            default:
                throw TestUser.Unexpected(
                    call: "typing", reply: HTTPReply(status: 0, headers: [], body: Array(response.text.utf8)))
            }
        }
        return rights
    }
}
