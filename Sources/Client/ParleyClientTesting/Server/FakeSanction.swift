import ParleyClient
import ParleyJSON

/// A mute or a ban in a room of a ``FakeChatServer``.
struct FakeSanction: Sendable {
    /// The longest time until a sanction ends, in seconds.
    static let longestSeconds: Int64 = 315_360_000

    let kind: ChatSanction.Kind
    let since: Int64
    /// The end in milliseconds since 1970; `nil` if there is none.
    let until: Int64?
    let reason: String?
    let by: String?

    func isInForce(at milliseconds: Int64) -> Bool { until.map { milliseconds < $0 } ?? true }

    /// The end and the reason, as the muted user gets them.
    var shown: JSONTree {
        .object(["until_ms": until.map { .integer($0) }, "reason": reason.map { .text($0) }])
    }
}

/// Mutes and bans.
extension FakeServerState {
    /// Returns the sanction of a user in a room, if it is in force.
    func sanction(_ kind: ChatSanction.Kind, of user: String, in room: FakeRoom) -> FakeSanction? {
        room.sanctions[user]?.first { $0.kind == kind && $0.isInForce(at: milliseconds) }
    }

    /// Mutes or bans a user, in place of an earlier sanction of the kind.
    mutating func sanction(
        _ kind: ChatSanction.Kind, _ user: String, in thread: String, seconds: Int64?, reason: String?, by: String?
    ) {
        guard let room = rooms[thread], room.kind != .direct else { return }
        let sanction = FakeSanction(
            kind: kind, since: milliseconds, until: seconds.map { milliseconds + $0 * 1000 }, reason: reason, by: by)
        rooms[thread]?.sanctions[user, default: []].removeAll { $0.kind == kind }
        rooms[thread]?.sanctions[user, default: []].append(sanction)
        switch kind {
        case .mute: pushMute(sanction.shown, to: user, in: room)
        case .ban:
            endEntrances(of: user, to: thread)
            leave(user, thread, by: by ?? user)
        case .other: break
        }
    }

    /// Ends a sanction.
    /// - Returns: Whether it was in force.
    mutating func endSanction(_ kind: ChatSanction.Kind, of user: String, in thread: String) -> Bool {
        guard let room = rooms[thread], sanction(kind, of: user, in: room) != nil else { return false }
        rooms[thread]?.sanctions[user]?.removeAll { $0.kind == kind }
        if kind == .mute { pushMute(.null, to: user, in: room) }
        return true
    }

    private func pushMute(_ mute: JSONTree, to user: String, in room: FakeRoom) {
        guard room.members[user] != nil else { return }
        push(to: user, ["type": .text("mute"), "thread_id": .text(room.id), "mute": mute])
    }

    // MARK: REST

    mutating func answerSanctions(_ call: FakeCall, _ user: String, _ room: FakeRoom) -> TransportResponse {
        guard let own = room.members[user] else { return Self.refusal(403, .notAMember) }
        guard room.kind != .direct, own == .owner || own == .moderator else { return Self.refusal(403, .forbidden) }
        guard call.path.count > 4 else { return list(room) }
        guard call.path.count > 5, let kind = ChatSanction.Kind(rawValue: call.path[5]), kind != .other,
            let other = find(call.path[4])?.id.rawValue
        else { return Self.missing }
        let role = room.members[other]
        let isPlain = role != .owner && role != .moderator
        guard other != user, own == .owner || isPlain else { return Self.refusal(403, .forbidden) }
        switch call.method {
        case "PUT":
            let (seconds, reason) = (call.body["seconds"]?.integer, call.body["reason"]?.text)
            guard (1...FakeSanction.longestSeconds).contains(seconds ?? 1), reason?.isEmpty != true else {
                return Self.refusal(400, .badRequest)
            }
            guard (reason?.unicodeScalars.count ?? 0) <= 500 else { return Self.refusal(413, .tooLarge) }
            sanction(kind, other, in: room.id, seconds: seconds, reason: reason, by: user)
            guard let made = rooms[room.id].flatMap({ sanction(kind, of: other, in: $0) }) else { return Self.missing }
            return Self.answer(200, described(made, of: other, in: room.id))
        case "DELETE": return endSanction(kind, of: other, in: room.id) ? Self.answer(204) : Self.missing
        default: return Self.missing
        }
    }

    /// All sanctions in one page.
    private func list(_ room: FakeRoom) -> TransportResponse {
        let kinds: [ChatSanction.Kind] = [.ban, .mute]
        let list = room.sanctions.keys.sorted().flatMap { user in
            kinds.compactMap { kind in
                sanction(kind, of: user, in: room).map { described($0, of: user, in: room.id) }
            }
        }
        return Self.answer(200, .object(["sanctions": .array(list), "next_cursor": .null]))
    }

    private func described(_ sanction: FakeSanction, of user: String, in thread: String) -> JSONTree {
        .object([
            "thread_id": .text(thread), "user": self.user(user).json, "kind": .text(sanction.kind.rawValue),
            "since_ms": .integer(sanction.since), "until_ms": sanction.until.map { .integer($0) },
            "reason": sanction.reason.map { .text($0) }, "by_id": sanction.by.map { .text($0) },
        ])
    }
}
