import GRDB
import ParleyModel
import ParleyStorage

extension LogEvent {
    /// Decodes a stored message from the columns of `ReadQueries`. The store has neither `origin` nor the message's
    /// `recipient`.
    /// - Throws: `StoreError.failed` if this version cannot decode the parts.
    init(messageRow row: Row, thread: ThreadID) throws {
        // An erasure of the author that is in progress may not have reached this row.
        let isErased: Bool = row[13]
        let sender = UserID(trusted: row[5])
        let parts: String? = isErased ? nil : row[9]
        let message = Message(
            id: MessageID(trusted: row[4]), sender: isErased ? .erased(sender) : User(id: sender, name: row[6]),
            text: isErased ? "" : row[7], clientID: row[8],
            parts: try parts.map { try MessagePart.stored($0) } ?? [], replyTo: row[10],
            senderDisplayName: isErased ? nil : row[14],
            status: MessageStatus(
                editedMilliseconds: isErased ? nil : row[11], isDeleted: row[12], isErased: isErased))
        self.init(
            thread: thread,
            position: Position(epoch: Epoch(row[1]), seq: row[0]),
            milliseconds: row[2],
            messageCount: row[3],
            body: .message(message))
    }

    /// Decodes a stored event that is not a message, from the columns of `ReadQueries.oldestEvents`.
    /// - Throws: `StoreError.failed` if the kind is unknown to this version, or if a field is missing.
    init(eventRow row: Row, thread: ThreadID) throws {
        let (kind, by, messageID): (String, String?, String?) = (row[4], row[7], row[8])
        let fields = EventFields(
            kind: try LogEvent.Kind(stored: kind), user: UserID(trusted: row[5]), userName: row[6],
            by: by.map { UserID(trusted: $0) },
            messageID: messageID.map { MessageID(trusted: $0) }, messageSeq: row[9], text: row[10], isOn: row[11])
        guard let body = fields.body else { throw StoreError.failed("an event of the kind \(kind) lacks a field") }
        self.init(
            thread: thread,
            position: Position(epoch: Epoch(row[1]), seq: row[0]),
            milliseconds: row[2],
            messageCount: row[3],
            body: body)
    }
}
