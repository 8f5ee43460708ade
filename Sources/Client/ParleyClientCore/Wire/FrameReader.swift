package import ParleyJSON

extension ServerFrame {
    /// Reads a frame. A frame of an unknown type is `unknown`, because later servers may send other types.
    package init(_ bytes: [UInt8]) {
        guard let tree = try? JSONTree(parsing: bytes), let type = tree["type"]?.text else {
            self = .unknown
            return
        }
        self = Self.frame(type, tree) ?? .unknown
    }

    private static func frame(_ type: String, _ tree: JSONTree) -> ServerFrame? {
        switch type {
        case "hello": return Hello(tree).map { .hello($0) }
        case "ack": return .ack(Ack(tree))
        case "error": return .error(Refusal(tree))
        case "page": return Page(tree).map { .page($0) }
        case "resumed":
            let results = (tree["threads"]?.pairs ?? []).compactMap { pair in
                ResumeResult(pair.value).map { (pair.key, $0) }
            }
            return .resumed(Dictionary(results, uniquingKeysWith: { $1 }), ref: tree["ref"]?.integer)
        case "behind":
            let ranges = (tree["threads"]?.pairs ?? []).compactMap { pair -> (String, ClosedRange<Int>)? in
                guard let to = pair.value["to"]?.place else { return nil }
                return (pair.key, min(pair.value["from"]?.place ?? 0, to)...to)
            }
            return .behind(Dictionary(ranges, uniquingKeysWith: { $1 }))
        case "bye":
            return .bye(
                after: tree["reconnect_after_ms"]?.period ?? .zero, ticket: tree["ticket"]?.text)
        case "pong": return .pong
        case "read":
            guard let thread = tree["thread_id"]?.text, let user = tree["user_id"]?.text,
                let seq = tree["read_seq"]?.place
            else { return nil }
            return .read(thread: thread, user: user, seq: seq, date: tree["date"]?.seconds ?? 0)
        case "typing":
            guard let thread = tree["thread_id"]?.text, let user = tree["user_id"]?.text else { return nil }
            let name = tree["username"]?.text ?? user
            return .typing(thread: thread, user: user, name: name, isOn: tree["on"]?.flag ?? false)
        case "presence":
            guard let user = tree["user_id"]?.text else { return nil }
            return .presence(
                user: user, isOnline: tree["online"]?.flag ?? false, lastSeen: tree["last_seen"]?.seconds)
        case "user": return tree["user"].flatMap { ChatUser($0) }.map { .user($0) }
        case "thread":
            guard let fields = tree["thread"].flatMap({ ThreadFields($0) }) else { return nil }
            switch tree["op"]?.text {
            case "added": return .threadAdded(fields)
            case "removed": return .threadRemoved(fields.id)
            default: return nil
            }
        case "mute":
            guard let thread = tree["thread_id"]?.text, let mute = tree["mute"] else { return nil }
            if mute == .null { return .mute(thread: thread, nil) }
            return Mute(mute).map { .mute(thread: thread, $0) }
        case "entrances": return .entrances(thread: tree["thread_id"]?.text)
        case "room":
            guard let thread = tree["thread_id"]?.text, let room = tree["room"] else { return nil }
            return RoomFields(room).map { .room(thread: thread, $0) }
        case "blocks": return tree["blocks"]?.elements.map { .blocks($0.compactMap(\.text)) }
        default: return ThreadEvent(tree).map { .event($0) }
        }
    }
}

extension ChatUser {
    /// Reads a user with their profile, from a frame or REST.
    package init?(_ tree: JSONTree) {
        guard let id = tree["id"]?.text else { return nil }
        self.init(
            id: ID(id), username: tree["username"]?.text ?? id, displayName: tree["display_name"]?.text,
            avatarURL: tree["avatar_url"]?.text)
    }
}

extension ServerFrame.Hello {
    fileprivate init?(_ tree: JSONTree) {
        guard let user = tree["user"], let id = user["id"]?.text else { return nil }
        node = tree["node"]?.text ?? ""
        userID = id
        username = user["username"]?.text ?? id
        serverTime = tree["server_time"]?.milliseconds
        if let interval = tree["ping_interval_ms"]?.period, interval > .zero { pingInterval = interval }
        textLimit = tree["limits"]?["text_chars"]?.count ?? textLimit
        ticket = tree["ticket"]?.text
        threads = (tree["threads"]?.elements ?? []).compactMap { ServerFrame.ThreadFields($0) }
        blocks = (tree["blocks"]?.elements ?? []).compactMap(\.text)
        hasMore = tree["more"]?.flag ?? false
    }
}

extension ServerFrame.ThreadFields {
    /// Reads a thread from hello, `thread` or REST.
    package init?(_ tree: JSONTree) {
        guard let id = tree["id"]?.text else { return nil }
        self.id = id
        title = tree["title"]?.text ?? id
        kind = tree["kind"]?.text.flatMap { ChatThreadKind(rawValue: $0) } ?? .other
        role = tree["role"]?.text.flatMap { ChatRole(rawValue: $0) } ?? .other
        epoch = tree["epoch"]?.text ?? ""
        seq = tree["seq"]?.place ?? 0
        unread = tree["unread"]?.count ?? 0
        readSeq = tree["read_seq"]?.place ?? 0
        lastMessage = tree["last_message"].flatMap { StoredMessage($0, thread: id) }
        isUnavailable = tree["unavailable"]?.flag ?? false
        visibility = tree["visibility"]?.text.flatMap { ChatVisibility(rawValue: $0) } ?? .other
        mute = tree["mute"].flatMap { ServerFrame.Mute($0) }
        room = ServerFrame.RoomFields(tree) ?? ServerFrame.RoomFields()
    }
}

extension ServerFrame.RoomFields {
    /// Reads the members of a thread, of the frame `room` or of the cache; a missing one has its default.
    package init?(_ tree: JSONTree) {
        guard case .members = tree else { return nil }
        topic = tree["topic"]?.text
        picture = tree["picture"]?.text
        isArchived = tree["archived"]?.flag ?? false
        slowSeconds = max(tree["slow_mode_seconds"]?.integer ?? 0, 0)
        isBlocked = tree["blocked"]?.flag ?? false
        moderatorRights = Set(["write", "attach", "mention"].filter { tree["rights"]?[$0]?.text == "moderators" })
        everyoneAdds = tree["rights"]?["add"]?.text == "everyone"
        changes = max(tree["changes"]?.integer ?? 0, 0)
    }

    /// The stored form of the state.
    package var json: JSONTree {
        let holders = moderatorRights.sorted().map { JSONTree.Member($0, .text("moderators")) }
        let adds = everyoneAdds ? [JSONTree.Member("add", .text("everyone"))] : []
        return .object([
            "topic": topic.map { .text($0) }, "picture": picture.map { .text($0) },
            "archived": isArchived ? .bool(true) : nil,
            "slow_mode_seconds": slowSeconds == 0 ? nil : .integer(slowSeconds),
            "rights": holders.isEmpty && adds.isEmpty ? nil : .object(holders + adds),
            "blocked": isBlocked ? .bool(true) : nil, "changes": changes == 0 ? nil : .integer(changes),
        ])
    }
}

extension ServerFrame.Mute {
    /// Reads a mute from a frame, REST or the cache; `nil` if there is none.
    package init?(_ tree: JSONTree) {
        guard case .members = tree else { return nil }
        until = tree["until_ms"]?.milliseconds
        reason = tree["reason"]?.text
    }

    package var json: JSONTree {
        .object(["until_ms": until.map { .integer($0) }, "reason": reason.map { .text($0) }])
    }
}

extension ServerFrame.Ack {
    fileprivate init(_ tree: JSONTree) {
        ref = tree["ref"]?.integer
        isStored = tree["level"]?.text == "stored"
        thread = tree["thread_id"]?.text
        epoch = tree["epoch"]?.text
        seq = tree["seq"]?.place
        milliseconds = tree["date_ms"]?.milliseconds
        messageID = tree["id"]?.text
    }
}

extension ServerFrame.Refusal {
    fileprivate init(_ tree: JSONTree) {
        ref = tree["ref"]?.integer
        code = tree["code"]?.text.flatMap { ServerErrorCode(rawValue: $0) } ?? .other
        message = tree["message"]?.text ?? ""
        isRetryable = tree["retryable"]?.flag ?? false
        retryAfter = tree["retry_after_ms"]?.period
    }
}

extension ServerFrame.Page {
    fileprivate init?(_ tree: JSONTree) {
        guard let thread = tree["thread_id"]?.text, let elements = tree["events"]?.elements else { return nil }
        ref = tree["ref"]?.integer
        self.thread = thread
        epoch = tree["epoch"]?.text ?? ""
        events = elements.compactMap { ThreadEvent($0) }
        hasMoreBefore = tree["has_more_before"]?.flag ?? false
        hasMoreAfter = tree["has_more_after"]?.flag ?? false
        headSeq = tree["head_seq"]?.place ?? 0
    }
}

extension ServerFrame.ResumeResult {
    fileprivate init?(_ tree: JSONTree) {
        guard let state = tree["state"]?.text.flatMap({ State(rawValue: $0) }) else { return nil }
        self.state = state
        epoch = tree["epoch"]?.text ?? ""
        from = tree["from"]?.place
        to = tree["to"]?.place
    }
}
