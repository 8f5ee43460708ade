package import NIOCore
import ParleyJSON
import ParleyModel

/// Decodes the server's frames of the v1 dialect (PROTOCOL §3); the counterpart of `V1Encoder`.
///
/// Unknown fields and types are ignored, as a later server may send more. It builds the tree of the whole frame; a
/// reader of thousands of events a second should scan only the fields it needs.
package enum V1ClientDecoder {
    /// - Parameter payload: the payload of a text message.
    package static func decode(_ payload: ByteBuffer) throws(V1FrameError) -> V1Received {
        let tree: JSONTree
        do throws(JSONError) {
            tree = try JSONTree(parsing: payload.readableBytesView)
        } catch {
            throw V1FrameError(description: error.explanation)
        }
        guard let type = tree["type"]?.text else { throw .missing("type", in: "?") }
        let fields = V1ServerFields(type: type, tree: tree)
        if let body = try eventBody(fields) { return .frame(.event(try event(body, fields))) }
        if let frame = try connectionFrame(fields) { return .frame(frame) }
        if let frame = try threadFrame(fields) { return .frame(frame) }
        if let thread = fields.optional("thread_id")?.text.flatMap({ ThreadID($0) }),
            let epoch = fields.optional("epoch")?.text, let seq = fields.optional("seq")?.integer
        {
            return .unknownEvent(thread, Position(epoch: Epoch(epoch), seq: seq))
        }
        return .unknown(type: type)
    }

    // MARK: The connection

    private static func connectionFrame(_ fields: V1ServerFields) throws(V1FrameError) -> V1Frame? {
        switch fields.type {
        case "hello": .hello(try hello(fields))
        case "ack": .ack(try ack(fields))
        case "error": try failure(fields)
        case "bye":
            .bye(
                reconnectAfterMilliseconds: try fields.integer("reconnect_after_ms"),
                ticket: fields.optional("ticket")?.text)
        case "pong":
            .pong(
                try fields.integer("ping"), serverTime: try fields.integer("server_time"),
                ref: fields.optional("ref")?.integer)
        default: nil
        }
    }

    private static func hello(_ fields: V1ServerFields) throws(V1FrameError) -> V1Hello {
        let user = try fields.object("user")
        let limits = try fields.object("limits")
        var known = Limits()
        known.frameBytes = Int(clamping: try limits.integer("frame_bytes"))
        known.textScalars = Int(clamping: try limits.integer("text_chars"))
        known.sendsPerSecond = Int(clamping: try limits.integer("sends_per_second"))
        known.sendsBurst = Int(clamping: try limits.integer("sends_burst"))
        var threads: [V1Thread] = []
        for element in try fields.array("threads") {
            threads.append(try thread(V1ServerFields(type: fields.type, tree: element)))
        }
        var hello = V1Hello(
            connection: try fields.id("connection"), node: try fields.text("node"),
            user: User(id: try user.id("id"), name: try user.text("username")),
            serverTime: try fields.integer("server_time"),
            pingIntervalMilliseconds: try fields.integer("ping_interval_ms"), limits: known,
            ticket: fields.optional("ticket")?.text, threads: threads,
            hasMore: fields.optional("more") == .bool(true))
        hello.protocolVersion = fields.optional("protocol")?.integer ?? 0
        return hello
    }

    private static func ack(_ fields: V1ServerFields) throws(V1FrameError) -> V1Ack {
        var ack = V1Ack(ref: try fields.integer("ref"))
        ack.level = fields.optional("level")?.text.flatMap { V1Send.Level(rawValue: $0) }
        ack.clientID = fields.optional("client_id")?.text
        guard fields.optional("thread_id") != nil else { return ack }
        let thread: ThreadID = try fields.id("thread_id")
        guard fields.optional("seq") != nil else {
            ack.thread = thread
            return ack
        }
        ack.receipt = Receipt(
            thread: thread, position: try fields.position(), milliseconds: try fields.integer("date_ms"),
            messageID: fields.optional("id")?.text.flatMap { MessageID($0) },
            isRepeat: fields.optional("repeat") == .bool(true))
        return ack
    }

    private static func failure(_ fields: V1ServerFields) throws(V1FrameError) -> V1Frame {
        let isRetryable = fields.optional("retryable") == .bool(true)
        // For an unknown code, the client only needs to know whether to retry.
        let code = V1ErrorCode(rawValue: try fields.text("code")) ?? (isRetryable ? .unavailable : .badRequest)
        return .error(
            V1Failure(
                code, try fields.text("message"),
                retryAfterMilliseconds: fields.optional("retry_after_ms")?.integer),
            ref: fields.optional("ref")?.integer)
    }

    // MARK: Threads

    private static func threadFrame(_ fields: V1ServerFields) throws(V1FrameError) -> V1Frame? {
        switch fields.type {
        case "page": return .page(try page(fields))
        case "thread":
            let op = try fields.text("op")
            guard let change = V1Frame.MembershipChange(rawValue: op) else { throw .missing("op", in: fields.type) }
            return .thread(change, try thread(try fields.object("thread")))
        case "resumed":
            var threads: [ThreadID: V1Resumption] = [:]
            for (thread, fields) in try fields.byThread("threads") { threads[thread] = try resumption(fields) }
            return .resumed(threads, ref: fields.optional("ref")?.integer)
        case "behind":
            var ranges: [ThreadID: ClosedRange<Int64>] = [:]
            for (thread, fields) in try fields.byThread("threads") {
                let (from, to) = (try fields.integer("from"), try fields.integer("to"))
                guard from <= to else { throw .missing("to", in: fields.type) }
                ranges[thread] = from...to
            }
            return .behind(ranges)
        case "read":
            return .ephemeral(
                .read(
                    try fields.id("user_id"), seq: try fields.integer("read_seq"), date: try fields.integer("date")),
                try fields.id("thread_id"))
        case "typing":
            let user = User(id: try fields.id("user_id"), name: try fields.text("username"))
            return .ephemeral(.typing(user, isOn: try fields.bool("on")), try fields.id("thread_id"))
        case "presence":
            return .presence(
                V1Presence(
                    user: try fields.id("user_id"), isOnline: try fields.bool("online"),
                    lastSeen: fields.optional("last_seen")?.integer))
        default: return nil
        }
    }

    private static func thread(_ fields: V1ServerFields) throws(V1FrameError) -> V1Thread {
        let kind = ThreadInfo.Kind(rawValue: try fields.text("kind"))
        let seq = try fields.integer("seq")
        return V1Thread(
            thread: ThreadInfo(id: try fields.id("id"), kind: kind ?? .room, title: try fields.text("title")),
            role: fields.optional("role")?.text.flatMap { Membership.Role(rawValue: $0) } ?? .member,
            head: seq > 0 ? try fields.position() : nil, unread: try fields.integer("unread"),
            readSeq: try fields.integer("read_seq"), isUnavailable: fields.optional("unavailable") == .bool(true))
    }

    private static func resumption(_ fields: V1ServerFields) throws(V1FrameError) -> V1Resumption {
        guard let state = V1Resumption.State(rawValue: try fields.text("state")) else {
            throw .missing("state", in: fields.type)
        }
        return V1Resumption(
            state, epoch: fields.optional("epoch")?.text.map { Epoch($0) }, from: fields.optional("from")?.integer,
            to: fields.optional("to")?.integer)
    }

    private static func page(_ fields: V1ServerFields) throws(V1FrameError) -> V1Page {
        var events: [LogEvent] = []
        for element in try fields.array("events") {
            guard let type = element["type"]?.text else { throw .missing("type", in: fields.type) }
            let fields = V1ServerFields(type: type, tree: element)
            // Skipped: an unknown event leaves a gap in the page; readers that care use the JSON of the page.
            guard let body = try eventBody(fields) else { continue }
            events.append(try event(body, fields))
        }
        let head = try fields.integer("head_seq")
        return V1Page(
            ref: fields.optional("ref")?.integer, thread: try fields.id("thread_id"),
            head: head > 0 ? Position(epoch: Epoch(try fields.text("epoch")), seq: head) : nil, events: events,
            hasMoreBefore: try fields.bool("has_more_before"), hasMoreAfter: try fields.bool("has_more_after"))
    }

    // MARK: Events

    private static func event(_ body: LogEvent.Body, _ fields: V1ServerFields) throws(V1FrameError) -> LogEvent {
        LogEvent(
            thread: try fields.id("thread_id"), position: try fields.position(),
            milliseconds: try fields.integer("date_ms"), messageCount: 0, body: body)
    }

    /// The event body; `nil` for an unknown kind of frame.
    private static func eventBody(_ fields: V1ServerFields) throws(V1FrameError) -> LogEvent.Body? {
        switch LogEvent.Kind(rawValue: fields.type) {
        case .message: .message(try message(fields))
        case .edited:
            .edited(
                MessageEdit(
                    messageID: try fields.id("message_id"), messageSeq: try fields.integer("message_seq"),
                    text: try fields.text("text"), by: try fields.id("by_id")))
        case .deleted:
            .deleted(
                MessageDeletion(
                    messageID: try fields.id("message_id"), messageSeq: try fields.integer("message_seq"),
                    by: try fields.id("by_id")))
        case .reaction:
            .reaction(
                Reaction(
                    messageID: try fields.id("message_id"), messageSeq: try fields.integer("message_seq"),
                    user: try fields.id("user_id"), emoji: try fields.text("emoji"), isOn: try fields.bool("on")))
        case .joined: .joined(try fields.person(), by: try fields.id("by_id"))
        case .left: .left(try fields.person(), by: try fields.id("by_id"))
        case .renamed: .renamed(title: try fields.text("title"), by: try fields.id("by_id"))
        case .role:
            .role(
                try fields.id("user_id"), Membership.Role(rawValue: try fields.text("role")) ?? .member,
                by: try fields.id("by_id"))
        case nil: nil
        }
    }

    private static func message(_ fields: V1ServerFields) throws(V1FrameError) -> Message {
        var status = MessageStatus(
            editedMilliseconds: fields.optional("edited_ms")?.integer,
            isDeleted: fields.optional("deleted") == .bool(true),
            isErased: fields.optional("erased") == .bool(true))
        for element in fields.optional("reactions")?.elements ?? [] {
            let reaction = V1ServerFields(type: fields.type, tree: element)
            status.reactions.append(
                ReactionCount(
                    emoji: try reaction.text("emoji"), count: try reaction.integer("count"),
                    users: (reaction.optional("users")?.elements ?? []).compactMap { $0.text.flatMap { UserID($0) } }))
        }
        return Message(
            id: try fields.id("id"),
            sender: User(id: try fields.id("sender_id"), name: try fields.text("sender_name")),
            text: try fields.text("text"), clientID: fields.optional("client_id")?.text,
            parts: (fields.optional("parts")?.elements ?? []).compactMap { MessagePart($0) },
            replyTo: fields.optional("reply_to")?.integer, status: status)
    }
}
