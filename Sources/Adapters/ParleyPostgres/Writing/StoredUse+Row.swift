import ParleyModel
import ParleyStorage

extension StoredUse {
    /// Decodes a row of `SendQueries.uses`, whose first columns are sender and `client_id`.
    init(row: Row) throws(PostgresError) {
        let receipt = Receipt(
            thread: ThreadID(trusted: try row.text(2)),
            position: Position(epoch: Epoch(try row.text(4)), seq: try row.int(3)), milliseconds: try row.int(5),
            messageID: MessageID(trusted: try row.text(6)), isRepeat: true)
        let isGone = try row.bool(10)
        self.init(
            receipt: receipt, text: try row.text(7), parts: try row.optionalText(8), replyTo: try row.optionalInt(9),
            isGone: isGone, digest: try isGone ? row.optionalBytes(11) : nil, threadExists: try row.bool(12))
    }
}
