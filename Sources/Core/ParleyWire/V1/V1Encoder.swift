package import NIOCore
import ParleyJSON
package import ParleyModel

/// Encodes the server's frames of the v1 dialect (PROTOCOL §3), as JSON without white space.
package enum V1Encoder {
    /// The JSON of a frame; `nil` for an ephemeral event that this dialect does not represent.
    package static func encode(_ frame: V1Frame) -> ByteBuffer? {
        switch frame {
        case .hello(let hello): encode(hello)
        case .ack(let ack): encode(ack)
        case .page(let page): encode(page)
        case .error(let failure, let ref): encode(failure, ref: ref)
        case .event(let event): encode(event)
        case .ephemeral(let event, let thread): encode(event, in: thread)
        case .presence(let presence): encode(presence)
        case .user(let user, let profile): encode(user, profile)
        case .thread(let change, let thread): encode(change, thread)
        case .mute(let thread, let mute): encode(thread, mute)
        case .entrances(let thread): encode(entrancesOf: thread)
        case .room(let thread, let options, let isBlocked): encode(thread, options, isBlocked: isBlocked)
        case .blocks(let users): encode(blocks: users)
        case .resumed(let threads, let ref): encode(threads, ref: ref)
        case .behind(let ranges): encode(behind: ranges)
        case .bye(let delay, let ticket): encode(byeAfter: delay, ticket: ticket)
        case .pong(let ping, let time, let ref): encode(pong: ping, serverTime: time, ref: ref)
        }
    }

    // MARK: The connection

    private static func encode(_ hello: V1Hello) -> ByteBuffer {
        var writer = JSONWriter(type: "hello", capacity: 512 + 224 * hello.threads.count)
        writer.member("protocol", hello.protocolVersion)
        writer.member("connection", hello.connection.text)
        writer.member("node", hello.node)
        writer.key("user")
        writer.user(hello.user)
        writer.member("server_time", hello.serverTime)
        writer.member("ping_interval_ms", hello.pingIntervalMilliseconds)
        writer.key("limits")
        writer.limits(hello.limits)
        if let ticket = hello.ticket { writer.member("ticket", ticket) }
        writer.key("threads")
        writer.beginArray()
        for thread in hello.threads { writer.object(of: thread) }
        writer.endArray()
        if hello.hasMore { writer.member("more", true) }
        if !hello.blocks.isEmpty { writer.blocks(hello.blocks) }
        return writer.end()
    }

    private static func encode(byeAfter delay: Int64, ticket: String?) -> ByteBuffer {
        var writer = JSONWriter(type: "bye", capacity: 320)
        writer.member("reconnect_after_ms", delay)
        if let ticket { writer.member("ticket", ticket) }
        return writer.end()
    }

    private static func encode(pong ping: Int64, serverTime: Int64, ref: Int64?) -> ByteBuffer {
        var writer = JSONWriter(type: "pong", ref: ref, capacity: 80)
        writer.member("ping", ping)
        writer.member("server_time", serverTime)
        return writer.end()
    }

    // MARK: Replies

    private static func encode(_ ack: V1Ack) -> ByteBuffer {
        var writer = JSONWriter(type: "ack", ref: ack.ref, capacity: 256)
        if let receipt = ack.receipt {
            writer.ack(receipt, level: ack.level, clientID: ack.clientID)
        } else if let thread = ack.thread {
            writer.member("thread_id", thread.text)
        }
        return writer.end()
    }

    private static func encode(_ failure: V1Failure, ref: Int64?) -> ByteBuffer {
        var writer = JSONWriter(type: "error", ref: ref, capacity: 128 + failure.message.utf8.count)
        writer.member("code", failure.code.rawValue)
        writer.member("message", failure.message)
        writer.member("retryable", failure.code.isRetryable)
        if let delay = failure.retryAfterMilliseconds { writer.member("retry_after_ms", delay) }
        return writer.end()
    }

    private static func encode(_ page: V1Page) -> ByteBuffer {
        var writer = JSONWriter(type: "page", ref: page.ref, capacity: 192 + 384 * page.events.count)
        writer.member("thread_id", page.thread.text)
        writer.epoch(of: page.head, absent: .empty)
        writer.events("events", page.events, messages: .v1)
        writer.member("has_more_before", page.hasMoreBefore)
        writer.member("has_more_after", page.hasMoreAfter)
        writer.member("head_seq", page.head?.seq ?? 0)
        return writer.end()
    }

    private static func encode(_ threads: [ThreadID: V1Resumption], ref: Int64?) -> ByteBuffer {
        var writer = JSONWriter(type: "resumed", ref: ref, capacity: 48 + 128 * threads.count)
        writer.key("threads")
        writer.beginObject()
        for (thread, resumption) in threads.sorted(by: { $0.key.text < $1.key.text }) {
            writer.key(escaping: thread.text)
            writer.beginObject()
            writer.member("state", resumption.state.rawValue)
            if let epoch = resumption.epoch { writer.member("epoch", epoch.text) }
            if let from = resumption.from { writer.member("from", from) }
            if let to = resumption.to { writer.member("to", to) }
            writer.endObject()
        }
        writer.endObject()
        return writer.end()
    }

    private static func encode(behind ranges: [ThreadID: ClosedRange<Int64>]) -> ByteBuffer {
        var writer = JSONWriter(type: "behind", capacity: 48 + 96 * ranges.count)
        writer.key("threads")
        writer.beginObject()
        for (thread, range) in ranges.sorted(by: { $0.key.text < $1.key.text }) {
            writer.key(escaping: thread.text)
            writer.beginObject()
            writer.member("from", range.lowerBound)
            writer.member("to", range.upperBound)
            writer.endObject()
        }
        writer.endObject()
        return writer.end()
    }

    // MARK: Threads and users

    private static func encode(_ change: V1Frame.MembershipChange, _ thread: V1Thread) -> ByteBuffer {
        var writer = JSONWriter(type: "thread", capacity: 288)
        writer.member("op", change.rawValue)
        writer.key("thread")
        writer.object(of: thread)
        return writer.end()
    }

    private static func encode(_ thread: ThreadID, _ mute: Sanction?) -> ByteBuffer {
        var writer = JSONWriter(type: "mute", capacity: 160 + (mute?.reason?.utf8.count ?? 0))
        writer.member("thread_id", thread.text)
        if let mute {
            writer.mute(mute)
        } else {
            writer.key("mute")
            writer.null()
        }
        return writer.end()
    }

    private static func encode(entrancesOf thread: ThreadID?) -> ByteBuffer {
        var writer = JSONWriter(type: "entrances", capacity: 96)
        if let thread { writer.member("thread_id", thread.text) }
        return writer.end()
    }

    private static func encode(_ thread: ThreadID, _ options: RoomOptions, isBlocked: Bool) -> ByteBuffer {
        var writer = JSONWriter(type: "room", capacity: 224 + (options.topic?.utf8.count ?? 0))
        writer.member("thread_id", thread.text)
        writer.key("room")
        writer.beginObject()
        writer.options(options, isBlocked: isBlocked)
        writer.endObject()
        return writer.end()
    }

    private static func encode(blocks users: [UserID]) -> ByteBuffer {
        var writer = JSONWriter(type: "blocks", capacity: 48 + 40 * users.count)
        writer.blocks(users)
        return writer.end()
    }

    private static func encode(_ presence: V1Presence) -> ByteBuffer {
        var writer = JSONWriter(type: "presence", capacity: 128)
        writer.member("user_id", presence.user.text)
        writer.member("online", presence.isOnline)
        writer.key("last_seen")
        if let lastSeen = presence.lastSeen { writer.integer(lastSeen) } else { writer.null() }
        return writer.end()
    }

    /// The JSON of a user's name and profile, the same for every recipient.
    package static func encode(_ user: User, _ profile: Profile) -> ByteBuffer {
        var writer = JSONWriter(type: "user", capacity: 384)
        writer.key("user")
        writer.user(user, profile)
        return writer.end()
    }

    /// The JSON of a log event, the same for every member.
    package static func encode(_ event: LogEvent) -> ByteBuffer {
        // Without its texts, an event takes 250 to 350 bytes.
        var writer = JSONWriter(capacity: 384 + (event.message?.text.utf8.count ?? 0))
        writer.event(event)
        return writer.buffer
    }

    /// The JSON of an ephemeral event, the same for every member; `nil` if this dialect does not represent it.
    package static func encode(_ event: EphemeralEvent, in thread: ThreadID) -> ByteBuffer? {
        switch event {
        case .guestJoined, .guestLeft, .stored:
            return nil
        case .typing(let user, let isOn):
            var writer = JSONWriter(type: "typing", capacity: 192)
            writer.member("thread_id", thread.text)
            writer.member("user_id", user.id.text)
            writer.member("username", user.name)
            writer.member("on", isOn)
            return writer.end()
        case .read(let user, let seq, let date):
            var writer = JSONWriter(type: "read", capacity: 192)
            writer.member("thread_id", thread.text)
            writer.member("user_id", user.text)
            writer.member("read_seq", seq)
            writer.member("date", date)
            return writer.end()
        }
    }
}

extension JSONWriter {
    /// Begins the object of a frame.
    fileprivate init(type: String, ref: Int64? = nil, capacity: Int) {
        self.init(capacity: capacity)
        beginObject()
        member("type", type)
        if let ref { member("ref", ref) }
    }

    fileprivate mutating func object(of thread: V1Thread) {
        beginObject()
        self.thread(thread, absentEpoch: .empty)
        endObject()
    }

    /// Ends the object of a frame.
    fileprivate mutating func end() -> ByteBuffer {
        endObject()
        return buffer
    }
}
