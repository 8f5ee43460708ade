import ParleyClient
import ParleyJSON

/// An invitation to a room of a ``FakeChatServer``.
struct FakeInvitation: Sendable {
    /// The allowed times until an invitation expires, in seconds.
    static let seconds: ClosedRange<Int64> = 60...31_536_000

    let by: String
    let text: String?
    let since: Int64
    /// The end in milliseconds since 1970; `nil` if there is none.
    let until: Int64?

    func isOpen(at milliseconds: Int64) -> Bool { until.map { milliseconds < $0 } ?? true }

    var fields: [JSONTree.Member] {
        let tree = JSONTree.object([
            "text": text.map { .text($0) }, "since_ms": .integer(since), "until_ms": until.map { .integer($0) },
        ])
        return tree.pairs
    }
}

/// Invitations.
extension FakeServerState {
    mutating func invite(
        _ user: String, to thread: String, seconds: Int64?, text: String?, by: String
    ) {
        let now = milliseconds
        rooms[thread]?.invitations[user] = FakeInvitation(
            by: by, text: text, since: now, until: seconds.map { now + $0 * 1000 })
        pushEntrances(to: user)
        pushEntrances(of: thread)
    }

    /// Ends the invitation and the request of a user.
    mutating func endEntrances(of user: String, to thread: String) {
        let isInvited = rooms[thread]?.invitations.removeValue(forKey: user) != nil
        let hasAsked = requests[user]?.removeValue(forKey: thread) != nil
        if isInvited { pushEntrances(to: user) }
        if isInvited || hasAsked { pushEntrances(of: thread) }
    }

    private func invitation(of user: String, to room: FakeRoom) -> FakeInvitation? {
        room.invitations[user].flatMap { $0.isOpen(at: milliseconds) ? $0 : nil }
    }

    /// Reports that the user's own invitations may have changed.
    private func pushEntrances(to user: String) { push(to: user, ["type": .text("entrances")]) }

    /// Reports to the moderators of a room that its invitations and requests may have changed.
    func pushEntrances(of thread: String) {
        for (user, role) in rooms[thread]?.members ?? [:] where role == .owner || role == .moderator {
            push(to: user, ["type": .text("entrances"), "thread_id": .text(thread)])
        }
    }

    // MARK: Moderators

    mutating func answerInvitations(_ call: FakeCall, _ user: String, _ room: FakeRoom) -> TransportResponse {
        if let refusal = refusalToModerate(room, user) { return refusal }
        guard call.path.count > 4 else {
            let list = room.invitations.keys.sorted().compactMap { described($0, room) }
            return Self.answer(200, .object(["invitations": .array(list), "next_cursor": .null]))
        }
        guard let other = find(call.path[4])?.id.rawValue else { return Self.missing }
        let known = invitation(of: other, to: room)
        switch call.method {
        case "PUT":
            let (seconds, text) = (call.body["seconds"]?.integer, call.body["text"]?.text)
            if let refusal = Self.refusal(ofText: text) { return refusal }
            guard FakeInvitation.seconds.contains(seconds ?? 60) else { return Self.refusal(400, .badRequest) }
            guard room.members[other] == nil else { return Self.refusal(409, .conflict) }
            guard sanction(.ban, of: other, in: room) == nil, !hasBlock(between: user, other) else {
                return Self.refusal(403, .forbidden)
            }
            invite(other, to: room.id, seconds: seconds, text: text, by: user)
            return Self.answer(known == nil ? 201 : 200, rooms[room.id].flatMap { described(other, $0) })
        case "DELETE":
            guard known != nil else { return Self.missing }
            rooms[room.id]?.invitations[other] = nil
            pushEntrances(to: other)
            pushEntrances(of: room.id)
            return Self.answer(204)
        default: return Self.missing
        }
    }

    private func described(_ user: String, _ room: FakeRoom) -> JSONTree? {
        invitation(of: user, to: room).map { invitation in
            let thread = JSONTree.Member("thread_id", .text(room.id))
            let by = JSONTree.Member("by", self.user(invitation.by).json)
            return .object([thread, JSONTree.Member("user", self.user(user).json), by] + invitation.fields)
        }
    }

    /// Returns the refusal of a text that is not allowed; `nil` for any other.
    static func refusal(ofText text: String?) -> TransportResponse? {
        guard let text else { return nil }
        guard !text.isEmpty else { return refusal(400, .badRequest) }
        return text.unicodeScalars.count > 500 ? refusal(413, .tooLarge) : nil
    }

    // MARK: Invited users

    mutating func answerOwnInvitations(_ call: FakeCall, _ user: String) -> TransportResponse {
        guard call.path.count > 3 else {
            let list = rooms.values.sorted { $0.id < $1.id }.compactMap { ownInvitation(user, $0) }
            return Self.answer(200, .object(["invitations": .array(list), "next_cursor": .null]))
        }
        guard let room = rooms[call.path[3]] else { return Self.missing }
        if call.method == "POST" {
            if room.members[user] != nil { return Self.answer(200, described(room, for: user)) }
            guard invitation(of: user, to: room) != nil else { return Self.missing }
            join(user, room.id, role: .member, by: nil)
            return Self.answer(200, rooms[room.id].map { described($0, for: user) })
        }
        guard invitation(of: user, to: room) != nil else { return Self.missing }
        rooms[room.id]?.invitations[user] = nil
        pushEntrances(to: user)
        pushEntrances(of: room.id)
        return Self.answer(204)
    }

    private func ownInvitation(_ user: String, _ room: FakeRoom) -> JSONTree? {
        invitation(of: user, to: room).map { invitation in
            let thread = JSONTree.object([
                "id": .text(room.id), "title": .text(title(of: room, for: user)), "kind": .text(room.kind.rawValue),
                "visibility": .text(room.visibility.rawValue),
            ])
            let members = [
                JSONTree.Member("thread", thread), JSONTree.Member("by", self.user(invitation.by).json),
            ]
            return .object(members + invitation.fields)
        }
    }
}
