import Foundation
import ParleyClient
import ParleyJSON

/// REST calls for threads and members.
extension FakeServerState {
    mutating func answerThreads(_ call: FakeCall, _ user: String) -> TransportResponse {
        if call.path == ["v1", "direct"] { return openDirect(call, user) }
        guard call.path.count > 2 else {
            if call.method == "POST" {
                return call.body["kind"]?.text == "group" ? createGroup(call, user) : enter(call, user)
            }
            return Self.answer(200, .object(["threads": .array(threads(of: user)), "next_cursor": .null]))
        }
        if call.path[2] == "joinable" { return joinable(call, user) }
        let part = call.path.dropFirst(3).first
        if part == "requests", call.path.count == 4, call.method == "POST" { return ask(call, user) }
        guard let room = rooms[call.path[2]], !room.isHidden(from: user) else { return Self.missing }
        switch part {
        case "members": return answerMembers(call, user, room)
        case "sanctions": return answerSanctions(call, user, room)
        case "links": return answerLinks(call, user, room)
        case "invitations": return answerInvitations(call, user, room)
        case "requests": return answerRequests(call, user, room)
        case "notifications": return answerThreadSettings(call, user, room)
        case "owner": return setOwner(call, user, room)
        default: break
        }
        guard let role = room.members[user] else { return Self.refusal(403, .notAMember) }
        if part == "messages" { return messages(call, room) }
        switch call.method {
        case "GET": return Self.answer(200, details(of: room, for: user))
        case "PATCH":
            let isAllowed = role == .owner || (role == .moderator && !FakeOptions.needsOwner(call.body))
            guard isAllowed, room.kind != .direct else { return Self.refusal(403, .forbidden) }
            return change(room, call, user)
        case "DELETE":
            guard role == .owner else { return Self.refusal(403, .forbidden) }
            for member in room.members.keys.sorted() { remove(member, room.id) }
            for other in Set(room.invitations.keys).union(requests.keys).sorted() {
                endEntrances(of: other, to: room.id)
            }
            rooms[room.id] = nil
            return Self.answer(204)
        default: return Self.missing
        }
    }

    /// Changes the title, the visibility and details.
    private mutating func change(_ room: FakeRoom, _ call: FakeCall, _ user: String) -> TransportResponse {
        let (title, visibility) = (call.body["title"]?.text, Self.visibility(call))
        guard title?.isEmpty != true, visibility != .other, !call.body.pairs.isEmpty,
            room.kind == .room || visibility == nil
        else { return Self.refusal(400, .badRequest) }
        var options = room.options
        if let code = options.change(call.body) { return Self.refusal(code == .tooLarge ? 413 : 400, code) }
        if visibility ?? room.visibility == .public, let other = publicRoom(titled: title ?? room.title) {
            guard other == room.id else { return Self.refusal(409, .conflict) }
        }
        if let visibility { setVisibility(visibility, by: user, in: room.id) }
        if let title, title != room.title { append(.renamed(title), by: user, in: room.id) }
        set(options, of: room.id)
        return Self.answer(200, rooms[room.id].map { details(of: $0, for: user) })
    }

    mutating func setVisibility(_ visibility: ChatVisibility, by user: String?, in thread: String) {
        guard let room = rooms[thread], room.kind == .room, room.visibility != visibility else { return }
        append(.visibility(visibility), by: user, in: thread)
    }

    /// Returns the visibility in a call: `nil` if there is none, and `other` if it is unknown.
    private static func visibility(_ call: FakeCall) -> ChatVisibility? {
        call.body["visibility"]?.text.map { ChatVisibility(rawValue: $0) ?? .other }
    }

    private func publicRoom(titled title: String) -> String? {
        rooms.values.first { $0.kind == .room && $0.visibility == .public && $0.title == title }?.id
    }

    /// Returns the room that a user enters by its title: their only one that is not public, or else the public one.
    private func room(titled title: String, for user: String) -> String? {
        let closed = rooms.values.filter { room in
            room.kind == .room && room.visibility != .public && room.title == title && room.members[user] != nil
        }
        return closed.count == 1 ? closed[0].id : publicRoom(titled: title)
    }

    private mutating func enter(_ call: FakeCall, _ user: String) -> TransportResponse {
        let title = (call.body["title"]?.text ?? "").trimmingCharacters(in: .whitespaces)
        let visibility = Self.visibility(call) ?? .public
        guard (1...64).contains(title.count), visibility != .other else { return Self.refusal(400, .badRequest) }
        let known = room(titled: title, for: user)
        if let room = known.flatMap({ rooms[$0] }), sanction(.ban, of: user, in: room) != nil {
            return Self.refusal(403, .forbidden)
        }
        let thread = known ?? addRoom(title, visibility: visibility)
        join(user, thread, role: known == nil ? .owner : .member, by: nil)
        return Self.answer(known == nil ? 201 : 200, rooms[thread].map { described($0, for: user) })
    }

    private mutating func openDirect(_ call: FakeCall, _ user: String) -> TransportResponse {
        guard let other = call.body["user"]?.text.flatMap({ find($0) })?.id.rawValue, other != user else {
            return Self.missing
        }
        let thread = direct(user, other)
        return Self.answer(200, rooms[thread].map { described($0, for: user) })
    }

    /// Returns the direct thread of two users, which is created if it does not exist.
    mutating func direct(_ user: String, _ other: String) -> String {
        let known = rooms.values.first { $0.kind == .direct && Set($0.members.keys) == [user, other] }
        if let known { return known.id }
        let thread = addRoom("", kind: .direct)
        rooms[thread]?.members = [user: .member, other: .member]
        for member in [user, other] {
            guard let room = rooms[thread] else { continue }
            push(to: member, ["type": .text("thread"), "op": .text("added"), "thread": described(room, for: member)])
        }
        return thread
    }

    private func joinable(_ call: FakeCall, _ user: String) -> TransportResponse {
        let found = rooms.values.filter { room in
            room.visibility == .public && room.members[user] == nil && sanction(.ban, of: user, in: room) == nil
                && room.title.hasPrefix(call.query["prefix"] ?? "")
        }
        let list = found.sorted { $0.title < $1.title }.prefix(call.limit).map { room in
            JSONTree.object([
                "id": .text(room.id), "title": .text(room.title), "kind": .text("room"), "visibility": .text("public"),
            ])
        }
        return Self.answer(200, .object(["threads": .array(list)]))
    }

    /// The newest message at or before a date, which is all that the client asks for.
    private func messages(_ call: FakeCall, _ room: FakeRoom) -> TransportResponse {
        let date = call.query["at"].flatMap { Int64($0) } ?? .max
        let found = room.messages.values.filter { $0.milliseconds <= date }.map(\.seq).sorted().suffix(call.limit)
        return Self.answer(
            200,
            .object([
                "messages": .array(found.compactMap { room.json(ofMessage: $0) }),
                "head_seq": .integer(Int64(room.head)),
            ]))
    }

    private mutating func answerMembers(_ call: FakeCall, _ user: String, _ room: FakeRoom) -> TransportResponse {
        let own = room.members[user]
        switch call.method {
        case "GET":
            guard own != nil else { return Self.refusal(403, .notAMember) }
            let list = room.members.sorted { $0.key < $1.key }.map { id, role in described(id, role, room.id) }
            return Self.answer(200, .object(["members": .array(list), "next_cursor": .null]))
        case "POST":
            guard let other = call.body["user"]?.text.flatMap({ find($0) })?.id.rawValue else { return Self.missing }
            let adds = own == .owner || own == .moderator || (own != nil && room.options.rights["add"] == "everyone")
            guard adds || other == user, !hasBlock(between: user, other) else { return Self.refusal(403, .forbidden) }
            guard sanction(.ban, of: other, in: room) == nil else { return Self.refusal(403, .forbidden) }
            let role = call.body["role"]?.text.flatMap { ChatRole(rawValue: $0) }
            if let known = room.members[other] {
                guard let role, role != known else { return Self.answer(200, described(other, known, room.id)) }
                rooms[room.id]?.members[other] = role
                append(.role(user: other, role), by: user, in: room.id)
                return Self.answer(200, described(other, role, room.id))
            }
            join(other, room.id, role: role ?? .member, by: user)
            return Self.answer(201, described(other, role ?? .member, room.id))
        case "DELETE":
            guard own != nil else { return Self.refusal(403, .notAMember) }
            guard call.path.count > 4, let other = find(call.path[4])?.id.rawValue, room.members[other] != nil else {
                return Self.missing
            }
            guard other == user || own == .owner || own == .moderator else { return Self.refusal(403, .forbidden) }
            leave(other, room.id, by: user)
            return Self.answer(204)
        default: return Self.missing
        }
    }

    private func described(_ user: String, _ role: ChatRole, _ thread: String) -> JSONTree {
        .object(["thread_id": .text(thread), "user": self.user(user).json, "role": .text(role.rawValue)])
    }
}
