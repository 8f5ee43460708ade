import ParleyModel

/// Events to encode.
enum Events {
    static let alice = User(id: UserID(trusted: "a1"), name: "alice")
    static let bob = User(id: UserID(trusted: "b2"), name: "bob")

    static func message(
        _ text: String, sender: User = alice, recipient: User? = nil, clientID: String? = nil,
        origin: ConnectionID? = nil, milliseconds: Int64 = 1_795_255_200_123
    ) -> LogEvent {
        event(
            .message(
                Message(
                    id: MessageID(trusted: "m1"), sender: sender, text: text, clientID: clientID, recipient: recipient)),
            origin: origin, milliseconds: milliseconds)
    }

    static func joined(_ user: User) -> LogEvent {
        event(.joined(user), origin: nil, milliseconds: 1_795_255_200_123)
    }

    /// One event of each kind besides messages.
    static let changes: [LogEvent.Body] = [
        .edited(MessageEdit(messageID: MessageID(trusted: "m1"), messageSeq: 1, text: "hi", by: alice.id)),
        .deleted(MessageDeletion(messageID: MessageID(trusted: "m1"), messageSeq: 1, by: alice.id)),
        .reaction(
            Reaction(messageID: MessageID(trusted: "m1"), messageSeq: 1, user: bob.id, emoji: "👍", isOn: true)),
        .renamed(title: "tea", by: alice.id), .role(bob.id, .moderator, by: alice.id),
        .visibility(.unlisted, by: alice.id),
    ]

    static func event(
        _ body: LogEvent.Body, origin: ConnectionID? = nil, milliseconds: Int64 = 1_795_255_200_123
    ) -> LogEvent {
        LogEvent(
            thread: ThreadID(trusted: "t1"), position: Position(epoch: Epoch("e7"), seq: 42),
            milliseconds: milliseconds, messageCount: 40, body: body, origin: origin)
    }
}
