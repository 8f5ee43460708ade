package import ParleyModel

/// Ephemeral events, control events and read marks as sent between nodes. Only nodes subscribe to their channels.
package enum SignalPayload {
    /// Whether a value is for nodes only and must never reach clients.
    package static func isOurs(_ value: ChannelsValue) -> Bool {
        value["type"]?.text?.hasPrefix("parley.") ?? false
    }

    package static func value(of event: EphemeralEvent) -> ChannelsValue {
        switch event {
        case .guestJoined(let name): return signal("guest_joined", ["name": .text(name)])
        case .guestLeft(let name): return signal("guest_left", ["name": .text(name)])
        case .typing(let user, let isOn):
            return signal(
                "typing", ["user_id": .text(user.id.text), "user_name": .text(user.name), "on": .bool(isOn)])
        case .read(let user, let seq, let date):
            return signal("read", ["user_id": .text(user.text), "seq": .int(seq), "date": .int(date)])
        case .stored(let seq, let epoch):
            return signal("stored", ["seq": .int(seq), "epoch": .text(epoch.text)])
        }
    }

    private static func signal(_ kind: String, _ fields: KeyValuePairs<String, ChannelsValue>) -> ChannelsValue {
        let head: [(key: String, value: ChannelsValue)] = [("type", .text("parley.notice")), ("kind", .text(kind))]
        return .map((head + Array(fields)).map { ChannelsValue.Entry(.text($0.key), $0.value) })
    }

    /// Reads an ephemeral event; `nil` for any other value.
    package static func ephemeral(_ value: ChannelsValue) -> EphemeralEvent? {
        guard value["type"]?.text == "parley.notice" else { return nil }
        let user = value["user_id"]?.text.flatMap { UserID($0) }
        switch value["kind"]?.text {
        case "guest_joined": return value["name"]?.text.map { .guestJoined($0) }
        case "guest_left": return value["name"]?.text.map { .guestLeft($0) }
        case "typing":
            guard let user, let name = value["user_name"]?.text, case .bool(let isOn) = value["on"] else { return nil }
            return .typing(User(id: user, name: name), isOn: isOn)
        case "read":
            guard let user, let seq = value["seq"]?.integer?.within(LogBounds.seqs),
                let date = value["date"]?.integer?.within(LogBounds.dates)
            else { return nil }
            return .read(user, seq: seq, date: date)
        case "stored":
            guard let seq = value["seq"]?.integer?.within(LogBounds.seqs), let epoch = value["epoch"]?.text else {
                return nil
            }
            return .stored(seq: seq, epoch: Epoch(epoch))
        default: return nil
        }
    }

    package static func value(of mark: ReadMark) -> ChannelsValue {
        .object([
            "type": .text("parley.read"), "thread_id": .text(mark.thread.text), "user_id": .text(mark.user.text),
            "seq": mark.seq.map { .int($0) } ?? .null, "ms": mark.milliseconds.map { .int($0) } ?? .null,
        ])
    }

    /// Reads a read mark; `nil` for any other value.
    package static func readMark(_ value: ChannelsValue) -> ReadMark? {
        guard value["type"]?.text == "parley.read", let thread = value["thread_id"]?.text.flatMap({ ThreadID($0) }),
            let user = value["user_id"]?.text.flatMap({ UserID($0) })
        else { return nil }
        let (seq, milliseconds) = (value["seq"]?.integer, value["ms"]?.integer)
        guard LogBounds.seqs.contains(seq ?? 0), LogBounds.dates.contains(milliseconds ?? 0) else { return nil }
        return ReadMark(thread: thread, user: user, seq: seq, milliseconds: milliseconds)
    }

    package static func value(of event: ControlEvent) -> ChannelsValue {
        switch event {
        case .added(let membership, let after):
            let thread = membership.thread
            let peer = membership.peer.map {
                ChannelsValue.object(["id": .text($0.id.text), "name": .text($0.name)])
            }
            return .object([
                "type": .text("parley.added"), "thread_id": .text(thread.id.text), "kind": .text(thread.kind.rawValue),
                "title": .text(thread.title), "visibility": .text(thread.visibility.rawValue),
                "role": .text(membership.role.rawValue), "peer": peer ?? .null,
                "after": .int(after), "mute": membership.mute.map { self.value(of: $0) } ?? .null,
                "start": membership.start.map { value(of: $0) } ?? .null,
                "options": membership.options.stored.map { .text($0) } ?? .null,
                "blocked": .bool(membership.isBlocked),
            ])
        case .removed(let thread, let left):
            return .object([
                "type": .text("parley.removed"), "thread_id": .text(thread.text),
                "epoch": left.map { .text($0.epoch.text) } ?? .null, "seq": left.map { .int($0.seq) } ?? .null,
            ])
        case .sessionRevoked(let token):
            return .object(["type": .text("parley.session_revoked"), "token_hash": .text(token.text)])
        case .erased:
            return .object(["type": .text("parley.erased")])
        case .changed:
            return .object(["type": .text("parley.changed")])
        }
    }

    private static func value(of mute: Sanction) -> ChannelsValue {
        .object([
            "until": mute.until.map { .int($0) } ?? .null, "reason": mute.reason.map { .text($0) } ?? .null,
        ])
    }

    private static func value(of start: HistoryStart) -> ChannelsValue {
        switch start {
        case .joining(let entry): .object(["entry": .int(entry)])
        case .joined(let position, let entry):
            .object(["entry": .int(entry), "epoch": .text(position.epoch.text), "seq": .int(position.seq)])
        case .stored(let seq): .object(["seq": .int(seq)])
        }
    }

    /// Reads the start of the log for a member, or `nil` for none. One that is not readable is unknown, so that nothing is shown.
    private static func start(_ value: ChannelsValue) -> HistoryStart? {
        if case .null = value { return nil }
        let (entry, seq) = (value["entry"]?.integer, value["seq"]?.integer?.within(LogBounds.seqs))
        guard let seq else { return .joining(entry: entry ?? 0) }
        guard let entry, let epoch = value["epoch"]?.text else { return .stored(seq) }
        return .joined(Position(epoch: Epoch(epoch), seq: seq), entry: entry)
    }

    /// Reads the options of a room. Ones that are not readable are the standard ones, until the next snapshot.
    private static func options(_ value: ChannelsValue?) -> RoomOptions {
        value?.text.flatMap { try? RoomOptions(stored: $0) } ?? .standard
    }

    /// Reads a mute; `nil` for any other value, and if the end is out of range.
    private static func mute(_ value: ChannelsValue) -> Sanction? {
        guard case .map = value else { return nil }
        let until = value["until"]?.integer
        guard until.map(LogBounds.dates.contains) ?? true else { return nil }
        return Sanction(.mute, until: until, reason: value["reason"]?.text)
    }

    /// Reads a control event; `nil` for any other value.
    package static func control(_ value: ChannelsValue) -> ControlEvent? {
        let thread = value["thread_id"]?.text.flatMap { ThreadID($0) }
        switch value["type"]?.text {
        case "parley.added":
            guard let thread, let kind = value["kind"]?.text.flatMap(ThreadInfo.Kind.init(rawValue:)),
                let title = value["title"]?.text, let after = value["after"]?.integer?.within(LogBounds.seqs),
                let role = value["role"]?.text.flatMap(Membership.Role.init(rawValue:))
            else { return nil }
            let visibility = value["visibility"]?.text.flatMap(RoomVisibility.init(rawValue:)) ?? .private
            return .added(
                Membership(
                    thread: ThreadInfo(id: thread, kind: kind, title: title, visibility: visibility), role: role,
                    peer: value["peer"].flatMap(EventPayload.user), mute: value["mute"].flatMap(mute),
                    start: value["start"].flatMap(start), options: options(value["options"]),
                    isBlocked: value["blocked"] == .bool(true)),
                after: after)
        case "parley.removed":
            let epoch = value["epoch"]?.text.map { Epoch($0) }
            let left = epoch.flatMap { epoch in
                value["seq"]?.integer?.within(LogBounds.seqs).map { Position(epoch: epoch, seq: $0) }
            }
            return thread.map { .removed($0, left: left) }
        case "parley.session_revoked":
            return value["token_hash"]?.text.map { .sessionRevoked(TokenHash($0)) }
        case "parley.erased":
            return .erased
        case "parley.changed":
            return .changed
        default:
            return nil
        }
    }
}
