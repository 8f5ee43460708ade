import Foundation
package import ParleyJSON

/// Details of rooms, and blocks of users.
///
/// These methods require a connection and throw ``ChatError/offline`` without one.
extension ChatClient {
    // MARK: Details

    /// Returns all details of a room or group. ``ChatThread/room`` has some of them, and follows changes.
    /// - Parameter threadID: The ID of a thread that the user belongs to.
    /// - Throws: ``ChatError``.
    public func roomDetails(of threadID: ChatThread.ID) async throws -> ChatRoomDetails {
        try Self.details(try await engine.call("GET", ["v1", "threads", threadID.rawValue]))
    }

    /// Changes details of a room or group: topic, picture, description, rules and slow mode as its owner or a moderator, and the
    /// archive and the rights as its owner.
    ///
    /// ```swift
    /// try await client.changeRoom(garden, ChatRoomChange(topic: "Planting", slowSeconds: 30, attach: .moderators))
    /// ```
    /// - Parameters:
    ///   - threadID: The ID of the room.
    ///   - change: The change, with at least one value.
    /// - Returns: All details after the change.
    /// - Throws: ``ChatError``; the code is `forbidden` if the user's own role does not allow it, and `badRequest` or
    ///   `tooLarge` for values that are not allowed.
    @discardableResult
    public func changeRoom(_ threadID: ChatThread.ID, _ change: ChatRoomChange) async throws -> ChatRoomDetails {
        return try Self.details(
            try await engine.call("PATCH", ["v1", "threads", threadID.rawValue], body: change.json))
    }

    private static func details(_ tree: JSONTree) throws -> ChatRoomDetails {
        guard let fields = ServerFrame.RoomFields(tree) else { throw ChatError.noAnswer("no thread") }
        return ChatRoomDetails(
            room: ChatRoom(fields), description: tree["description"]?.text, rules: tree["rules"]?.text)
    }

    // MARK: Blocks

    /// The IDs of the users that the user blocks: as known on this device, followed by later states. Show the messages of
    /// these users folded in rooms.
    public var blocks: LiveSequence<Set<ChatUser.ID>> {
        LiveSequence(signal: engine.blocks) { [engine] in await engine.blockedUsers }
    }

    /// Returns the user's blocks, sorted by the IDs of the users, at most 1,000.
    /// - Throws: ``ChatError``.
    public func myBlocks() async throws -> [ChatBlock] {
        let tree = try await engine.call("GET", ["v1", "me", "blocks"])
        return (tree["blocks"]?.elements ?? []).compactMap { ChatBlock($0) }
    }

    /// Blocks a user: neither sends the other direct messages, adds or invites the other, or sees the other's presence and
    /// typing. Messages in rooms reach both. The blocked user is not told.
    /// - Parameter user: The ID or the name of the user. The prefixes `id:` and `name:` select one of the two.
    /// - Returns: The block.
    /// - Throws: ``ChatError``; the code is `notFound` if no such user exists, `badRequest` for the user themselves, and
    ///   `conflict` with 1,000 blocks.
    @discardableResult
    public func block(_ user: String) async throws -> ChatBlock {
        guard let block = ChatBlock(try await engine.call("PUT", ["v1", "me", "blocks", user])) else {
            throw ChatError.noAnswer("no block")
        }
        return block
    }

    /// Ends a block. A user who is not blocked is unblocked without an effect.
    /// - Parameter user: The ID or the name of the user. The prefixes `id:` and `name:` select one of the two.
    /// - Throws: ``ChatError``; the code is `notFound` if no such user exists.
    public func unblock(_ user: String) async throws {
        _ = try await engine.call("DELETE", ["v1", "me", "blocks", user])
    }
}

extension ChatBlock {
    /// Reads a block from REST.
    init?(_ tree: JSONTree) {
        guard let user = tree["user"].flatMap({ ChatUser($0) }) else { return nil }
        self.init(user: user, since: Date(milliseconds: tree["since_ms"]?.milliseconds ?? 0))
    }
}

extension ChatRoomChange {
    /// The fields of the change, as REST takes them.
    package var json: JSONTree {
        let rights = JSONTree.object([
            "write": write.map { .text($0.rawValue) }, "attach": attach.map { .text($0.rawValue) },
            "mention": mention.map { .text($0.rawValue) }, "add": add.map { .text($0.rawValue) },
        ])
        return JSONTree.object([
            "topic": topic.map { .text($0) }, "picture": picture.map { .text($0) },
            "description": description.map { .text($0) },
            "rules": rules.map { .text($0) },
            "slow_mode_seconds": slowSeconds.map { .integer(Int64($0)) },
            "archived": isArchived.map { .bool($0) }, "rights": rights.pairs.isEmpty ? nil : rights,
        ])
    }
}
