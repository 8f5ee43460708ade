import ParleyClient
import ParleyJSON

/// Commands on sockets.
extension FakeServerState {
    /// A command that is not executed.
    private struct Refused: Error {
        let code: ServerErrorCode
        var retryAfter: Duration?
        var message: String

        init(_ code: ServerErrorCode, retryAfter: Duration? = nil, message: String = "refused by the fake server") {
            self.code = code
            self.retryAfter = retryAfter
            self.message = message
        }
    }

    mutating func receive(_ text: String, on socket: FakeSocket) {
        guard let frame = try? JSONTree(parsing: text) else { return }
        let ref = frame["ref"]
        do {
            try execute(frame, ref, socket)
        } catch let refused as Refused {
            let isRetryable = [.rateLimited, .unavailable].contains(refused.code)
            push(
                .object([
                    "type": .text("error"), "ref": ref, "code": .text(refused.code.rawValue),
                    "message": .text(refused.message), "retryable": .bool(isRetryable),
                    "retry_after_ms": refused.retryAfter.map { .integer($0.wholeMilliseconds) },
                ]), on: socket)
        } catch {}
    }

    private mutating func execute(_ frame: JSONTree, _ ref: JSONTree?, _ socket: FakeSocket) throws {
        if let command = frame["message"] {
            try send(command, ref, socket)
        } else if let command = frame["edit"] ?? frame["delete"] ?? frame["react"] {
            try change(command, frame, ref, socket)
        } else if let command = frame["read"] {
            try read(command, ref, socket)
        } else if let command = frame["typing"] {
            try showTyping(command, ref, socket)
        } else if let command = frame["resume"] {
            resume(command, ref, socket)
        } else if let command = frame["history"] {
            let room = try room(command, socket)
            let page = room.page(
                before: command["before"]?.place, after: command["after"]?.place,
                limit: command["limit"]?.count ?? 30)
            let type = JSONTree.Member("type", .text("page"))
            let number = ref.map { [JSONTree.Member("ref", $0)] } ?? []
            push(.object([type] + number + page), on: socket)
        } else if let command = frame["watch"] {
            let users = (command["users"]?.elements ?? []).compactMap(\.text)
            watched[ObjectIdentifier(socket)] = users
            ack(ref, socket)
            for user in users { push(presence(of: user, for: socket.user), on: socket) }
        } else if let number = frame["ping"] {
            push(
                .object([
                    "type": .text("pong"), "ref": ref, "ping": number, "server_time": .integer(milliseconds),
                ]), on: socket)
        } else if frame["auth"] != nil {
            ack(ref, socket)
        } else {
            throw Refused(.unknownCommand)
        }
    }

    private func ack(_ ref: JSONTree?, _ socket: FakeSocket, _ more: [JSONTree.Member] = []) {
        guard let ref else { return }
        push(.object([.init("type", .text("ack")), .init("ref", ref)] + more), on: socket)
    }

    /// Returns the thread of a command, if the user is a member.
    private func room(_ command: JSONTree, _ socket: FakeSocket) throws -> FakeRoom {
        guard let id = command["id"]?.text ?? command.text, let room = rooms[id], !room.isHidden(from: socket.user)
        else { throw Refused(.notFound) }
        guard room.members[socket.user] != nil else { throw Refused(.notAMember) }
        return room
    }

    /// - Throws: `forbidden` for a member who may only read, or who is muted, and in a room or thread in which they may not
    ///   write.
    private func checkWriting(_ user: String, in room: FakeRoom) throws {
        guard room.options.allows("write", room.members[user]), !room.options.isArchived, !isBlocked(room) else {
            throw Refused(.forbidden)
        }
        guard room.members[user] != .readOnly, sanction(.mute, of: user, in: room) == nil else {
            throw Refused(.forbidden)
        }
    }

    /// Throws the refusal that the app's test has ordered, if there is one.
    private mutating func refuseIfOrdered() throws {
        guard !refusedCommands.isEmpty else { return }
        let refusal = refusedCommands.removeFirst()
        throw Refused(refusal.code, retryAfter: refusal.retryAfter)
    }

    private mutating func send(_ command: JSONTree, _ ref: JSONTree?, _ socket: FakeSocket) throws {
        let room = try room(command, socket)
        try refuseIfOrdered()
        try checkWriting(socket.user, in: room)
        let text = command["text"]?.text ?? ""
        guard text.unicodeScalars.count <= textLimit else { throw Refused(.tooLarge) }
        let parts = try (command["parts"]?.elements ?? []).map { try part($0, of: socket.user) }
        guard !text.isEmpty || !parts.isEmpty else { throw Refused(.badRequest) }
        let clientID = command["client_id"]?.text
        let draft = FakeDraft(text: text, parts: parts, replyTo: command["reply_to"]?.place, clientID: clientID)
        let name = clientID.map { SendName(sender: socket.user, clientID: $0) }
        let seq: Int
        if let known = name.flatMap({ sends[$0] }) {
            guard known.thread == room.id, known.draft == draft else { throw Refused(.conflict) }
            seq = known.seq
        } else {
            try checkSending(draft, by: socket.user, in: room)
            guard let new = post(draft, by: socket.user, in: room.id) else { throw Refused(.notFound) }
            seq = new
            if let name { sends[name] = (room.id, seq, draft) }
        }
        guard let place = rooms[room.id]?.ack(seq) else { return }
        let message = [JSONTree.Member("id", .text("\(room.id)-\(seq)"))]
        for level in command["ack"]?.text == "stored" ? ["accepted", "stored"] : ["accepted"] {
            ack(ref, socket, [.init("level", .text(level))] + place + message)
        }
    }

    /// - Throws: `forbidden` for content that only moderators may send, and `rateLimited` in slow mode.
    private func checkSending(_ draft: FakeDraft, by user: String, in room: FakeRoom) throws {
        let (options, role) = (room.options, room.members[user])
        let words = Set(draft.text.lowercased().split { $0 == " " || $0 == "\n" }.map(String.init))
        guard options.allows("attach", role) || draft.parts.isEmpty,
            options.allows("mention", role) || words.isDisjoint(with: ["@all", "@everyone", "@channel", "@here"])
        else { throw Refused(.forbidden) }
        guard options.slowSeconds > 0, role != .owner, role != .moderator, let last = room.sentAt[user] else { return }
        let rest = last + options.slowSeconds * 1000 - milliseconds
        guard rest <= 0 else {
            throw Refused(.rateLimited, retryAfter: .milliseconds(rest), message: "slow mode: wait for your turn")
        }
    }

    /// Completes a part that refers to a file.
    private func part(_ tree: JSONTree, of user: String) throws -> ChatPart {
        guard let id = tree["attachment"]?.text else { return ChatPart(tree) }
        guard let file = files[id], file.isComplete, file.owner == user else { throw Refused(.notFound) }
        return ChatPart(
            ChatFile(
                url: "/v1/attachments/\(id)", mediaType: file.mediaType, name: file.name, size: file.size,
                width: tree["width"]?.int, height: tree["height"]?.int,
                durationMilliseconds: tree["duration_ms"]?.int, attachmentID: id))
    }

    private mutating func change(
        _ command: JSONTree, _ frame: JSONTree, _ ref: JSONTree?, _ socket: FakeSocket
    ) throws {
        let room = try room(command, socket)
        try refuseIfOrdered()
        try checkWriting(socket.user, in: room)
        let role = room.members[socket.user] ?? .member
        guard let message = command["message_id"]?.text.flatMap({ room.message(named: $0) }) else {
            throw Refused(.notFound)
        }
        let isOwn = message.senderID == socket.user
        if frame["delete"] != nil {
            guard isOwn || [.owner, .moderator].contains(role) else { throw Refused(.forbidden) }
            guard !message.isDeleted else { return ack(ref, socket) }
            append(.deleted(message: message.seq), by: socket.user, in: room.id)
        } else if message.isDeleted {
            throw Refused(.notFound)
        } else if frame["edit"] != nil {
            guard isOwn else { throw Refused(.forbidden) }
            append(.edited(message: message.seq), by: socket.user, text: command["text"]?.text ?? "", in: room.id)
        } else {
            append(
                .reaction(
                    message: message.seq, user: socket.user, emoji: command["emoji"]?.text ?? "",
                    isOn: command["on"]?.flag ?? true), by: nil, in: room.id)
        }
        guard let changed = rooms[room.id] else { return }
        ack(ref, socket, changed.ack(changed.head))
    }

    private mutating func read(_ command: JSONTree, _ ref: JSONTree?, _ socket: FakeSocket) throws {
        let room = try room(command, socket)
        markRead(room.id, by: socket.user, upTo: command["seq"]?.place)
        ack(ref, socket)
    }

    mutating func markRead(_ thread: String, by user: String, upTo seq: Int?) {
        guard let room = rooms[thread] else { return }
        let seq = min(seq ?? room.head, room.head)
        rooms[thread]?.readSeqs[user] = seq
        push(
            .object([
                "type": .text("read"), "thread_id": .text(thread), "user_id": .text(user),
                "read_seq": .integer(Int64(seq)), "date": .integer(milliseconds / 1000),
            ]), toMembersOf: room)
    }

    private func showTyping(_ command: JSONTree, _ ref: JSONTree?, _ socket: FakeSocket) throws {
        let room = try room(command, socket)
        try checkWriting(socket.user, in: room)
        setTyping(command["on"]?.flag ?? true, by: socket.user, in: room)
        ack(ref, socket)
    }

    func setTyping(_ isOn: Bool, by user: String, in room: FakeRoom) {
        let frame = JSONTree.object([
            "type": .text("typing"), "thread_id": .text(room.id), "user_id": .text(user),
            "username": .text(self.user(user).username), "on": .bool(isOn),
        ])
        for socket in sockets where room.members[socket.user] != nil && socket.user != user {
            if !hasBlock(between: user, socket.user) { push(frame, on: socket) }
        }
    }

    private func resume(_ command: JSONTree, _ ref: JSONTree?, _ socket: FakeSocket) {
        var results: [JSONTree.Member] = []
        for position in command["threads"]?.pairs ?? [] {
            guard let room = rooms[position.key], !room.isHidden(from: socket.user) else {
                results.append(.init(position.key, .object(["state": .text("gone")])))
                continue
            }
            guard room.members[socket.user] != nil else {
                results.append(.init(position.key, .object(["state": .text("denied")])))
                continue
            }
            let (result, missing) = room.resumption(after: position.value["seq"]?.place ?? 0)
            for event in missing { push(event, on: socket) }
            results.append(.init(position.key, result))
        }
        push(.object(["type": .text("resumed"), "ref": ref, "threads": .object(results)]), on: socket)
    }
}
