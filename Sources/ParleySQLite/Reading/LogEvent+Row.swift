import GRDB
import ParleyModel

extension LogEvent {
    /// A stored message, from the columns of `ReadQueries`; `origin` and the message's `recipient` are not stored.
    /// - Parameter index: the first of the columns.
    init(messageRow row: Row, thread: ThreadID, from index: Int = 0) {
        let sender = User(id: UserID(trusted: row[index + 5]), name: row[index + 6])
        let message = Message(
            id: MessageID(trusted: row[index + 4]), sender: sender, text: row[index + 7], clientID: row[index + 8])
        self.init(
            thread: thread,
            position: Position(epoch: Epoch(row[index + 1]), seq: row[index]),
            milliseconds: row[index + 2],
            messageCount: row[index + 3],
            body: .message(message))
    }

    /// A stored event that is no message, from the columns of `ReadQueries.oldestEvents`.
    /// - Throws: `StoreError.failed` for a kind that this version does not know.
    init(eventRow row: Row, thread: ThreadID) throws {
        let kind: String = row[4]
        guard kind == "joined" else { throw StoreError.failed("an event is of the unknown kind \(kind)") }
        self.init(
            thread: thread,
            position: Position(epoch: Epoch(row[1]), seq: row[0]),
            milliseconds: row[2],
            messageCount: row[3],
            body: .joined(User(id: UserID(trusted: row[5]), name: row[6])))
    }
}
