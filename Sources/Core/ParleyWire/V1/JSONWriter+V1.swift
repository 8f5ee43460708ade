package import NIOCore
package import ParleyJSON
package import ParleyModel

/// Objects of the v1 dialect that occur in more than one frame or REST response: the only definition of the JSON form
/// of events, threads, pages and acks (PROTOCOL §3 and §REST).
extension JSONWriter {
    /// The written JSON as a buffer.
    package var buffer: ByteBuffer { ByteBuffer(bytes: bytes) }

    /// The form of messages; all other events have one form.
    package enum MessageShape: Sendable {
        /// As on v1 sockets: `type` and position first, as for all events.
        case v1
        /// As in REST: the members of the classic dialect in its order, followed by the additional ones.
        case classic
    }

    /// The value of `epoch` for a thread without events.
    package enum AbsentEpoch: Sendable {
        /// `""`, on sockets: a client can pass it back in `resume`.
        case empty
        /// `null`, in REST.
        case null
    }

    /// Writes the member `epoch` for the end of a log.
    package mutating func epoch(of head: Position?, absent: AbsentEpoch) {
        key("epoch")
        switch (head, absent) {
        case (let head?, _): string(head.epoch.text)
        case (nil, .empty): string("")
        case (nil, .null): null()
        }
    }

    /// Writes the position of an event.
    private mutating func place(_ thread: ThreadID, _ position: Position, _ milliseconds: Int64) {
        member("thread_id", thread.text)
        member("epoch", position.epoch.text)
        member("seq", position.seq)
        member("date", CivilTime.seconds(milliseconds: milliseconds))
        member("date_ms", milliseconds)
    }

    // MARK: Replies

    /// Writes the ack of a command that was appended to a log, without `type` and `ref`.
    /// - Parameters:
    ///   - level: for a send.
    ///   - clientID: for a send with a `client_id`.
    package mutating func ack(_ receipt: Receipt, level: V1Send.Level?, clientID: String?) {
        if let level { member("level", level.rawValue) }
        place(receipt.thread, receipt.position, receipt.milliseconds)
        if level != nil, let id = receipt.messageID { member("id", id.text) }
        if let clientID { member("client_id", clientID) }
        if receipt.isRepeat { member("repeat", true) }
    }

    mutating func limits(_ limits: Limits) {
        beginObject()
        member("frame_bytes", Int64(limits.frameBytes))
        member("text_chars", Int64(limits.textScalars))
        member("sends_per_second", Int64(limits.sendsPerSecond))
        member("sends_burst", Int64(limits.sendsBurst))
        budget("reads_per_second", "reads_burst", limits.budget(of: .reads))
        budget("typing_per_second", "typing_burst", limits.budget(of: .typing))
        budget("history_per_second", "history_burst", limits.budget(of: .history))
        budget("lists_per_second", "lists_burst", limits.budget(of: .lists))
        member("lists_at_once", Int64(limits.listsAtOnce))
        budget("searches_per_second", "searches_burst", limits.budget(of: .searches))
        member("searches_at_once", Int64(limits.searchesAtOnce))
        budget("files_per_second", "files_burst", limits.budget(of: .files))
        budget("watch_per_second", "watch_burst", limits.budget(of: .watches))
        budget("resume_per_second", "resume_burst", limits.budget(of: .resumes))
        budget("auth_per_second", "auth_burst", limits.budget(of: .auths))
        budget("ping_per_second", "ping_burst", limits.budget(of: .pings))
        member("client_id_chars", Int64(V1Limits.clientIDScalars))
        member("parts", Int64(MessagePart.maximumCount))
        member("history_events", V1Limits.historyEvents)
        member("replay_events", V1Limits.replayEvents)
        member("watch_users", Int64(V1Limits.watchedUsers))
        endObject()
    }

    private mutating func budget(_ perSecond: StaticString, _ burst: StaticString, _ budget: Budget) {
        member(perSecond, Int64(budget.perSecond))
        member(burst, Int64(budget.burst))
    }

    // MARK: Threads

    package mutating func user(_ user: User, _ profile: Profile = Profile()) {
        beginObject()
        member("id", user.id.text)
        member("username", user.name)
        if let name = profile.displayName { member("display_name", name) }
        if let url = profile.avatarURL { member("avatar_url", url) }
        endObject()
    }

    /// Writes the members of a thread from its member's view, without the braces.
    package mutating func thread(_ thread: V1Thread, absentEpoch: AbsentEpoch) {
        member("id", thread.thread.id.text)
        member("title", thread.thread.title)
        member("kind", thread.thread.kind.rawValue)
        member("visibility", thread.thread.visibility.rawValue)
        member("role", thread.role.rawValue)
        epoch(of: thread.head, absent: absentEpoch)
        member("seq", thread.head?.seq ?? 0)
        member("unread", thread.unread)
        member("read_seq", thread.readSeq)
        if thread.isUnavailable { member("unavailable", true) }
        if let mute = thread.mute { self.mute(mute) }
        options(thread.options, isBlocked: thread.isBlocked)
        if let first = thread.visibleFrom { member("visible_from", first) }
    }

    /// Writes what differs from the default of a room, without the braces.
    package mutating func options(_ options: RoomOptions, isBlocked: Bool = false) {
        if isBlocked { member("blocked", true) }
        guard options != .standard else { return }
        if let topic = options.topic { member("topic", topic) }
        if let picture = options.picture { member("picture", picture.text) }
        if options.isArchived { member("archived", true) }
        if options.slowSeconds > 0 { member("slow_mode_seconds", options.slowSeconds) }
        if options.rights != .standard {
            key("rights")
            beginObject()
            for right in RoomRight.allCases {
                let holder = options.rights[right].rawValue
                switch right {
                case .write: member("write", holder)
                case .attach: member("attach", holder)
                case .mention: member("mention", holder)
                case .add: member("add", holder)
                }
            }
            endObject()
        }
        if options.changes > 0 { member("changes", options.changes) }
    }

    /// Writes the users that a user blocks as the member `blocks`.
    package mutating func blocks(_ users: [UserID]) {
        key("blocks")
        beginArray()
        for user in users { string(user.text) }
        endArray()
    }

    /// Writes a user's mute as the member `mute`.
    package mutating func mute(_ mute: Sanction) {
        key("mute")
        beginObject()
        if let until = mute.until { member("until_ms", until) }
        if let reason = mute.reason { member("reason", reason) }
        endObject()
    }

    // MARK: Events

    /// - Parameter name: the member that holds the array.
    package mutating func events(_ name: StaticString, _ events: [LogEvent], messages shape: MessageShape) {
        key(name)
        beginArray()
        for event in events { self.event(event, messages: shape) }
        endArray()
    }

    /// Writes a log event as an object; a message with its present status.
    package mutating func event(_ event: LogEvent, messages shape: MessageShape = .v1) {
        beginObject()
        if shape == .classic, let message = event.message {
            classicMembers(of: message, event)
            details(of: message)
            return endObject()
        }
        member("type", event.body.v1Type)
        place(event.thread, event.position, event.milliseconds)
        switch event.body {
        case .message(let body): message(body)
        case .edited(let edit):
            member("message_id", edit.messageID.text)
            member("message_seq", edit.messageSeq)
            member("text", edit.text)
            member("by_id", edit.by.text)
        case .deleted(let deletion):
            member("message_id", deletion.messageID.text)
            member("message_seq", deletion.messageSeq)
            member("by_id", deletion.by.text)
        case .reaction(let reaction):
            member("message_id", reaction.messageID.text)
            member("message_seq", reaction.messageSeq)
            member("user_id", reaction.user.text)
            member("emoji", reaction.emoji)
            member("on", reaction.isOn)
        case .joined(let user, let by):
            member("user_id", user.id.text)
            member("username", user.name)
            member("by_id", (by ?? user.id).text)
        case .left(let user, let by):
            member("user_id", user.id.text)
            member("username", user.name)
            member("by_id", by.text)
        case .renamed(let title, let by):
            member("title", title)
            member("by_id", by.text)
        case .role(let user, let role, let by):
            member("user_id", user.text)
            member("role", role.rawValue)
            member("by_id", by.text)
        case .visibility(let visibility, let by):
            member("visibility", visibility.rawValue)
            member("by_id", by.text)
        }
        endObject()
    }

    private mutating func message(_ message: Message) {
        member("id", message.id.text)
        member("text", message.text)
        member("sender_id", message.sender.id.text)
        member("sender_name", message.sender.name)
        if let name = message.senderDisplayName { member("sender_display_name", name) }
        if let clientID = message.clientID { member("client_id", clientID) }
        details(of: message)
    }

    /// Writes the fields that the classic dialect does not have.
    private mutating func details(of message: Message) {
        if !message.parts.isEmpty { parts(message.parts) }
        if let replyTo = message.replyTo { member("reply_to", replyTo) }
        status(message.status)
    }

    mutating func parts(_ parts: [MessagePart]) {
        key("parts")
        array(parts) { $0.tree($1.tree) }
    }

    /// Writes nothing for a message without later changes.
    private mutating func status(_ status: MessageStatus) {
        if let date = status.editedMilliseconds { member("edited_ms", date) }
        if status.isDeleted { member("deleted", true) }
        if status.isErased { member("erased", true) }
        guard !status.reactions.isEmpty else { return }
        key("reactions")
        beginArray()
        for reaction in status.reactions {
            beginObject()
            member("emoji", reaction.emoji)
            member("count", reaction.count)
            key("users")
            beginArray()
            for user in reaction.users { string(user.text) }
            endArray()
            endObject()
        }
        endArray()
    }
}

extension LogEvent.Body {
    /// The `type` that identifies the kind of event to clients.
    package var v1Type: String { kind.rawValue }
}
