import ParleyClient
import ParleyJSON

/// A link into a room of a ``FakeChatServer``.
struct FakeLink: Sendable {
    /// The maximum number of users who join by one link.
    static let maximumUses: Int64 = 10_000
    /// The maximum number of links in force of a room.
    static let maximumLinks = 50

    let id: String
    let thread: String
    let code: String
    let by: String?
    let since: Int64
    /// The end in milliseconds since 1970; `nil` if there is none.
    let until: Int64?
    let uses: Int64?
    var used: Int64 = 0

    func isInForce(at milliseconds: Int64) -> Bool {
        (until.map { milliseconds < $0 } ?? true) && !isUsedUp
    }

    var isUsedUp: Bool { uses.map { used >= $0 } ?? false }

    /// The description of the link.
    /// - Parameter hasCode: Whether it is the answer to the call that makes the link.
    func described(hasCode: Bool) -> JSONTree {
        .object([
            "id": .text(id), "thread_id": .text(thread), "code": hasCode ? .text(code) : nil,
            "by_id": by.map { .text($0) }, "since_ms": .integer(since), "until_ms": until.map { .integer($0) },
            "uses": uses.map { .integer($0) }, "used": .integer(used),
        ])
    }
}

/// Links, groups and the transfer of rooms to other owners.
extension FakeServerState {
    // MARK: Links

    mutating func addLink(to thread: String, seconds: Int64?, uses: Int64?, by user: String?) -> FakeLink {
        let id = newID("link")
        let link = FakeLink(
            id: id, thread: thread, code: "code-of-\(id)", by: user, since: milliseconds,
            until: seconds.map { milliseconds + $0 * 1000 }, uses: uses)
        links[link.code] = link
        return link
    }

    /// The links of a room that are in force, newest first.
    private func links(to thread: String) -> [FakeLink] {
        links.values.filter { $0.thread == thread && $0.isInForce(at: milliseconds) }
            .sorted { ($1.since, $1.id) < ($0.since, $0.id) }
    }

    mutating func answerLinks(_ call: FakeCall, _ user: String, _ room: FakeRoom) -> TransportResponse {
        if let refusal = refusalToModerate(room, user) { return refusal }
        switch call.method {
        case "GET":
            let list = links(to: room.id).map { $0.described(hasCode: false) }
            return Self.answer(200, .object(["links": .array(list)]))
        case "POST":
            let (seconds, uses) = (call.body["seconds"]?.integer, call.body["uses"]?.integer)
            guard (1...FakeSanction.longestSeconds).contains(seconds ?? 1),
                (1...FakeLink.maximumUses).contains(uses ?? 1)
            else { return Self.refusal(400, .badRequest) }
            guard links(to: room.id).count < FakeLink.maximumLinks else { return Self.refusal(409, .conflict) }
            let link = addLink(to: room.id, seconds: seconds, uses: uses, by: user)
            return Self.answer(201, link.described(hasCode: true))
        case "DELETE":
            guard call.path.count > 4, let link = links(to: room.id).first(where: { $0.id == call.path[4] }) else {
                return Self.missing
            }
            links[link.code] = nil
            return Self.answer(204)
        default: return Self.missing
        }
    }

    /// Shows the room of a code, or lets the user join it.
    mutating func answerCode(_ call: FakeCall, _ user: String) -> TransportResponse {
        guard call.path.count > 2, let link = links[call.path[2]], let room = rooms[link.thread],
            link.isInForce(at: milliseconds) || (link.isUsedUp && room.members[user] != nil)
        else { return Self.missing }
        let isMember = room.members[user] != nil
        if call.method == "GET" {
            let thread = JSONTree.object([
                "id": isMember ? .text(room.id) : nil, "title": .text(title(of: room, for: user)),
                "kind": .text(room.kind.rawValue), "visibility": .text(room.visibility.rawValue),
            ])
            return Self.answer(
                200,
                .object([
                    "thread": thread, "members": .integer(Int64(room.members.count)), "is_member": .bool(isMember),
                ]))
        }
        guard sanction(.ban, of: user, in: room) == nil else { return Self.refusal(403, .forbidden) }
        if !isMember {
            links[link.code]?.used += 1
            join(user, room.id, role: .member, by: nil)
        }
        return Self.answer(isMember ? 200 : 201, rooms[room.id].map { described($0, for: user) })
    }

    /// Returns the answer to a user who is neither owner nor moderator of a room or group; `nil` for one who is.
    func refusalToModerate(_ room: FakeRoom, _ user: String) -> TransportResponse? {
        guard let role = room.members[user] else { return Self.refusal(403, .notAMember) }
        let isModerator = role == .owner || role == .moderator
        return room.kind != .direct && isModerator ? nil : Self.refusal(403, .forbidden)
    }

    // MARK: Groups

    /// Makes a group.
    /// - Parameter users: The IDs of the members; the first one owns the group.
    mutating func addGroup(of users: [String], title: String?) -> String {
        let thread = addRoom(title ?? "", kind: .group)
        for (index, user) in users.enumerated() {
            join(user, thread, role: index == 0 ? .owner : .member, by: users.first)
        }
        return thread
    }

    mutating func createGroup(_ call: FakeCall, _ user: String) -> TransportResponse {
        let names = (call.body["members"]?.elements ?? []).compactMap(\.text)
        let title = call.body["title"]?.text
        guard (1...50).contains(names.count), title.map({ (1...64).contains($0.count) }) ?? true else {
            return Self.refusal(400, .badRequest)
        }
        let found = names.compactMap { find($0)?.id.rawValue }
        guard found.count == names.count else { return Self.missing }
        let thread = addGroup(of: [user] + found.filter { $0 != user }, title: title)
        return Self.answer(201, rooms[thread].map { described($0, for: user) })
    }

    // MARK: Another owner

    mutating func setOwner(_ call: FakeCall, _ user: String, _ room: FakeRoom) -> TransportResponse {
        guard let role = room.members[user] else { return Self.refusal(403, .notAMember) }
        guard role == .owner, room.kind != .direct else { return Self.refusal(403, .forbidden) }
        guard let other = call.body["user"]?.text.flatMap({ find($0) })?.id.rawValue, room.members[other] != nil else {
            return Self.missing
        }
        guard other != user else { return Self.refusal(409, .conflict) }
        for (member, role) in [(other, ChatRole.owner), (user, .moderator)] {
            rooms[room.id]?.members[member] = role
            append(.role(user: member, role), by: user, in: room.id)
        }
        return Self.answer(
            200, .object(["thread_id": .text(room.id), "user": self.user(other).json, "role": .text("owner")]))
    }
}
