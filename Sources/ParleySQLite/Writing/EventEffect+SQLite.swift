import GRDB
import ParleyModel
import ParleyStorage

/// Applying an event to the tables.
extension EventEffect {
    /// Whether an earlier arrived event above `seq` supersedes this one.
    func isSuperseded(at seq: Int64, of thread: ThreadID, in db: Database) throws -> Bool {
        guard let query = supersedingQuery else { return false }
        // There are at most three kinds; a duplicate is harmless.
        let kinds = query.kinds.map(\.rawValue)
        let isSuperseded = try Bool.fetchOne(
            db.cachedStatement(sql: WriteQueries.hasSupersedingEvent),
            arguments: [
                thread.text, seq, kinds[0], kinds.last, kinds[kinds.count / 2], query.user?.text, query.message?.text,
                query.text,
            ])
        return isSuperseded ?? false
    }

    func carryOut(at place: EventPlace, of thread: ThreadID, in db: Database) throws {
        for action in actions { try Self.carryOut(action, at: place, of: thread, in: db) }
    }

    private static func carryOut(
        _ fields: EventFields, at place: EventPlace, of thread: ThreadID, in db: Database
    ) throws {
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
        case .joined:
            try db.cachedStatement(sql: WriteQueries.insertMember)
                .execute(arguments: [id, fields.user.text, place.seq, place.n, place.milliseconds])
        case .left:
            try db.cachedStatement(sql: WriteQueries.deleteMember).execute(arguments: [id, fields.user.text])
        case .renamed:
            try db.cachedStatement(sql: WriteQueries.renameIfFree).execute(arguments: [fields.text, id])
        case .message: break
        case .role:
            try db.cachedStatement(sql: WriteQueries.setRole).execute(arguments: [fields.text, id, fields.user.text])
        }
    }
}

extension BatchWriter {
    /// The effect of an event that is not a message; `nil` for a message.
    /// - Throws: `Rejection` if the event is invalid.
    func effect(of event: LogEvent, in thread: ThreadState) throws -> EventEffect? {
        var effect = try judge(event, in: thread)
        if let user = effect.map(\.fields).flatMap(PendingAnnouncements.subject) {
            effect?.replaceActions(by: try pendingAnnouncements(about: user, in: event.thread), in: event.thread)
        }
        return effect
    }

    /// - Parameter user: a value of `PendingAnnouncements.subject`.
    func pendingAnnouncements(about user: String, in thread: ThreadID) throws -> PendingAnnouncements {
        var pending = PendingAnnouncements()
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: SendQueries.pendingAnnouncements), arguments: [thread.text, user])
        for row in rows {
            pending.add(
                OutboxEntry(
                    id: row[0], thread: thread,
                    content: OutboxEntry.Content(storedKind: row[1], payload: row[2])))
        }
        return pending
    }

    private func judge(_ event: LogEvent, in thread: ThreadState) throws -> EventEffect? {
        try EventEffect(
            of: event, in: thread,
            subject: { id in
                let row = try Row.fetchOne(
                    db.cachedStatement(sql: WriteQueries.messageOfEvent), arguments: [event.thread.text, id.text])
                return row.map { EventEffect.Subject(seq: $0[0], isDeleted: $0[1], isErased: $0[2]) }
            },
            titleOwner: { title in
                let owner = try String.fetchOne(
                    db.cachedStatement(sql: WriteQueries.ownerOfTitle), arguments: [title])
                return owner.map { ThreadID(trusted: $0) }
            })
    }
}
