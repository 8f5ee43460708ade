import ParleyModel
import ParleyWire

/// The values of the frames in `Tests/Fixtures/v1`.
enum GoldenValues {
    static let room = ThreadID(trusted: "0190a1")
    static let direct = ThreadInfo.directID(alice.id, bob.id)
    static let message = MessageID(trusted: "0190b7")
    static let alice = User(id: UserID(trusted: "0190c2"), name: "alice")
    static let bob = User(id: UserID(trusted: "0190d4"), name: "bob")
    static let epoch = Epoch("k3f9")
    static let milliseconds: Int64 = 1_795_255_200_123

    private static func options(changes: Int64, _ change: (inout RoomOptions) -> Void) -> RoomOptions {
        var options = RoomOptions()
        options.changes = changes
        change(&options)
        return options
    }

    static let picture = MessagePart.media(
        MediaPart(
            type: "image/jpeg", url: "https://files.example/1.jpg", name: "1.jpg", size: 48_211, width: 800,
            height: 600))
    static let film = MessagePart.media(
        MediaPart(type: "video/mp4", url: "https://files.example/2.mp4", durationMilliseconds: 4200))
    static let place = MessagePart.geo(json: #"{"coordinates":[8.54,47.37],"type":"Point"}"#)

    static let requests: [String: V1Request] = [
        "message": V1Request(.send(V1Send(thread: room, text: "Hello"))),
        "message-idempotent": V1Request(
            ref: 1, .send(V1Send(thread: room, text: "Hello, \"world\" ☃", clientID: "c-1"))),
        "message-stored": V1Request(
            ref: 2, .send(V1Send(thread: room, text: "important", clientID: "c-2", level: .stored))),
        "message-reply": V1Request(ref: 3, .send(V1Send(thread: room, text: "I agree", replyTo: 41))),
        "message-parts": V1Request(
            ref: 4,
            .send(
                V1Send(
                    thread: room, text: "Look", clientID: "c-3", parts: [picture, place, .text("from the tower")]))),
        "message-parts-only": V1Request(ref: 5, .send(V1Send(thread: room, text: "", parts: [film]))),
        "edit": V1Request(ref: 6, .edit(thread: room, message: message, text: "Hello!")),
        "delete": V1Request(ref: 7, .delete(thread: room, message: message)),
        "react": V1Request(ref: 8, .react(thread: room, message: message, emoji: "👍", isOn: true)),
        "react-off": V1Request(ref: 9, .react(thread: room, message: message, emoji: "👍", isOn: false)),
        "read": V1Request(ref: 10, .read(thread: room, seq: 42)),
        "read-all": V1Request(.read(thread: room, seq: nil)),
        "typing": V1Request(.typing(thread: room, isOn: true)),
        "typing-off": V1Request(.typing(thread: room, isOn: false)),
        "resume": V1Request(
            ref: 11,
            .resume([room: Position(epoch: epoch, seq: 40), direct: Position(epoch: Epoch(""), seq: 0)])),
        "resume-nothing": V1Request(ref: 12, .resume([:])),
        "history": V1Request(ref: 13, .history(V1HistoryRequest(thread: room))),
        "history-before": V1Request(ref: 14, .history(V1HistoryRequest(thread: room, before: 100, limit: 50))),
        "history-range": V1Request(
            ref: 15, .history(V1HistoryRequest(thread: room, before: 100, after: 40, limit: 200))),
        "join": V1Request(ref: 16, .join(title: "Garden")),
        "leave": V1Request(ref: 17, .leave(thread: room)),
        "watch": V1Request(ref: 18, .watch([alice.id, bob.id])),
        "watch-nobody": V1Request(.watch([])),
        "auth": V1Request(ref: 19, .authenticate(token: "eyJhbGciOiJIUzI1NiJ9.e30.x")),
        "ping": V1Request(.ping(1_790_000_000_123)),
    ]

    static let frames: [String: V1Frame] = responses.merging(events) { $1 }.merging(others) { $1 }

    private static let responses: [String: V1Frame] = [
        "ack": .ack(V1Ack(ref: 18)),
        "ack-accepted": .ack(V1Ack(ref: 1, receipt: receipt(43), level: .accepted, clientID: "c-1")),
        "ack-stored": .ack(V1Ack(ref: 2, receipt: receipt(43), level: .stored, clientID: "c-2")),
        "ack-repeat": .ack(
            V1Ack(ref: 1, receipt: receipt(43, isRepeat: true), level: .accepted, clientID: "c-1")),
        "ack-event": .ack(V1Ack(ref: 6, receipt: receipt(44))),
        "ack-join": .ack(V1Ack(ref: 16, receipt: receipt(48))),
        "ack-leave": .ack(V1Ack(ref: 17, receipt: receipt(49))),
        "ack-thread": .ack(V1Ack(ref: 16, thread: room)),
        "page": .page(
            V1Page(
                ref: 13, thread: room, head: Position(epoch: epoch, seq: 42),
                events: [event(41, .joined(bob)), event(42, .message(said("Hello")))], hasMoreBefore: true,
                hasMoreAfter: false)),
        "page-empty": .page(
            V1Page(ref: nil, thread: direct, head: nil, events: [], hasMoreBefore: false, hasMoreAfter: false)),
        "error": .error(V1Failure(.notAMember, "you are not a member of this thread"), ref: 1),
        "error-rate": .error(
            V1Failure(.rateLimited, "too many sends; allowed are 20 a second", retryAfterMilliseconds: 50), ref: 1),
        "error-frame": .error(V1Failure(.badRequest, "invalid JSON at byte 0"), ref: nil),
        "pong": .pong(1_790_000_000_123, serverTime: milliseconds, ref: nil),
        "pong-ref": .pong(7, serverTime: milliseconds, ref: 20),
    ]

    private static let events: [String: V1Frame] = [
        "event-message": .event(event(43, .message(said("Hello, \"world\" ☃", clientID: "c-1")))),
        "event-message-parts": .event(
            event(
                44, .message(said("Look", parts: [picture, place, .text("from the tower"), film], replyTo: 41)))),
        "event-message-edited": .event(
            event(
                43,
                .message(
                    said(
                        "Hello!",
                        status: MessageStatus(
                            editedMilliseconds: milliseconds + 1000,
                            reactions: [ReactionCount(emoji: "👍", count: 2, users: [alice.id, bob.id])]))))),
        "event-message-deleted": .event(event(43, .message(said("", status: MessageStatus(isDeleted: true))))),
        "event-message-named": .event(
            event(
                43,
                .message(
                    Message(id: message, sender: alice, text: "Hello", senderDisplayName: "Alice Liddell")))),
        "event-edited": .event(
            event(45, .edited(MessageEdit(messageID: message, messageSeq: 43, text: "Hello!", by: alice.id)))),
        "event-deleted": .event(
            event(46, .deleted(MessageDeletion(messageID: message, messageSeq: 43, by: alice.id)))),
        "event-reaction": .event(
            event(
                47,
                .reaction(Reaction(messageID: message, messageSeq: 43, user: bob.id, emoji: "👍", isOn: true)))),
        "event-joined": .event(event(48, .joined(bob))),
        "event-joined-by": .event(event(48, .joined(bob, by: alice.id))),
        "event-left": .event(event(49, .left(bob, by: bob.id))),
        "event-renamed": .event(event(50, .renamed(title: "Garden 2", by: alice.id))),
        "event-visibility": .event(event(52, .visibility(.private, by: alice.id))),
        "event-role": .event(event(51, .role(bob.id, .moderator, by: alice.id))),
    ]

    private static let others: [String: V1Frame] = [
        "hello": .hello(
            hello(
                ticket: "t.0190e9.c2ln",
                threads: [
                    V1Thread(
                        thread: garden, role: .owner, head: Position(epoch: epoch, seq: 42), unread: 2, readSeq: 40),
                    V1Thread(thread: ThreadInfo(id: direct, kind: .direct, title: "bob"), role: .member),
                ])),
        "hello-more": .hello(hello(ticket: nil, threads: [], hasMore: true)),
        "hello-unavailable": .hello(
            hello(
                ticket: nil,
                threads: [V1Thread(thread: garden, role: .owner, unread: 2, readSeq: 40, isUnavailable: true)])),
        "read-receipt": .ephemeral(.read(bob.id, seq: 42, date: milliseconds / 1000), room),
        "typing-notice": .ephemeral(.typing(bob, isOn: true), room),
        "presence": .presence(V1Presence(user: bob.id, isOnline: true, lastSeen: milliseconds / 1000)),
        "user": .user(bob, Profile(displayName: "Bob B.", avatarURL: "/v1/attachments/0190f3")),
        "user-plain": .user(bob, Profile()),
        "presence-unknown": .presence(V1Presence(user: bob.id, isOnline: false)),
        "thread-added": .thread(
            .added,
            V1Thread(thread: garden, role: .member, head: Position(epoch: epoch, seq: 48), unread: 0, readSeq: 48)),
        "thread-added-muted": .thread(
            .added,
            V1Thread(
                thread: garden, role: .member, head: Position(epoch: epoch, seq: 48), unread: 0, readSeq: 48,
                mute: Sanction(.mute, until: milliseconds, reason: "spam"))),
        "mute": .mute(room, Sanction(.mute, until: milliseconds, reason: "spam")),
        "mute-without-end": .mute(room, Sanction(.mute)),
        "mute-ended": .mute(room, nil),
        "entrances": .entrances(nil), "entrances-thread": .entrances(room),
        "room": .room(
            room,
            options(changes: 4) {
                ($0.topic, $0.slowSeconds) = ("Planting", 30)
                ($0.rights.attach, $0.rights.mention) = (.moderators, .moderators)
            }, isBlocked: false),
        "room-archived": .room(room, options(changes: 5) { $0.isArchived = true }, isBlocked: false),
        "room-blocked": .room(ThreadInfo.directID(alice.id, bob.id), .standard, isBlocked: true),
        "blocks": .blocks([bob.id]),
        "thread-added-room": .thread(
            .added,
            V1Thread(
                thread: garden, role: .member, head: Position(epoch: epoch, seq: 48), unread: 0, readSeq: 48,
                options: options(changes: 2) { ($0.topic, $0.isArchived) = ("Planting", true) })),
        "thread-removed": .thread(.removed, V1Thread(thread: garden, role: .member)),
        "resumed": .resumed(
            [
                ThreadID(trusted: "t1"): V1Resumption(.live, epoch: epoch, from: 41, to: 40),
                ThreadID(trusted: "t2"): V1Resumption(.replayed, epoch: epoch, from: 41, to: 43),
                ThreadID(trusted: "t3"): V1Resumption(.page, epoch: epoch, from: 41, to: 4100),
                ThreadID(trusted: "t4"): V1Resumption(.rolledBack, epoch: Epoch("m81k"), from: 39, to: 40),
                ThreadID(trusted: "t5"): V1Resumption(.gone),
                ThreadID(trusted: "t6"): V1Resumption(.denied),
            ], ref: 11),
        "resumed-unasked": .resumed(
            [room: V1Resumption(.rolledBack, epoch: Epoch("m81k"), from: 39, to: 42)], ref: nil),
        "resumed-unavailable": .resumed([room: V1Resumption(.unavailable)], ref: 11),
        "resumed-available": .resumed(
            [room: V1Resumption(.page, epoch: epoch, from: 43, to: 48)], ref: nil),
        "behind": .behind([room: 43...118]),
        "bye": .bye(reconnectAfterMilliseconds: 3200, ticket: "t.0190e9.c2ln"),
    ]

    private static let garden = ThreadInfo(id: room, kind: .room, title: "Garden")

    private static func hello(ticket: String?, threads: [V1Thread], hasMore: Bool = false) -> V1Hello {
        V1Hello(
            connection: ConnectionID(trusted: "0190e9"), node: "gateway-1", user: alice,
            serverTime: milliseconds, pingIntervalMilliseconds: 25_000, limits: Limits(), ticket: ticket,
            threads: threads, hasMore: hasMore)
    }

    private static func receipt(_ seq: Int64, isRepeat: Bool = false) -> Receipt {
        Receipt(
            thread: room, position: Position(epoch: epoch, seq: seq), milliseconds: milliseconds, messageID: message,
            isRepeat: isRepeat)
    }

    private static func event(_ seq: Int64, _ body: LogEvent.Body) -> LogEvent {
        LogEvent(
            thread: room, position: Position(epoch: epoch, seq: seq), milliseconds: milliseconds, messageCount: 9,
            body: body)
    }

    private static func said(
        _ text: String, clientID: String? = nil, parts: [MessagePart] = [], replyTo: Int64? = nil,
        status: MessageStatus = MessageStatus()
    ) -> Message {
        Message(
            id: message, sender: alice, text: text, clientID: clientID, parts: parts, replyTo: replyTo, status: status)
    }
}
