import ParleyJSON

/// These calls need a connection; without one they throw ``ChatError/offline``.
extension ChatClient {
    // MARK: Rooms and direct threads

    /// Joins the room of this title, and creates it if there is none; its creator is the owner.
    /// - Parameter title: 1 to 64 characters; spaces at both ends are ignored.
    /// - Returns: The thread's id. It is among ``threads()`` at once.
    /// - Throws: ``ChatError``.
    @discardableResult
    public func joinRoom(title: String) async throws -> String {
        try await engine.enter(["v1", "threads"], .object(["title": .text(title)]))
    }

    /// Rooms that the user is not a member of, by title.
    /// - Parameters:
    ///   - prefix: What their titles begin with.
    ///   - limit: 1 to 200.
    /// - Throws: ``ChatError``.
    public func joinableRooms(prefix: String = "", limit: Int = 30) async throws -> [JoinableRoom] {
        let tree = try await engine.call(
            "GET", ["v1", "threads", "joinable"], query: [("prefix", prefix), ("limit", "\(limit)")])
        return (tree["threads"]?.elements ?? []).compactMap { room in
            guard let id = room["id"]?.text, let title = room["title"]?.text else { return nil }
            return JoinableRoom(id: id, title: title)
        }
    }

    /// Opens the direct thread with a user.
    /// - Parameter user: An id or a name; `id:…` and `name:…` force one.
    /// - Returns: The thread's id.
    /// - Throws: ``ChatError``; `notFound` for an unknown user.
    @discardableResult
    public func openDirect(with user: String) async throws -> String {
        try await engine.enter(["v1", "direct"], .object(["user": .text(user)]))
    }

    /// Ends the user's membership. The thread, its cache and what is unsent in it disappear from this device.
    /// - Throws: ``ChatError``.
    public func leave(_ threadID: String) async throws {
        guard let user = await user else { throw ChatError.offline }
        _ = try await engine.call("DELETE", ["v1", "threads", threadID, "members", user.id])
    }

    /// Gives a room another title; only its owner may.
    /// - Throws: ``ChatError``; `conflict` if another room has it.
    public func rename(_ threadID: String, to title: String) async throws {
        _ = try await engine.call("PATCH", ["v1", "threads", threadID], body: .object(["title": .text(title)]))
    }

    /// Deletes a room with its history; only its owner may.
    /// - Throws: ``ChatError``.
    public func deleteRoom(_ threadID: String) async throws {
        _ = try await engine.call("DELETE", ["v1", "threads", threadID])
    }

    // MARK: Members

    /// The members of a thread with their roles, in the order of their ids. Takes a request for each 200.
    /// - Throws: ``ChatError``.
    public func members(of threadID: String) async throws -> [ChatMember] {
        try await engine.members(of: threadID)
    }

    /// Adds a user to a room, or gives a member another role, as far as the user's own role allows it.
    /// - Parameters:
    ///   - user: An id or a name.
    ///   - threadID: The room.
    ///   - role: `nil` for `member`, or for the role that the user has.
    /// - Throws: ``ChatError``.
    public func addMember(_ user: String, to threadID: String, role: ChatRole? = nil) async throws {
        let body = JSONTree.object(["user": .text(user), "role": role.map { .text($0.rawValue) }])
        _ = try await engine.call("POST", ["v1", "threads", threadID, "members"], body: body)
    }

    /// Removes a member from a room, as far as the user's own role allows it.
    /// - Parameters:
    ///   - user: An id or a name.
    ///   - threadID: The room.
    /// - Throws: ``ChatError``.
    public func removeMember(_ user: String, from threadID: String) async throws {
        _ = try await engine.call("DELETE", ["v1", "threads", threadID, "members", user])
    }

    // MARK: Users

    /// Users whose names begin with a text, by name.
    /// - Parameters:
    ///   - prefix: What their names begin with.
    ///   - limit: 1 to 200.
    /// - Throws: ``ChatError``.
    public func users(prefix: String, limit: Int = 30) async throws -> [ChatUser] {
        let tree = try await engine.call(
            "GET", ["v1", "users"], query: [("prefix", prefix), ("limit", "\(limit)")])
        return (tree["users"]?.elements ?? []).compactMap { ChatUser($0) }
    }

    /// A user's profile.
    /// - Parameter user: An id.
    /// - Throws: ``ChatError``; `notFound` for an unknown one.
    public func profile(of user: String) async throws -> ChatUser {
        guard let user = ChatUser(try await engine.call("GET", ["v1", "users", user])) else {
            throw ChatError.noAnswer("no user")
        }
        return user
    }

    /// Watches the presence of these users, in place of those watched before. Users with whom the user shares no thread
    /// are shown as offline.
    /// - Parameter users: At most 500 ids; more are ignored.
    public func watchPresence(of users: [String]) async {
        await engine.note(.watch(Array(users.prefix(500))))
    }

    /// The presence of the watched users, by id, as far as it is known; empty without a connection.
    public var presence: LiveSequence<[String: ChatPresence]> {
        LiveSequence(signal: engine.presence) { [engine] in await engine.presences }
    }
}

extension ChatUser {
    init?(_ tree: JSONTree) {
        guard let id = tree["id"]?.text else { return nil }
        self.init(
            id: id, username: tree["username"]?.text ?? id, displayName: tree["display_name"]?.text,
            avatarURL: tree["avatar_url"]?.text)
    }
}

extension ChatMember {
    init?(_ tree: JSONTree) {
        guard let user = tree["user"].flatMap({ ChatUser($0) }) else { return nil }
        self.init(user: user, role: tree["role"]?.text.map { ChatRole(rawValue: $0) ?? .other })
    }
}
