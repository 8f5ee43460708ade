import ParleyClient
import ParleyJSON

/// Details, rights and slow mode of a room of a ``FakeChatServer``.
struct FakeOptions: Hashable, Sendable {
    var topic = ""
    /// The ID of an attachment, which need not exist.
    var picture = ""
    var description = ""
    var rules = ""
    var slowSeconds: Int64 = 0
    var isArchived = false
    /// The holders of rights, `everyone` or `moderators`.
    var rights = Self.defaultRights
    var changes: Int64 = 0

    private static let defaultRights = [
        "write": "everyone", "attach": "everyone", "mention": "everyone", "add": "moderators",
    ]

    /// Returns whether a member has a right.
    func allows(_ right: String, _ role: ChatRole?) -> Bool {
        rights[right] != "moderators" || role == .owner || role == .moderator
    }

    /// Returns whether a change has a field that only the owner changes.
    static func needsOwner(_ body: JSONTree) -> Bool {
        body.pairs.contains { ["title", "visibility", "history", "archived", "rights"].contains($0.key) }
    }

    /// Takes over the fields of a change.
    /// - Returns: The code of the refusal; `nil` if all values are allowed.
    mutating func change(_ body: JSONTree) -> ServerErrorCode? {
        let old = self
        if let text = body["topic"] { topic = text.text ?? "" }
        if let text = body["picture"] { picture = text.text ?? "" }
        if let text = body["description"] { description = text.text ?? "" }
        if let text = body["rules"] { rules = text.text ?? "" }
        if let seconds = body["slow_mode_seconds"]?.integer { slowSeconds = seconds }
        if let isOn = body["archived"]?.flag { isArchived = isOn }
        for right in body["rights"]?.pairs ?? [] {
            guard rights[right.key] != nil, let holder = right.value.text, ["everyone", "moderators"].contains(holder)
            else { return .badRequest }
            rights[right.key] = holder
        }
        guard (0...21_600).contains(slowSeconds) else { return .badRequest }
        let isLong =
            topic.unicodeScalars.count > 250 || description.unicodeScalars.count > 2000
            || rules.unicodeScalars.count > 4000
        if isLong { return .tooLarge }
        if self != old { changes += 1 }
        return nil
    }

    /// The fields that a thread and the frame `room` have if they differ from the default.
    func shown(isBlocked: Bool) -> JSONTree {
        let rights = rights.sorted { $0.key < $1.key }.map { JSONTree.Member($0.key, .text($0.value)) }
        return .object([
            "topic": topic.isEmpty ? nil : .text(topic), "picture": picture.isEmpty ? nil : .text(picture),
            "archived": isArchived ? .bool(true) : nil,
            "slow_mode_seconds": slowSeconds == 0 ? nil : .integer(slowSeconds),
            "rights": self.rights == Self.defaultRights ? nil : .object(rights),
            "changes": changes == 0 ? nil : .integer(changes), "blocked": isBlocked ? .bool(true) : nil,
        ])
    }
}

/// Details of rooms, and blocks of users.
extension FakeServerState {
    /// Returns a thread with the texts that only this call has.
    func details(of room: FakeRoom, for user: String) -> JSONTree {
        let texts = JSONTree.object([
            "description": room.options.description.isEmpty ? nil : .text(room.options.description),
            "rules": room.options.rules.isEmpty ? nil : .text(room.options.rules),
            "history": room.kind == .direct ? nil : .text("all"),
        ])
        return .object(described(room, for: user).pairs + texts.pairs)
    }

    /// Sets the details of a room, and reports a change to its members.
    mutating func set(_ options: FakeOptions, of thread: String) {
        guard let room = rooms[thread], room.options != options else { return }
        rooms[thread]?.options = options
        pushRoom(thread)
    }

    private func pushRoom(_ thread: String) {
        guard let room = rooms[thread] else { return }
        let frame = JSONTree.object([
            "type": .text("room"), "thread_id": .text(thread), "room": room.options.shown(isBlocked: isBlocked(room)),
        ])
        push(frame, toMembersOf: room)
    }

    // MARK: Blocks

    func hasBlock(between user: String, _ other: String) -> Bool {
        blocks[user]?[other] != nil || blocks[other]?[user] != nil
    }

    /// Returns whether one of the two users of a direct thread blocks the other.
    func isBlocked(_ room: FakeRoom) -> Bool {
        let users = room.members.keys.sorted()
        return room.kind == .direct && users.count == 2 && hasBlock(between: users[0], users[1])
    }

    /// The IDs of the users that a user blocks, as `hello` and `blocks` have them.
    func shownBlocks(of user: String) -> JSONTree { .array((blocks[user] ?? [:]).keys.sorted().map { .text($0) }) }

    mutating func setBlock(_ isOn: Bool, of other: String, by user: String) {
        guard user != other, (blocks[user]?[other] != nil) != isOn else { return }
        let (wasBlocked, now) = (hasBlock(between: user, other), milliseconds)
        blocks[user, default: [:]][other] = isOn ? now : nil
        push(to: user, ["type": .text("blocks"), "blocks": shownBlocks(of: user)])
        guard hasBlock(between: user, other) != wasBlocked else { return }
        let direct = rooms.values.first { $0.kind == .direct && Set($0.members.keys) == [user, other] }
        if let direct { pushRoom(direct.id) }
        for socket in sockets {
            let watched = watched[ObjectIdentifier(socket)] ?? []
            for (watcher, seen) in [(user, other), (other, user)] where socket.user == watcher && watched.contains(seen)
            {
                push(presence(of: seen, for: watcher), on: socket)
            }
        }
    }

    mutating func answerBlocks(_ call: FakeCall, _ user: String) -> TransportResponse {
        guard call.path.count > 3 else {
            let list = (blocks[user] ?? [:]).keys.sorted().compactMap { block(of: $0, by: user) }
            return Self.answer(200, .object(["blocks": .array(list)]))
        }
        guard let other = find(call.path[3])?.id.rawValue else { return Self.missing }
        guard call.method == "PUT" else {
            setBlock(false, of: other, by: user)
            return Self.answer(204)
        }
        guard other != user else { return Self.refusal(400, .badRequest) }
        setBlock(true, of: other, by: user)
        return Self.answer(200, block(of: other, by: user))
    }

    private func block(of other: String, by user: String) -> JSONTree? {
        blocks[user]?[other].map { since in
            .object(["user": self.user(other).json, "since_ms": .integer(since)])
        }
    }
}

extension Duration {
    /// The duration in milliseconds, for the pauses that tests ask for.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(max(seconds, 0), 86_400) * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
