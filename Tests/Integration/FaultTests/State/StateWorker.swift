import ParleyTestServers
import ParleyTestSupport

/// Makes changes as one client after the other, by REST and by sockets, and notes which of them were answered.
struct StateWorker {
    let cluster: Cluster
    let model: StateModel
    /// The users of this worker, whom no other worker touches.
    var users: [String]
    let number: Int
    private var random: SeededGenerator
    private var renames = 0
    private var deletions = 0

    init(_ number: Int, of count: Int, cluster: Cluster, model: StateModel, seed: UInt64) {
        self.number = number
        self.cluster = cluster
        self.model = model
        users = model.users.enumerated().filter { $0.offset % count == number }.map(\.element)
        random = SeededGenerator(seed &+ UInt64(number))
    }

    mutating func run(operations: Int) async {
        for _ in 0..<operations { await step() }
    }

    private mutating func step() async {
        guard let user = users.randomElement(using: &random), let room = model.rooms.randomElement(using: &random)
        else { return }
        let pair = StateModel.Pair(thread: room, user: user)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<22: await join(pair)
        case 22..<30: await joinBySocket(pair)
        case 30..<48: await leave(pair)
        case 48..<54: await giveRole(pair)
        case 54..<59: await mute(pair)
        case 59..<64: await ban(pair)
        case 64..<69: await rename(room)
        case 69..<73: await changeVisibility(of: room)
        case 73..<79: await invite(pair)
        case 79..<84: await answerInvitation(pair)
        case 84..<90: await block(user)
        case 90..<92: await makeGroup(user)
        case 92..<95: await logOut(user)
        case 95..<99: await deleteInCrashingProcess()
        default: await erase(user)
        }
    }

    // MARK: Members

    private mutating func join(_ pair: StateModel.Pair) async {
        let reply = await rest(pair.user, "POST", "/v1/threads/\(pair.thread)/members", ["user": .string(pair.user)])
        // A stranger does not enter a private room, nor a banned user any, and remains one.
        if [403, 404].contains(reply?.status) { return model.count("refused join", isAnswered: true) }
        note("join", reply, [200, 201], pair, .member)
    }

    private mutating func joinBySocket(_ pair: StateModel.Pair) async {
        guard let title = try? await title(of: pair.thread) else { return }
        let response = await command(pair.user, ["join": ["title": .string(title)]])
        // Another worker may have renamed or hidden the room. Then a new one was made of its title.
        guard response?["type"]?.string == "ack", response?["thread_id"]?.string == pair.thread else {
            model.count("join by socket", isAnswered: false)
            model.knowInvitation(pair, nil)
            return model.know(pair, .unknown)
        }
        model.count("join by socket", isAnswered: true)
        model.knowInvitation(pair, false)
        model.know(pair, .member)
    }

    private mutating func leave(_ pair: StateModel.Pair) async {
        let reply = await rest(pair.user, "DELETE", "/v1/threads/\(pair.thread)/members/\(pair.user)")
        note("leave", reply, [204, 403, 404], pair, .stranger)
    }

    private mutating func giveRole(_ pair: StateModel.Pair) async {
        guard let role = ["member", "moderator", "read_only"].randomElement(using: &random) else { return }
        let reply = await rest(
            StateModel.boss, "POST", "/v1/threads/\(pair.thread)/members",
            ["user": .string(pair.user), "role": .string(role)])
        // A banned user remains a stranger.
        if reply?.status == 403 { return model.count("refused role", isAnswered: true) }
        note("role", reply, [200, 201], pair, .member)
    }

    /// Mutes a user for good, or ends the mute.
    private mutating func mute(_ pair: StateModel.Pair) async {
        let path = "/v1/threads/\(pair.thread)/sanctions/\(pair.user)/mute"
        let begins = Bool.random(using: &random)
        let reply = await rest(StateModel.boss, begins ? "PUT" : "DELETE", path, begins ? [:] : nil)
        model.count("mute", isAnswered: reply.map { [200, 204, 404].contains($0.status) } ?? false)
    }

    /// Bans a user for some seconds or for good, or ends the ban.
    private mutating func ban(_ pair: StateModel.Pair) async {
        let path = "/v1/threads/\(pair.thread)/sanctions/\(pair.user)/ban"
        let seconds = Int.random(in: 0..<4, using: &random)
        if Bool.random(using: &random) {
            let reply = await rest(StateModel.boss, "DELETE", path)
            model.count("end of ban", isAnswered: reply.map { [204, 404].contains($0.status) } ?? false)
        } else {
            let reply = await rest(StateModel.boss, "PUT", path, seconds == 0 ? [:] : ["seconds": .int(seconds)])
            note("ban", reply, [200], pair, .stranger)
        }
    }

    private func note(
        _ operation: String, _ reply: HTTPReply?, _ responses: Set<Int>, _ pair: StateModel.Pair,
        _ known: StateModel.Known
    ) {
        let isAnswered = reply.map { responses.contains($0.status) } ?? false
        model.count(operation, isAnswered: isAnswered)
        model.know(pair, isAnswered ? known : .unknown)
        // A membership and a ban end the invitation.
        if operation != "leave" { model.knowInvitation(pair, isAnswered ? false : nil) }
    }

    // MARK: Invitations, groups and blocks

    private mutating func invite(_ pair: StateModel.Pair) async {
        let reply = await rest(
            StateModel.boss, "PUT", "/v1/threads/\(pair.thread)/invitations/\(pair.user)", ["text": "come"])
        switch reply?.status {
        case 200, 201:
            model.count("invitation", isAnswered: true)
            model.knowInvitation(pair, true)
        // A member, a banned user, and the invitation after the limit of a day: nothing changes.
        case 403, 409, 429: model.count("refused invitation", isAnswered: true)
        default:
            model.count("invitation", isAnswered: false)
            model.knowInvitation(pair, nil)
        }
    }

    private mutating func answerInvitation(_ pair: StateModel.Pair) async {
        let path = "/v1/me/invitations/\(pair.thread)"
        if isOneOf(3) {
            let reply = await rest(pair.user, "DELETE", path)
            let isAnswered = [204, 404].contains(reply?.status)
            model.count("declined invitation", isAnswered: isAnswered)
            return model.knowInvitation(pair, isAnswered ? false : nil)
        }
        let reply = await rest(pair.user, "POST", path + "/accept", [:])
        if [403, 404].contains(reply?.status) { return model.count("refused acceptance", isAnswered: true) }
        note("acceptance", reply, [200], pair, .member)
    }

    /// Blocks another user of this worker, or ends the block.
    private mutating func block(_ user: String) async {
        let direct = model.directs.values.first { $0.contains(user) }
        let others = isOneOf(2) ? (direct ?? []).sorted() : users
        guard let other = others.filter({ $0 != user }).randomElement(using: &random) else { return }
        let begins = !isOneOf(3)
        let reply = await rest(user, begins ? "PUT" : "DELETE", "/v1/me/blocks/\(other)", begins ? [:] : nil)
        let isAnswered = [200, 204].contains(reply?.status)
        model.count("block", isAnswered: isAnswered)
        model.knowBlock(of: other, by: user, isAnswered ? begins : nil)
    }

    /// Makes a group with another user of this worker. Whether a group without an answer exists is not known.
    private mutating func makeGroup(_ user: String) async {
        guard let other = users.filter({ $0 != user }).randomElement(using: &random) else { return }
        let reply = await rest(user, "POST", "/v1/threads", ["kind": "group", "members": [.string(other)]])
        // One blocks the other.
        if reply?.status == 403 { return model.count("refused group", isAnswered: true) }
        model.count("group", isAnswered: reply?.status == 201)
        guard reply?.status == 201, let group = try? reply?.json()["id"]?.string else { return }
        for member in [user, other] { model.know(StateModel.Pair(thread: group, user: member), .member) }
    }

    private mutating func isOneOf(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    // MARK: Rooms and accounts

    private mutating func rename(_ room: String) async {
        renames += 1
        let title = "Room \(room) \(number).\(renames)"
        let reply = await rest(StateModel.boss, "PATCH", "/v1/threads/\(room)", ["title": .string(title)])
        model.count("rename", isAnswered: reply?.status == 200)
    }

    private mutating func changeVisibility(of room: String) async {
        // Mostly public, so that most joins succeed.
        let visibility =
            ["public", "public", "public", "unlisted", "private"].randomElement(using: &random) ?? "public"
        let reply = await rest(
            StateModel.boss, "PATCH", "/v1/threads/\(room)", ["visibility": .string(visibility)])
        // A join by socket may have made a public room of the title.
        model.count("visibility", isAnswered: [200, 409].contains(reply?.status))
    }

    private mutating func logOut(_ user: String) async {
        let port = cluster.persisters[Int.random(in: 0..<cluster.persisters.count, using: &random)].port
        guard let session = try? await TestUser.logIn(user, port: port) else { return }
        let isAnswered = (try? await session.logOut()) != nil
        model.count("logout", isAnswered: isAnswered)
        if isAnswered { model.ended(session: session.sessionToken) }
    }

    /// Deletes a room and makes it again under the same id. Rooms of a worker are its own.
    private mutating func deleteInCrashingProcess() async {
        deletions += 1
        let room = "temporary\(number)"
        let lines: [JSONValue] = [
            [
                "thread": [
                    "id": .string(room), "title": .string("Temporary \(number).\(deletions)"), "visibility": "public",
                ]
            ],
            ["member": ["thread": .string(room), "user": .string(StateModel.boss), "role": "owner"]],
        ]
        let client = cluster.rest(persister: Int.random(in: 0..<cluster.persisters.count, using: &random))
        guard (try? await StateModel.run(lines, on: client)) != nil else { return }
        _ = await rest(
            StateModel.boss, "POST", "/v1/threads/\(room)/messages", ["text": "text of \(number).\(deletions)"])
        let reply = await rest(StateModel.boss, "DELETE", "/v1/threads/\(room)")
        model.count("delete", isAnswered: reply?.status == 204)
    }

    /// One in a hundred changes; the last users stay.
    private mutating func erase(_ user: String) async {
        guard users.count > 3 else { return }
        let reply = await rest(user, "DELETE", "/v1/me")
        model.count("erase", isAnswered: reply?.status == 204)
        model.erased(user, isAnswered: reply?.status == 204)
        users.removeAll { $0 == user }
    }

    // MARK: Calls

    /// - Returns: `nil` if no answer came; a node may be dead at the moment.
    private mutating func rest(
        _ user: String, _ method: String, _ path: String, _ json: JSONValue? = nil
    ) async -> HTTPReply? {
        let client = cluster.rest(as: user, persister: Int.random(in: 0..<cluster.persisters.count, using: &random))
        return try? await client.send(
            method, path, headers: json == nil ? [] : [("Content-Type", "application/json")],
            body: json.map { Array($0.text.utf8) } ?? [], within: .patience)
    }

    private func title(of room: String) async throws -> String? {
        try await cluster.rows("SELECT title FROM threads WHERE id = '\(room)'").first
    }

    /// - Returns: the answer; `nil` if none came.
    private mutating func command(_ user: String, _ command: JSONValue) async -> JSONValue? {
        let gateway = cluster.gateways[Int.random(in: 0..<cluster.gateways.count, using: &random)]
        guard case .object(var members) = command,
            let socket = try? await TestSocket.connect(
                port: gateway.port, path: "/v1/socket", headers: Self.headers(of: user), subprotocols: ["parley.v1"])
        else { return nil }
        members["ref"] = 1
        try? await socket.send(json: .object(members))
        let response = try? await socket.nextJSON { $0["ref"]?.int == 1 }
        await socket.drop()
        return response
    }

    static func headers(of user: String) -> HTTPClient.Headers {
        [("Authorization", "Bearer \(Cluster.apiKey)"), ("X-Parley-User", user)]
    }
}
