package import ParleyModel

/// Words for tests of the log.
package enum Samples {
    package static func thread(_ name: String) -> ThreadID {
        ThreadID(trusted: name)
    }

    package static func user(_ name: String) -> User {
        User(id: UserID(trusted: name), name: name)
    }

    /// A message of `text`, with an id made from it and from its sender.
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

    package static func join(_ user: String, in thread: ThreadID) -> EventDraft {
        EventDraft(thread: thread, body: .joined(Samples.user(user)))
    }

    /// An event as a store has it.
    package static func event(
        _ text: String, in thread: ThreadID, seq: Int64, epoch: String = "old", messageCount: Int64? = nil,
        by sender: String = "ann", clientID: String? = nil, milliseconds: Int64 = 1_600_000_000_000
    ) -> LogEvent {
        LogEvent(
            thread: thread, position: Position(epoch: Epoch(epoch), seq: seq), milliseconds: milliseconds,
            messageCount: messageCount ?? seq, body: .message(message(text, by: sender, clientID: clientID)))
    }

    /// Entries with the offsets 1, 2, 3 …
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
        let answers = Recorder<Result<Void, BusError>>()
        subscribe(to: topics) { answers.record($0) }
        let first = try await answers.wait(count: 1)
        try first[0].get()
    }
}
