import ParleyJSON

/// Requests to be let into rooms and groups that are not public.
///
/// These methods require a connection and throw ``ChatError/offline`` without one.
extension ChatClient {
    // MARK: For users who ask

    /// Asks the owner and the moderators of a private or unlisted thread to let the user in.
    ///
    /// A request lasts 30 days, and a repeat within them changes nothing. The answer tells nothing about the thread: an ID
    /// that does not exist, a private room and a group give the same.
    /// - Parameters:
    ///   - threadID: The ID of the thread.
    ///   - text: A text for the moderators, 1 to 500 characters.
    /// - Returns: The request.
    /// - Throws: ``ChatError``; the code is `conflict` for a member, for a public room, which any user may join, and if the
    ///   user has 20 requests.
    @discardableResult
    public func requestEntrance(to threadID: ChatThread.ID, text: String? = nil) async throws -> ChatMyRequest {
        let body = JSONTree.object(["text": text.map { .text($0) }])
        guard let request = ChatMyRequest(try await engine.call("POST", Self.path(threadID), body: body)) else {
            throw ChatError.noAnswer("no request")
        }
        return request
    }

    /// Returns the user's requests, refused ones included, at most 20.
    /// - Throws: ``ChatError``.
    public func myRequests() async throws -> [ChatMyRequest] {
        let tree = try await engine.call("GET", ["v1", "me", "requests"])
        return (tree["requests"]?.elements ?? []).compactMap { ChatMyRequest($0) }
    }

    /// Withdraws a request of the user.
    /// - Parameter threadID: The ID of the thread.
    /// - Throws: ``ChatError``; the code is `notFound` if there is no such request.
    public func withdrawRequest(to threadID: ChatThread.ID) async throws {
        _ = try await engine.call("DELETE", ["v1", "me", "requests", threadID.rawValue])
    }

    // MARK: For owners and moderators

    /// Returns the requests to be let into a room or group, sorted by the IDs of the users, at most 200.
    ///
    /// ``entranceChanges(of:)`` tells when to read them again.
    /// - Parameter threadID: The ID of a room that the user owns or moderates.
    /// - Throws: ``ChatError``; the code is `forbidden` if the user is neither.
    public func entranceRequests(to threadID: ChatThread.ID) async throws -> [ChatEntranceRequest] {
        try await engine.list(Self.path(threadID), "requests") { ChatEntranceRequest($0) }
    }

    /// Accepts a request: the user becomes a member.
    /// - Parameters:
    ///   - user: The ID or the name of the user who asks. The prefixes `id:` and `name:` select one of the two.
    ///   - threadID: The ID of the room.
    /// - Returns: The new member.
    /// - Throws: ``ChatError``; the code is `notFound` if there is no such request, and `forbidden` if the user is banned.
    @discardableResult
    public func acceptRequest(of user: String, to threadID: ChatThread.ID) async throws -> ChatMember {
        let tree = try await engine.call("POST", Self.path(threadID) + [user, "accept"])
        guard let member = ChatMember(tree) else { throw ChatError.noAnswer("no member") }
        return member
    }

    /// Refuses a request. The user is not told.
    /// - Parameters:
    ///   - user: The ID or the name of the user who asks. The prefixes `id:` and `name:` select one of the two.
    ///   - threadID: The ID of the room.
    /// - Throws: ``ChatError``; the code is `notFound` if there is no such request.
    public func refuseRequest(of user: String, to threadID: ChatThread.ID) async throws {
        _ = try await engine.call("DELETE", Self.path(threadID) + [user])
    }

    private static func path(_ threadID: ChatThread.ID) -> [String] {
        ["v1", "threads", threadID.rawValue, "requests"]
    }

    /// Tells when to read the requests and the invitations of a room again: a number, followed by a higher one after each
    /// connection and when the server reports a change. A number may be repeated, without a change.
    ///
    /// ```swift
    /// for await _ in client.entranceChanges(of: garden) {
    ///     show(try await client.entranceRequests(to: garden))
    /// }
    /// ```
    /// - Parameter threadID: The ID of a room that the user owns or moderates.
    public func entranceChanges(of threadID: ChatThread.ID) -> LiveSequence<Int> {
        LiveSequence(signal: engine.entrances) { [engine] in await engine.entranceState.number(of: threadID.rawValue) }
    }
}
