import ParleyJSON

/// Mutes and bans, for owners and moderators of rooms.
///
/// These methods require a connection and throw ``ChatError/offline`` without one. The owner of a room decides about
/// everyone else, and a moderator about users who are neither owner nor moderator; other users get the code `forbidden`,
/// and so does everyone in a direct thread. The user's own mute is ``ChatThread/mute``.
extension ChatClient {
    /// Returns the mutes and bans of a room that have not ended, sorted by the IDs of the users.
    ///
    /// The client sends one request per 200 sanctions.
    /// - Parameter threadID: The ID of a room that the user owns or moderates.
    /// - Throws: ``ChatError``; the code is `forbidden` if the user is neither.
    public func sanctions(in threadID: ChatThread.ID) async throws -> [ChatSanction] {
        var (all, cursor): ([ChatSanction], String?) = ([], nil)
        repeat {
            let query = [("limit", "200")] + (cursor.map { [("cursor", $0)] } ?? [])
            let tree = try await engine.call(
                "GET", ["v1", "threads", threadID.rawValue, "sanctions"], query: query)
            all += (tree["sanctions"]?.elements ?? []).compactMap { ChatSanction($0) }
            cursor = tree["next_cursor"]?.text
        } while cursor != nil
        return all
    }

    /// Mutes a user in a room: the user can read, but not send, edit, delete, react or show that they are typing.
    ///
    /// The mute replaces an earlier one. It also holds if the user leaves and joins again, and for a user who joins later.
    ///
    /// ```swift
    /// try await client.mute("bob", in: garden, for: .seconds(600), reason: "spam")
    /// ```
    /// - Parameters:
    ///   - user: The ID or the name of the user. The prefixes `id:` and `name:` select one of the two.
    ///   - threadID: The ID of the room.
    ///   - duration: The time until the mute ends, rounded up to whole seconds, from one second to 315,360,000 (ten
    ///     years); `nil` for a mute that lasts until ``endMute(of:in:)``.
    ///   - reason: The reason, 1 to 500 characters, which the user can read.
    /// - Returns: The mute.
    /// - Throws: ``ChatError``; the code is `forbidden` if the user's own role does not allow it, `notFound` if no such
    ///   user exists, and `badRequest` or `tooLarge` for a duration or a reason that is not allowed.
    @discardableResult
    public func mute(
        _ user: String, in threadID: ChatThread.ID, for duration: Duration? = nil, reason: String? = nil
    ) async throws -> ChatSanction {
        try await sanction(.mute, user, in: threadID, for: duration, reason: reason)
    }

    /// Bans a user from a room: the user is removed, and can neither join nor be added until the ban ends.
    ///
    /// The ban replaces an earlier one. A user who is not a member can be banned as well.
    /// - Parameters:
    ///   - user: The ID or the name of the user. The prefixes `id:` and `name:` select one of the two.
    ///   - threadID: The ID of the room.
    ///   - duration: The time until the ban ends, rounded up to whole seconds, from one second to 315,360,000 (ten
    ///     years); `nil` for a ban that lasts until ``endBan(of:in:)``.
    ///   - reason: The reason, 1 to 500 characters, which the user can read.
    /// - Returns: The ban.
    /// - Throws: ``ChatError``; the code is `forbidden` if the user's own role does not allow it, `notFound` if no such
    ///   user exists, and `badRequest` or `tooLarge` for a duration or a reason that is not allowed.
    @discardableResult
    public func ban(
        _ user: String, in threadID: ChatThread.ID, for duration: Duration? = nil, reason: String? = nil
    ) async throws -> ChatSanction {
        try await sanction(.ban, user, in: threadID, for: duration, reason: reason)
    }

    /// Ends a mute before its time.
    /// - Parameters:
    ///   - user: The ID or the name of the user. The prefixes `id:` and `name:` select one of the two.
    ///   - threadID: The ID of the room.
    /// - Throws: ``ChatError``; the code is `notFound` if the user is not muted in the room, and `forbidden` if the user's
    ///   own role does not allow it.
    public func endMute(of user: String, in threadID: ChatThread.ID) async throws {
        try await end(.mute, of: user, in: threadID)
    }

    /// Ends a ban before its time. The user is not a member again, but can join or be added.
    /// - Parameters:
    ///   - user: The ID or the name of the user. The prefixes `id:` and `name:` select one of the two.
    ///   - threadID: The ID of the room.
    /// - Throws: ``ChatError``; the code is `notFound` if the user is not banned from the room, and `forbidden` if the
    ///   user's own role does not allow it.
    public func endBan(of user: String, in threadID: ChatThread.ID) async throws {
        try await end(.ban, of: user, in: threadID)
    }

    private func sanction(
        _ kind: ChatSanction.Kind, _ user: String, in threadID: ChatThread.ID, for duration: Duration?, reason: String?
    ) async throws -> ChatSanction {
        let body = JSONTree.object([
            "seconds": duration.map { .integer($0.wholeSeconds) }, "reason": reason.map { .text($0) },
        ])
        let tree = try await engine.call("PUT", Self.path(kind, user, threadID), body: body)
        guard let sanction = ChatSanction(tree) else { throw ChatError.noAnswer("no sanction") }
        return sanction
    }

    private func end(_ kind: ChatSanction.Kind, of user: String, in threadID: ChatThread.ID) async throws {
        _ = try await engine.call("DELETE", Self.path(kind, user, threadID))
    }

    private static func path(_ kind: ChatSanction.Kind, _ user: String, _ threadID: ChatThread.ID) -> [String] {
        ["v1", "threads", threadID.rawValue, "sanctions", user, kind.rawValue]
    }
}

extension Duration {
    /// The duration in seconds, rounded up. The server refuses values that are not allowed.
    package var wholeSeconds: Int64 {
        let (seconds, attoseconds) = components
        return attoseconds > 0 && seconds < .max ? seconds + 1 : seconds
    }
}
