import ParleyJSON

/// Invitations to rooms and groups.
///
/// These methods require a connection and throw ``ChatError/offline`` without one. The owner and the moderators of a room
/// invite, list and withdraw; other users get the code `forbidden`, and so does everyone in a direct thread.
extension ChatClient {
    // MARK: For owners and moderators

    /// Invites a user to a room or group. The invitation replaces an earlier one, and lifts an earlier removal.
    /// - Parameters:
    ///   - user: The ID or the name of the user. The prefixes `id:` and `name:` select one of the two.
    ///   - threadID: The ID of a room that the user owns or moderates.
    ///   - duration: The time until the invitation expires, rounded up to whole seconds, from a minute to 31,536,000
    ///     seconds (a year); `nil` for an invitation that does not expire.
    ///   - text: A text for the invited user, 1 to 500 characters.
    /// - Returns: The invitation.
    /// - Throws: ``ChatError``; the code is `conflict` for a member or too many invitations, `forbidden` for a banned user,
    ///   or if one of the two users blocks the other, and `rateLimited` after 100 invitations in a day.
    @discardableResult
    public func invite(
        _ user: String, to threadID: ChatThread.ID, for duration: Duration? = nil, text: String? = nil
    ) async throws -> ChatInvitation {
        let body = JSONTree.object([
            "seconds": duration.map { .integer($0.wholeSeconds) }, "text": text.map { .text($0) },
        ])
        let tree = try await engine.call("PUT", Self.path(threadID) + [user], body: body)
        guard let invitation = ChatInvitation(tree) else { throw ChatError.noAnswer("no invitation") }
        return invitation
    }

    /// Returns the open invitations to a room or group, sorted by the IDs of the users, at most 1,000.
    ///
    /// The client sends one request per 200 invitations. ``entranceChanges(of:)`` tells when to read them again.
    /// - Parameter threadID: The ID of a room that the user owns or moderates.
    /// - Throws: ``ChatError``.
    public func invitations(to threadID: ChatThread.ID) async throws -> [ChatInvitation] {
        try await engine.list(Self.path(threadID), "invitations") { ChatInvitation($0) }
    }

    /// Withdraws an invitation.
    /// - Parameters:
    ///   - user: The ID or the name of the invited user. The prefixes `id:` and `name:` select one of the two.
    ///   - threadID: The ID of the room.
    /// - Throws: ``ChatError``; the code is `notFound` if the user is not invited.
    public func withdrawInvitation(of user: String, to threadID: ChatThread.ID) async throws {
        _ = try await engine.call("DELETE", Self.path(threadID) + [user])
    }

    private static func path(_ threadID: ChatThread.ID) -> [String] {
        ["v1", "threads", threadID.rawValue, "invitations"]
    }

    // MARK: For invited users

    /// The user's invitations as they are known, followed by later states.
    ///
    /// The client loads them when they are first observed, after each connection, and when they change. The first value
    /// may therefore be empty. An invitation that has expired is in the list until it is loaded again.
    public var openInvitations: LiveSequence<[ChatMyInvitation]> {
        LiveSequence(signal: engine.invitations) { [engine] in await engine.openInvitations() }
    }

    /// Loads the user's invitations, sorted by the IDs of the rooms, at most 100. ``openInvitations`` follows them.
    /// - Throws: ``ChatError``.
    public func myInvitations() async throws -> [ChatMyInvitation] { try await engine.myInvitations() }

    /// Accepts an invitation. A member accepts without an effect.
    /// - Parameter threadID: The ID of the room.
    /// - Returns: The ID of the room, which ``threads()`` contains when this method returns.
    /// - Throws: ``ChatError``; the code is `notFound` if the user is not invited, or the invitation has ended.
    @discardableResult
    public func acceptInvitation(to threadID: ChatThread.ID) async throws -> ChatThread.ID {
        ChatThread.ID(try await engine.enter(["v1", "me", "invitations", threadID.rawValue, "accept"], nil))
    }

    /// Declines an invitation.
    /// - Parameter threadID: The ID of the room.
    /// - Throws: ``ChatError``; the code is `notFound` if the user is not invited.
    public func declineInvitation(to threadID: ChatThread.ID) async throws {
        _ = try await engine.call("DELETE", ["v1", "me", "invitations", threadID.rawValue])
    }
}
