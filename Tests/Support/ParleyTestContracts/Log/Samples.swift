package import ParleyModel
import ParleyTestSupport

/// Sample values for tests of the log.
package enum Samples {
    package static func thread(_ name: String) -> ThreadID {
        ThreadID(trusted: name)
    }

    package static func user(_ name: String) -> User {
        User(id: UserID(trusted: name), name: name)
    }

    /// A message with an id derived from its text and sender.
    package static func message(
        _ text: String, by sender: String = "ann", clientID: String? = nil, id: String? = nil, to recipient: User? = nil
    ) -> Message {
        Message(
            id: MessageID(trusted: id ?? FNV1a128.hex(of: "\(sender)\n\(text)\n\(clientID ?? "")")),
            sender: user(sender), text: text, clientID: clientID, recipient: recipient)
    }

    package static func send(
        _ text: String, in thread: ThreadID, by sender: String = "ann", clientID: String? = nil, id: String? = nil
    ) -> EventDraft {
        EventDraft(thread: thread, body: .message(message(text, by: sender, clientID: clientID, id: id)))
    }

    /// A UUIDv7 in its canonical form.
    package static func uuidv7(at milliseconds: Int64) -> String {
        var generator = SystemRandomNumberGenerator()
        return UUIDv7(milliseconds: milliseconds, using: &generator).canonical
    }

    package static func ulid(at milliseconds: Int64) -> String {
        let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        let time = (0..<10).map { digits[Int(milliseconds >> Int64(45 - 5 * $0) & 0x1F)] }
        return String(time + (0..<16).map { _ in digits.randomElement() ?? "0" })
    }

    package static func join(_ user: String, in thread: ThreadID) -> EventDraft {
        EventDraft(thread: thread, body: .joined(Samples.user(user)))
    }

    /// Parts of every kind, including unusual content.
    package static let parts: [MessagePart] = [
        .text("Zoë 😀"), .media(MediaPart(type: "image/jpeg", url: "https://example.org/a?b=c&d=\"e\"")),
        .media(
            MediaPart(
                type: "video/mp4", url: "/v.mp4", name: "v", size: 1 << 40, width: 0, height: 1080,
                durationMilliseconds: 1)),
        .geo(json: #"{"coordinates":[1.5,-2,1e-07,9007199254740993],"type":"Point","x":{"a":null,"é":[true,false]}}"#),
    ]

    /// An event of every kind; those about a message refer to the first one.
    /// - Parameters:
    ///   - message: the id of the first message, sent by `ann`.
    ///   - seq: its seq.
    package static func bodies(message id: MessageID = MessageID(trusted: "m1"), seq: Int64 = 1) -> [LogEvent.Body] {
        let (ann, bob) = (user("ann"), user("bob"))
        return [
            .message(Message(id: id, sender: ann, text: "hi", clientID: "c", parts: parts, replyTo: 1 << 40)),
            .joined(bob), .joined(bob, by: ann.id),
            .edited(MessageEdit(messageID: id, messageSeq: seq, text: "Zoë 😀 \"", by: ann.id)),
            .reaction(Reaction(messageID: id, messageSeq: seq, user: bob.id, emoji: "👩‍👩‍👧", isOn: true)),
            .reaction(Reaction(messageID: id, messageSeq: seq, user: bob.id, emoji: "👍", isOn: false)),
            .role(bob.id, .readOnly, by: ann.id), .renamed(title: "Café \"x\"", by: ann.id),
            .visibility(.unlisted, by: ann.id),
            .deleted(MessageDeletion(messageID: id, messageSeq: seq, by: bob.id)), .left(bob, by: ann.id),
        ]
    }

    /// An event as stored.
    package static func event(
        _ text: String, in thread: ThreadID, seq: Int64, epoch: String = "old", messageCount: Int64? = nil,
        by sender: String = "ann", clientID: String? = nil, milliseconds: Int64 = 1_600_000_000_000
    ) -> LogEvent {
        LogEvent(
            thread: thread, position: Position(epoch: Epoch(epoch), seq: seq), milliseconds: milliseconds,
            messageCount: messageCount ?? seq, body: .message(message(text, by: sender, clientID: clientID)))
    }

    /// A batch with the offsets 1, 2, 3 …
    package static func batch(
        _ events: [LogEvent], partition: Int = 0, incarnation: String = "one", firstOffset: Int = 1
    ) -> IngestBatch {
        IngestBatch(
            partition: Partition(number: partition), incarnation: incarnation,
            entries: events.enumerated().map { .init(offset: String(firstOffset + $0), content: .event($1)) })
    }
}

extension BusSignal {
    /// The event, if the signal is one.
    package var event: LogEvent? {
        if case .event(let event) = self { event } else { nil }
    }
}

extension ThreadBus {
    /// Subscribes and waits for the acknowledgement.
    package func subscribe(to topics: [BusTopic]) async throws {
        let responses = Recorder<Result<Void, BusError>>()
        subscribe(to: topics) { responses.record($0) }
        let first = try await responses.wait(count: 1)
        try first[0].get()
    }
}
