import Foundation
import ParleyClient
import ParleyJSON

/// The state of a ``FakeChatServer``, as a value: users, threads and sockets, and which requests it refuses.
struct FakeServerState: Sendable {
    /// An answer in place of the right one.
    struct Refusal: Sendable {
        var code: ServerErrorCode
        var retryAfter: Duration?
    }

    struct Account: Sendable {
        var user: ChatUser
        var password: String?
    }

    /// A send that was accepted, by sender and `client_id`.
    struct SendName: Hashable {
        let sender: String
        let clientID: String
    }

    let clock: any ChatClock
    let textLimit: Int

    var accounts: [String: Account] = [:]
    var sessions: [String: String] = [:]
    var rooms: [String: FakeRoom] = [:]
    var sends: [SendName: (thread: String, seq: Int, draft: FakeDraft)] = [:]
    /// The links of all rooms, by code.
    var links: [String: FakeLink] = [:]
    /// The requests to be let into threads, by user and thread. Some may have expired.
    var requests: [String: [String: FakeRequest]] = [:]
    /// The dates of blocks, by the user who blocks and the blocked one.
    var blocks: [String: [String: Int64]] = [:]
    /// The devices by user, the last registered first. The sessions of some may have ended.
    var devices: [String: [FakeDevice]] = [:]
    /// The settings for notifications, by user.
    var notificationSettings: [String: ChatNotificationSettings] = [:]
    var pushServices = ChatPushServices(hasAPNs: true)
    var files: [String: FakeFile] = [:]
    var sockets: [FakeSocket] = []
    /// The watched users of each socket.
    var watched: [ObjectIdentifier: [String]] = [:]
    var lastNumbers: [String: Int] = [:]

    var isOffline = false
    var latency = Duration.zero
    var handshakeRefusal: HandshakeFailure?
    var refusedCommands: [Refusal] = []
    var refusedRequests: [Refusal] = []
    var received: [TransportRequest] = []
    var connectionCount = 0

    init(clock: any ChatClock, textLimit: Int) {
        self.clock = clock
        self.textLimit = textLimit
    }

    var milliseconds: Int64 { clock.date.milliseconds }

    /// Returns the next ID with a prefix, for example `t1`.
    mutating func newID(_ prefix: String) -> String {
        lastNumbers[prefix, default: 0] += 1
        return "\(prefix)\(lastNumbers[prefix] ?? 0)"
    }

    // MARK: Users

    func user(_ id: String) -> ChatUser { accounts[id]?.user ?? ChatUser(id: ChatUser.ID(id), username: id) }

    /// Finds a user by ID or name, which a prefix tells apart.
    func find(_ reference: String) -> ChatUser? {
        if reference.hasPrefix("id:") { return accounts[String(reference.dropFirst(3))]?.user }
        let name = reference.hasPrefix("name:") ? String(reference.dropFirst(5)) : reference
        return accounts[name]?.user ?? accounts.values.first { $0.user.username == name }?.user
    }

    /// Returns the user that the headers of a request authenticate.
    func authenticated(_ headers: [(name: String, value: String)]) -> String? {
        func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
        if let cookie = header("cookie"), cookie.hasPrefix("sessionid=") {
            return sessions[String(cookie.dropFirst(10))]
        }
        guard let authorization = header("authorization") else { return nil }
        if authorization.hasPrefix("Bearer ") {
            let token = String(authorization.dropFirst(7))
            if let user = header("x-parley-user") { return find(user)?.id.rawValue }
            return sessions[token]
        }
        guard let data = Data(base64Encoded: String(authorization.dropFirst(6))) else { return nil }
        let pair = String(decoding: data, as: UTF8.self).split(separator: ":", maxSplits: 1).map(String.init)
        guard pair.count == 2, let user = find("name:\(pair[0])"), accounts[user.id.rawValue]?.password == pair[1]
        else { return nil }
        return user.id.rawValue
    }

    // MARK: Threads

    /// Returns a thread as a member sees it.
    func described(_ room: FakeRoom, for user: String) -> JSONTree {
        room.described(
            for: user, title: title(of: room, for: user), mute: sanction(.mute, of: user, in: room),
            isBlocked: isBlocked(room))
    }

    /// Returns the title that a member sees: a direct thread has the name of the other user, and a group without a title
    /// the names of its first five members.
    func title(of room: FakeRoom, for user: String) -> String {
        switch room.kind {
        case .direct: room.members.keys.first { $0 != user }.map { self.user($0).username } ?? room.title
        case .group where room.title.isEmpty:
            room.members.keys.sorted().prefix(5).map { self.user($0).username }.joined(separator: ", ")
        default: room.title
        }
    }

    func threads(of user: String) -> [JSONTree] {
        rooms.values.filter { $0.members[user] != nil }
            .sorted { ($1.lastActivity, $0.id) < ($0.lastActivity, $1.id) }.map { described($0, for: user) }
    }

    mutating func addRoom(
        _ title: String, kind: ChatThreadKind = .room, visibility: ChatVisibility = .public
    ) -> String {
        let id = newID("t")
        rooms[id] = FakeRoom(id: id, title: title, kind: kind, visibility: visibility)
        return id
    }

    /// Makes a user a member, or does nothing if they are.
    mutating func join(_ user: String, _ thread: String, role: ChatRole, by: String?) {
        guard let room = rooms[thread], room.members[user] == nil else { return }
        endEntrances(of: user, to: thread)
        rooms[thread]?.members[user] = role
        rooms[thread]?.readSeqs[user] = room.head
        if let room = rooms[thread] {
            push(to: user, ["type": .text("thread"), "op": .text("added"), "thread": described(room, for: user)])
        }
        append(.joined(self.user(user)), by: by ?? user, in: thread)
    }

    mutating func leave(_ user: String, _ thread: String, by: String) {
        guard rooms[thread]?.members[user] != nil else { return }
        append(.left(self.user(user)), by: by, in: thread)
        remove(user, thread)
    }

    mutating func remove(_ user: String, _ thread: String) {
        guard let room = rooms[thread] else { return }
        push(to: user, ["type": .text("thread"), "op": .text("removed"), "thread": described(room, for: user)])
        rooms[thread]?.members[user] = nil
        endSettings(of: user, in: thread)
    }

    // MARK: Events

    mutating func append(_ change: FakeRoom.Change, by user: String?, text: String = "", in thread: String) {
        let now = milliseconds
        rooms[thread]?.append(change, by: user, text: text, at: now)
        pushNewest(thread)
    }

    mutating func post(_ draft: FakeDraft, by user: String, in thread: String) -> Int? {
        let (sender, now) = (self.user(user), milliseconds)
        let seq = rooms[thread]?.append(draft, by: sender, at: now)
        pushNewest(thread)
        return seq
    }

    private func pushNewest(_ thread: String) {
        guard let room = rooms[thread], let event = room.event(room.head) else { return }
        push(event, toMembersOf: room)
    }

    // MARK: Sockets

    func push(_ frame: JSONTree, on socket: FakeSocket) { socket.push(frame, latency: latency) }

    func push(to user: String, _ frame: KeyValuePairs<String, JSONTree?>) {
        for socket in sockets where socket.user == user { push(.object(frame), on: socket) }
    }

    func push(_ frame: JSONTree, toMembersOf room: FakeRoom, except user: String? = nil) {
        for socket in sockets where room.members[socket.user] != nil && socket.user != user {
            push(frame, on: socket)
        }
    }

    mutating func add(_ socket: FakeSocket) {
        sockets.append(socket)
        connectionCount += 1
        let user = user(socket.user)
        push(
            .object([
                "type": .text("hello"), "protocol": .integer(2), "connection": .text("c\(connectionCount)"),
                "node": .text("fake"),
                "user": .object(["id": .text(user.id.rawValue), "username": .text(user.username)]),
                "server_time": .integer(milliseconds), "ping_interval_ms": .integer(25_000),
                "limits": .object(["text_chars": .integer(Int64(textLimit))]),
                "threads": .array(threads(of: socket.user)), "blocks": shownBlocks(of: socket.user),
            ]), on: socket)
        pushPresence(of: socket.user)
    }

    mutating func remove(_ socket: FakeSocket) {
        guard let index = sockets.firstIndex(where: { $0 === socket }) else { return }
        sockets.remove(at: index)
        watched[ObjectIdentifier(socket)] = nil
        pushPresence(of: socket.user)
    }

    /// Ends all sockets that a condition selects.
    mutating func end(code: Int?, where isSelected: (FakeSocket) -> Bool = { _ in true }) {
        for socket in sockets.filter(isSelected) {
            remove(socket)
            socket.end(code: code)
        }
    }

    // MARK: Presence

    /// The state of a user for another one, who has to share a thread with them.
    func presence(of user: String, for watcher: String) -> JSONTree {
        let isShared = rooms.values.contains { $0.members[user] != nil && $0.members[watcher] != nil }
        let isOnline = isShared && !hasBlock(between: user, watcher) && sockets.contains { $0.user == user }
        return .object([
            "type": .text("presence"), "user_id": .text(user), "online": .bool(isOnline),
            "last_seen": isOnline ? .integer(milliseconds / 1000) : .null,
        ])
    }

    /// Reports a user's profile to everyone who shares a thread with them.
    func pushProfile(of user: String) {
        guard let account = accounts[user] else { return }
        let frame = JSONTree.object(["type": .text("user"), "user": account.user.json])
        for socket in sockets {
            let isShared = rooms.values.contains { $0.members[user] != nil && $0.members[socket.user] != nil }
            if isShared || socket.user == user { push(frame, on: socket) }
        }
    }

    private func pushPresence(of user: String) {
        for socket in sockets where watched[ObjectIdentifier(socket)]?.contains(user) == true {
            push(presence(of: user, for: socket.user), on: socket)
        }
    }
}
