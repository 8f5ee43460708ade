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
}
