import ParleyModel

extension LogEvent {
    /// Decodes a stored message from the columns of `ReadQueries`. The store has neither `origin` nor the message's
    /// `recipient`.
    /// - Throws: `StoreError.failed` if this version cannot decode the parts.
    init(messageRow row: Row, thread: ThreadID) throws {
        // An erasure of the author that is in progress may not have reached this row.
        let isErased = try row.bool(13)
        let sender = UserID(trusted: try row.text(5))
        let message = Message(
            id: MessageID(trusted: try row.text(4)),
            sender: isErased ? .erased(sender) : User(id: sender, name: try row.text(6)),
            text: isErased ? "" : try row.text(7), clientID: try row.optionalText(8),
            parts: isErased ? [] : try row.optionalText(9).map { try MessagePart.stored($0) } ?? [],
            replyTo: try row.optionalInt(10), senderDisplayName: isErased ? nil : try row.optionalText(14),
            status: MessageStatus(
                editedMilliseconds: isErased ? nil : try row.optionalInt(11), isDeleted: try row.bool(12),
                isErased: isErased))
        self.init(
            thread: thread,
            position: Position(epoch: Epoch(try row.text(1)), seq: try row.int(0)),
            milliseconds: try row.int(2),
            messageCount: try row.int(3),
            body: .message(message))
    }
}
