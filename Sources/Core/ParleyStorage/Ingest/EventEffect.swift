package import ParleyModel

/// The effect of a non-message event on the tables, after validation.
package struct EventEffect: Hashable, Sendable {
    /// The stored message that an event refers to.
    package struct Subject: Hashable, Sendable {
        package var seq: Int64
        package var isDeleted: Bool
        package var isErased: Bool

        package init(seq: Int64, isDeleted: Bool, isErased: Bool) {
            self.seq = seq
            self.isDeleted = isDeleted
            self.isErased = isErased
        }
    }

    /// A query for a later reaction that supersedes this one: is there one above a seq with the same user, message and
    /// emoji?
    package struct SupersedingQuery: Hashable, Sendable {
        package var user: UserID
        package var message: MessageID?
        package var text: String?
    }

    /// The event's fields as stored: with the seq that the message has in this store, and without a removed text.
    package let fields: EventFields
    /// The event is stored but changes no other table: its message is deleted or erased, or it is about the members or
    /// the title of the thread, which the transaction that added its outbox entry has changed.
    package let isVoid: Bool

    /// Computes the effect of an event; returns `nil` for a message.
    /// - Parameter subject: looks up a message of this thread by id.
    /// - Throws: `UnstorableEvent` if the message does not exist.
    package init?(of event: LogEvent, subject: (MessageID) throws -> Subject?) throws {
        guard var fields = EventFields(event.body) else { return nil }
        var isVoid = true
        if let id = fields.messageID {
            guard let message = try subject(id) else { throw UnstorableEvent("unknown message") }
            fields.messageSeq = message.seq
            // An erased message can still be deleted, which changes unread counts.
            isVoid = message.isDeleted || (message.isErased && fields.kind != .deleted)
            if isVoid, fields.kind == .edited { fields.text = "" }
        }
        self.fields = fields
        self.isVoid = isVoid
    }

    /// The query that finds a later event superseding this one, if it is inserted below the head. `nil` where none can:
    /// an edit carries its own order, and nothing supersedes a deletion.
    package var supersedingQuery: SupersedingQuery? {
        guard !isVoid, fields.kind == .reaction else { return nil }
        return SupersedingQuery(user: fields.user, message: fields.messageID, text: fields.text)
    }
}
