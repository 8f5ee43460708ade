import ParleyJSON

/// Links into rooms, and groups.
///
/// These methods require a connection and throw ``ChatError/offline`` without one. The owner and the moderators of a room
/// make, list and revoke its links; other users get the code `forbidden`, and so does everyone in a direct thread.
extension ChatClient {
    // MARK: Links

    /// Makes a link into a room.
    ///
    /// An app makes a URL from ``ChatLink/code``, such as `https://chat.example.org/chat/#/join/CODE`.
    ///
    /// ```swift
    /// let link = try await client.createLink(to: garden, for: .seconds(86_400), uses: 10)
    /// ```
    /// - Parameters:
    ///   - threadID: The ID of a room that the user owns or moderates.
    ///   - duration: The time until the link ends, rounded up to whole seconds, from one second to 315,360,000 (ten years);
    ///     `nil` for a link that lasts until ``revokeLink(_:to:)``.
    ///   - uses: The number of users who may join, 1 to 10,000; `nil` for any number.
    /// - Returns: The link with its code, which no later call returns.
    /// - Throws: ``ChatError``; the code is `forbidden` if the user is neither owner nor moderator, `conflict` if the room
    ///   has 50 links, and `badRequest` for values that are not allowed.
    public func createLink(
        to threadID: ChatThread.ID, for duration: Duration? = nil, uses: Int? = nil
    ) async throws -> ChatLink {
        let body = JSONTree.object([
            "seconds": duration.map { .integer($0.wholeSeconds) }, "uses": uses.map { .integer(Int64($0)) },
        ])
        let tree = try await engine.call("POST", Self.path(threadID), body: body)
        guard let link = ChatLink(tree), link.code != nil else { throw ChatError.noAnswer("no link") }
        return link
    }

    /// Returns the links into a room that are in force, newest first, at most 50. They are without their codes.
    /// - Parameter threadID: The ID of a room that the user owns or moderates.
    /// - Throws: ``ChatError``; the code is `forbidden` if the user is neither.
    public func links(to threadID: ChatThread.ID) async throws -> [ChatLink] {
        let tree = try await engine.call("GET", Self.path(threadID))
        return (tree["links"]?.elements ?? []).compactMap { ChatLink($0) }
    }

    /// Ends a link, so that no further user joins by it. Users who have joined stay.
    /// - Parameters:
    ///   - link: The ID of the link.
    ///   - threadID: The ID of the room.
    /// - Throws: ``ChatError``; the code is `notFound` if no such link is in force, and `forbidden` if the user is neither
    ///   owner nor moderator.
    public func revokeLink(_ link: ChatLink.ID, to threadID: ChatThread.ID) async throws {
        _ = try await engine.call("DELETE", Self.path(threadID) + [link.rawValue])
    }

    /// Returns the room that a link leads to, to show it before the user joins.
    /// - Parameter code: The code of the link.
    /// - Throws: ``ChatError``; the code is `notFound` for a code that is unknown, expired, used up or revoked, and
    ///   `rateLimited` after 30 wrong codes in a minute.
    public func link(_ code: String) async throws -> ChatLinkTarget {
        guard let target = ChatLinkTarget(try await engine.call("GET", ["v1", "links", code])) else {
            throw ChatError.noAnswer("no link")
        }
        return target
    }

    /// Joins the room that a link leads to. A member joins again without using the link.
    /// - Parameter code: The code of the link.
    /// - Returns: The ID of the room, which ``threads()`` contains when this method returns.
    /// - Throws: ``ChatError``; the code is `notFound` for a code that is unknown, expired, used up or revoked, `forbidden`
    ///   for a user who is banned or was removed, and `rateLimited` after 30 wrong codes in a minute.
    @discardableResult
    public func joinLink(_ code: String) async throws -> ChatThread.ID {
        ChatThread.ID(try await engine.enter(["v1", "links", code], nil))
    }

    private static func path(_ threadID: ChatThread.ID) -> [String] { ["v1", "threads", threadID.rawValue, "links"] }

    // MARK: Groups

    /// Creates a group: a private room for some users, with the user as its owner.
    ///
    /// Without a title, the group is named after its members; the client loads the name again when members come or leave.
    /// ``rename(_:to:)`` sets a title. Each call creates another group.
    ///
    /// ```swift
    /// let feast = try await client.createGroup(of: ["bob", "carol"], title: "The feast")
    /// ```
    /// - Parameters:
    ///   - users: The IDs or the names of the other members, 1 to 50. The prefixes `id:` and `name:` select one of the two.
    ///   - title: The title, 1 to 64 characters, which need not be unique.
    /// - Returns: The ID of the group, which ``threads()`` contains when this method returns.
    /// - Throws: ``ChatError``; the code is `notFound` if one of the users does not exist, and `forbidden` if the user may
    ///   not create rooms. No group is created then.
    @discardableResult
    public func createGroup(of users: [String], title: String? = nil) async throws -> ChatThread.ID {
        let body = JSONTree.object([
            "kind": .text("group"), "members": .array(users.map { .text($0) }), "title": title.map { .text($0) },
        ])
        return ChatThread.ID(try await engine.enter(["v1", "threads"], body))
    }

    // MARK: Another owner

    /// Makes another member the owner of a room or group, and the user a moderator.
    /// - Parameters:
    ///   - user: The ID or the name of the member. The prefixes `id:` and `name:` select one of the two.
    ///   - threadID: The ID of a room or group that the user owns.
    /// - Returns: The new owner.
    /// - Throws: ``ChatError``; the code is `notFound` if the user is not a member, `conflict` for the user themselves, and
    ///   `forbidden` if this user is not the owner.
    @discardableResult
    public func setOwner(_ user: String, of threadID: ChatThread.ID) async throws -> ChatMember {
        let tree = try await engine.call(
            "POST", ["v1", "threads", threadID.rawValue, "owner"], body: .object(["user": .text(user)]))
        guard let member = ChatMember(tree) else { throw ChatError.noAnswer("no member") }
        return member
    }
}
