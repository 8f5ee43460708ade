import GRDB
import ParleyModel

/// What an event that is no message does, once it has been found that it may.
struct EventEffect {
    /// As they are stored: about the seq that the message has here, and without a text that is gone.
    let fields: EventFields
    /// It stands in the log and does nothing: the message is deleted or erased, another room has the title, or the
    /// thread is a direct one of two others.
    private let isVoid: Bool

    private init(fields: EventFields, isVoid: Bool) {
        self.fields = fields
        self.isVoid = isVoid
    }

    /// The effect of an event; `nil` for a message.
    /// - Throws: `Poison` if it makes no sense: there is no such message, or the thread has no title of its own.
    init?(of event: LogEvent, in thread: ThreadState, _ db: Database) throws {
        guard var fields = EventFields(event.body) else { return nil }
        var isVoid = false
        if let id = fields.messageID {
            let row = try Row.fetchOne(
                db.cachedStatement(sql: WriteQueries.messageOfEvent), arguments: [event.thread.text, id.text])
            guard let row else { throw Poison("unknown message") }
            fields.messageSeq = row[0]
            let (isDeleted, isErased): (Bool, Bool) = (row[1], row[2])
            // Who is erased can still be deleted: that counts for what is unread.
            isVoid = isDeleted || (isErased && fields.kind != "deleted")
            if isVoid, fields.kind == "edited" { fields.text = "" }
        }
        if fields.kind == "renamed" {
            guard thread.pair.isEmpty else { throw Poison("a direct thread has no title of its own") }
            let isTaken = try Bool.fetchOne(
                db.cachedStatement(sql: WriteQueries.isTitleTaken), arguments: [fields.text, event.thread.text])
            if isTaken == true { isVoid = true }
        }
        if fields.kind == "joined", !thread.pair.isEmpty, !thread.pair.contains(fields.user.text) { isVoid = true }
        self.init(fields: fields, isVoid: isVoid)
    }

    /// Whether an event above `seq`, which came earlier, has the last word. Edits know by themselves, and after a
    /// deletion there is no word.
    func isOutdone(at seq: Int64, of thread: ThreadID, in db: Database) throws -> Bool {
        if fields.kind == "edited" || fields.kind == "deleted" { return false }
        let isReaction = fields.kind == "reaction"
        let isOutdone = try Bool.fetchOne(
            db.cachedStatement(sql: WriteQueries.hasRival),
            arguments: [
                thread.text, seq, fields.rivals[0], fields.rivals.last, fields.rivals[fields.rivals.count / 2],
                fields.kind == "renamed" ? nil : fields.user.text, isReaction ? fields.messageID?.text : nil,
                isReaction ? fields.text : nil,
            ])
        return isOutdone ?? false
    }

    func carryOut(at place: EventPlace, of thread: ThreadID, in db: Database) throws {
        guard !isVoid else { return }
        let id = thread.text
        switch fields.kind {
        case "edited":
            try db.cachedStatement(sql: WriteQueries.edit)
                .execute(arguments: [fields.text, place.milliseconds, place.seq, id, fields.messageSeq])
        case "deleted":
            try db.cachedStatement(sql: WriteQueries.delete)
                .execute(arguments: [place.milliseconds, id, fields.messageSeq])
            try db.cachedStatement(sql: WriteQueries.forgetReactions).execute(arguments: [id, fields.messageSeq])
            try db.cachedStatement(sql: WriteQueries.forgetEdits).execute(arguments: [id, fields.messageID?.text])
        case "reaction":
            try db.cachedStatement(sql: fields.isOn == true ? WriteQueries.react : WriteQueries.unreact)
                .execute(arguments: [id, fields.messageSeq, fields.text, fields.user.text])
        case "joined":
            try db.cachedStatement(sql: WriteQueries.insertMember)
                .execute(arguments: [id, fields.user.text, place.seq, place.n, place.milliseconds])
        case "left":
            try db.cachedStatement(sql: WriteQueries.deleteMember).execute(arguments: [id, fields.user.text])
        case "renamed":
            try db.cachedStatement(sql: WriteQueries.rename).execute(arguments: [fields.text, id])
        default:
            try db.cachedStatement(sql: WriteQueries.setRole).execute(arguments: [fields.text, id, fields.user.text])
        }
    }
}

extension BatchWriter {
    /// See `EventEffect.init`.
    func effect(of event: LogEvent, in thread: ThreadState) throws -> EventEffect? {
        try EventEffect(of: event, in: thread, db)
    }
}
