import ParleyJSON

/// Rooms, members and other users.
///
/// These methods require a connection and throw ``ChatError/offline`` without one.
extension ChatClient {
    // MARK: Rooms and direct threads

    /// Joins the room with a title, or creates the room and makes the user its owner.
    ///
    /// A new room has the visibility of the server's settings.
    /// - Parameter title: The title, 1 to 64 characters. Spaces at both ends are ignored.
    /// - Returns: The ID of the thread, which ``threads()`` contains when this method returns.
    /// - Throws: ``ChatError``; the code is `forbidden` if the room does not exist and the user may not create rooms.
    @discardableResult
    public func joinRoom(title: String) async throws -> ChatThread.ID {
        try await joinRoom(title: title, visibility: nil)
    }

    /// Joins the room with a title, or creates the room with a visibility and makes the user its owner.
    ///
    /// The title leads into the user's own room that is not public, if there is exactly one with this title, and otherwise
    /// into the public room. A room that exists keeps its visibility.
    /// - Parameters:
    ///   - title: The title, 1 to 64 characters. Spaces at both ends are ignored.
    ///   - visibility: The visibility of a new room, not `other`; `nil` for that of the server's settings.
    /// - Returns: The ID of the thread, which ``threads()`` contains when this method returns.
    /// - Throws: ``ChatError``; the code is `forbidden` if the room does not exist and the user may not create rooms.
    @discardableResult
    public func joinRoom(title: String, visibility: ChatVisibility?) async throws -> ChatThread.ID {
        ChatThread.ID(
            try await engine.enter(
                ["v1", "threads"],
                .object(["title": .text(title), "visibility": visibility.map { .text($0.rawValue) }])))
    }

    /// Returns the rooms that the user can join, sorted by title.
    /// - Parameters:
    ///   - prefix: The beginning of the titles.
    ///   - limit: The maximum number of rooms, 1 to 200.
    /// - Throws: ``ChatError``.
    public func joinableRooms(prefix: String = "", limit: Int = 30) async throws -> [JoinableRoom] {
        let tree = try await engine.call(
            "GET", ["v1", "threads", "joinable"], query: [("prefix", prefix), ("limit", "\(limit)")])
        return (tree["threads"]?.elements ?? []).compactMap { room in
            guard let id = room["id"]?.text, let title = room["title"]?.text else { return nil }
            return JoinableRoom(id: ChatThread.ID(id), title: title)
        }
    }

    /// Opens the direct thread with another user.
    /// - Parameter user: The ID or the name of the user. The prefixes `id:` and `name:` select one of the two.
    /// - Returns: The ID of the thread.
    /// - Throws: ``ChatError``; the code is `notFound` if no such user exists.
    @discardableResult
    public func openDirect(with user: String) async throws -> ChatThread.ID {
        ChatThread.ID(try await engine.enter(["v1", "direct"], .object(["user": .text(user)])))
    }

    /// Opens the direct thread with another user, for example one of ``users(prefix:limit:)``.
    /// - Parameter user: The other user.
    /// - Returns: The ID of the thread.
    /// - Throws: ``ChatError``; the code is `notFound` if no such user exists.
    @discardableResult
    public func openDirect(with user: ChatUser) async throws -> ChatThread.ID {
        try await openDirect(with: "id:\(user.id)")
    }

    /// Ends the user's membership of a thread.
    ///
    /// The thread, its cache and its unsent messages are removed from this device.
    /// - Parameter threadID: The ID of the thread.
    /// - Throws: ``ChatError``.
    public func leave(_ threadID: ChatThread.ID) async throws {
        guard let user = await user else { throw ChatError.offline }
        _ = try await engine.call("DELETE", ["v1", "threads", threadID.rawValue, "members", user.id.rawValue])
    }

    /// Changes the title of a room. Only the owner of the room can change it.
    /// - Parameters:
    ///   - threadID: The ID of the room.
    ///   - title: The new title, 1 to 64 characters.
    /// - Throws: ``ChatError``; the code is `conflict` if the room is public and another public room has this title.
    public func rename(_ threadID: ChatThread.ID, to title: String) async throws {
        _ = try await engine.call(
            "PATCH", ["v1", "threads", threadID.rawValue], body: .object(["title": .text(title)]))
    }

    /// Changes the visibility of a room. Only the owner of the room can change it.
    /// - Parameters:
    ///   - visibility: The new visibility, not `other`.
    ///   - threadID: The ID of the room.
    /// - Throws: ``ChatError``; the code is `conflict` if the room becomes public and another public room has its title.
    public func setVisibility(_ visibility: ChatVisibility, of threadID: ChatThread.ID) async throws {
        _ = try await engine.call(
            "PATCH", ["v1", "threads", threadID.rawValue], body: .object(["visibility": .text(visibility.rawValue)]))
    }

    /// Deletes a room and its history. Only the owner of the room can delete it.
    /// - Parameter threadID: The ID of the room.
    /// - Throws: ``ChatError``.
    public func deleteRoom(_ threadID: ChatThread.ID) async throws {
        _ = try await engine.call("DELETE", ["v1", "threads", threadID.rawValue])
    }

    // MARK: Members

    /// Returns the members of a thread with their roles, sorted by ID.
    ///
    /// The client sends one request per 200 members.
    /// - Parameter threadID: The ID of a thread that the user belongs to.
    /// - Throws: ``ChatError``.
    public func members(of threadID: ChatThread.ID) async throws -> [ChatMember] {
        try await engine.members(of: threadID.rawValue)
    }

    /// Adds a user to a room, or changes the role of a member, if the user's own role allows it.
    /// - Parameters:
    ///   - user: The ID or the name of the user to add.
    ///   - threadID: The ID of the room.
    ///   - role: The role of the member; `nil` adds the user as `member`, or keeps the role of a member.
    /// - Throws: ``ChatError``.
    public func addMember(_ user: String, to threadID: ChatThread.ID, role: ChatRole? = nil) async throws {
        let body = JSONTree.object(["user": .text(user), "role": role.map { .text($0.rawValue) }])
        _ = try await engine.call("POST", ["v1", "threads", threadID.rawValue, "members"], body: body)
    }

    /// Removes a member from a room, if the user's own role allows it.
    /// - Parameters:
    ///   - user: The ID or the name of the member.
    ///   - threadID: The ID of the room.
    /// - Throws: ``ChatError``.
    public func removeMember(_ user: String, from threadID: ChatThread.ID) async throws {
        _ = try await engine.call("DELETE", ["v1", "threads", threadID.rawValue, "members", user])
    }

    // MARK: Users

    /// Returns the users whose names begin with a prefix, sorted by name.
    /// - Parameters:
    ///   - prefix: The beginning of the names.
    ///   - limit: The maximum number of users, 1 to 200.
    /// - Throws: ``ChatError``.
    public func users(prefix: String, limit: Int = 30) async throws -> [ChatUser] {
        let tree = try await engine.call(
            "GET", ["v1", "users"], query: [("prefix", prefix), ("limit", "\(limit)")])
        return (tree["users"]?.elements ?? []).compactMap { ChatUser($0) }
    }

    /// Returns the profile of a user.
    /// - Parameter user: The ID of the user.
    /// - Throws: ``ChatError``; the code is `notFound` if no such user exists.
    public func profile(of user: ChatUser.ID) async throws -> ChatUser {
        guard let user = ChatUser(try await engine.call("GET", ["v1", "users", user.rawValue])) else {
            throw ChatError.noAnswer("no user")
        }
        return user
    }

    /// The users whose name or picture has changed while this client was connected, as they are now, by user ID; at most
    /// 500.
    ///
    /// The server reports the user and everyone who shares a thread with them. Messages in collections have the new
    /// ``ChatMessage/senderDisplayName`` already. Show a new ``ChatUser/avatarURL`` instead of one from a list of members,
    /// and load such lists again after a new connection: changes during an interruption are not reported.
    public var profileChanges: LiveSequence<[ChatUser.ID: ChatUser]> {
        LiveSequence(signal: engine.profiles) { [engine] in await engine.profilesChanged }
    }

    /// Watches the presence of users, instead of the users watched before.
    ///
    /// Users who share no thread with this user are reported as offline.
    /// - Parameter users: The IDs of the users. The client ignores all but the first 500.
    public func watchPresence(of users: [ChatUser.ID]) async {
        await engine.note(.watch(users.prefix(500).map(\.rawValue)))
    }

    /// The known presence of the watched users, by user ID. The dictionary is empty without a connection.
    public var presence: LiveSequence<[ChatUser.ID: ChatPresence]> {
        LiveSequence(signal: engine.presence) { [engine] in await engine.presences }
    }
}

extension ChatMember {
    init?(_ tree: JSONTree) {
        guard let user = tree["user"].flatMap({ ChatUser($0) }) else { return nil }
        self.init(user: user, role: tree["role"]?.text.map { ChatRole(rawValue: $0) ?? .other })
    }
}
