import GRDB
import ParleyModel
import ParleyStorage

/// Applying an event to the tables.
extension EventEffect {
    /// Whether an earlier arrived reaction above `seq` supersedes this one.
    func isSuperseded(at seq: Int64, of thread: ThreadID, in db: Database) throws -> Bool {
        guard let query = supersedingQuery else { return false }
        let isSuperseded = try Bool.fetchOne(
            db.cachedStatement(sql: WriteQueries.hasSupersedingReaction),
            arguments: [thread.text, seq, query.user.text, query.message?.text, query.text])
        return isSuperseded ?? false
    }

    func carryOut(at place: EventPlace, of thread: ThreadID, in db: Database) throws {
        guard !isVoid else { return }
        let id = thread.text
        switch fields.kind {
        case .edited:
            try db.cachedStatement(sql: WriteQueries.edit)
                .execute(arguments: [fields.text, place.milliseconds, place.seq, id, fields.messageSeq])
        case .deleted:
            try db.cachedStatement(sql: WriteQueries.delete)
                .execute(arguments: [place.milliseconds, id, fields.messageSeq])
            try db.cachedStatement(sql: WriteQueries.forgetReactions).execute(arguments: [id, fields.messageSeq])
            try db.cachedStatement(sql: WriteQueries.forgetEdits).execute(arguments: [id, fields.messageID?.text])
        case .reaction:
            try db.cachedStatement(sql: fields.isOn == true ? WriteQueries.react : WriteQueries.unreact)
                .execute(arguments: [id, fields.messageSeq, fields.text, fields.user.text])
        default: break
        }
    }
}

extension BatchWriter {
    /// The effect of an event that is not a message; `nil` for a message.
    /// - Throws: `Rejection` if the event is invalid.
    func effect(of event: LogEvent) throws -> EventEffect? {
        try EventEffect(of: event) { id in
            let row = try Row.fetchOne(
                db.cachedStatement(sql: WriteQueries.messageOfEvent), arguments: [event.thread.text, id.text])
            return row.map { EventEffect.Subject(seq: $0[0], isDeleted: $0[1], isErased: $0[2]) }
        }
    }

    /// Whether a user has left, and the event is still in the outbox.
    func hasPendingLeave(_ user: String, of thread: ThreadID) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: SendQueries.hasPendingLeave), arguments: [thread.text, user]) ?? false
    }
}
