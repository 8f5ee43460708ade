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

    /// A query for a later event that supersedes this one: is there an event above a seq with one of these kinds and,
    /// where given, the same user, message and text?
    package struct SupersedingQuery: Hashable, Sendable {
        package var kinds: [LogEvent.Kind]
        package var user: UserID?
        package var message: MessageID?
        package var text: String?
    }

    /// The event's fields as stored: with the seq that the message has in this store, and without a removed text.
    package let fields: EventFields
    /// The changes to apply to the tables, in order. Empty if the message is deleted or erased, if another room has the
    /// title, or if the user who joins a direct thread is not one of its pair.
    package private(set) var actions: [EventFields]

    /// The event is stored but changes no other table.
    package var isVoid: Bool { actions.isEmpty }

    /// Computes the effect of an event; returns `nil` for a message.
    /// - Parameters:
    ///   - thread: the thread of the event.
    ///   - subject: looks up a message of this thread by id.
    ///   - titleOwner: looks up the room that has a title.
    /// - Throws: `Rejection` if the event is invalid: the message does not exist, or the thread has no title of its
    ///   own.
    package init?(
        of event: LogEvent, in thread: ThreadState, subject: (MessageID) throws -> Subject?,
        titleOwner: (String) throws -> ThreadID?
    ) throws {
        guard var fields = EventFields(event.body) else { return nil }
        var isVoid = false
        if let id = fields.messageID {
            guard let message = try subject(id) else { throw Rejection("unknown message") }
            fields.messageSeq = message.seq
            // An erased message can still be deleted, which changes unread counts.
            isVoid = message.isDeleted || (message.isErased && fields.kind != .deleted)
            if isVoid, fields.kind == .edited { fields.text = "" }
        }
        if fields.kind == .renamed {
            guard thread.pair.isEmpty else { throw Rejection("a direct thread has no title of its own") }
            let owner = try titleOwner(fields.text ?? "")
            if let owner, owner != event.thread { isVoid = true }
        }
        if fields.kind == .joined, !thread.pair.isEmpty, !thread.pair.contains(fields.user.text) { isVoid = true }
        self.fields = fields
        actions = isVoid ? [] : [fields]
    }

    /// An event from the outbox. The tables were changed in the transaction that added the entry, so it has no actions.
    package init?(fromOutbox event: LogEvent) {
        guard let fields = EventFields(event.body) else { return nil }
        self.fields = fields
        actions = []
    }

    /// Replaces the actions by those of pending outbox entries, which come later in the log.
    package mutating func replaceActions(by pending: PendingAnnouncements, in thread: ThreadID) {
        if !isVoid { actions = pending.actions(of: fields, in: thread) }
    }

    /// The query that finds a later event superseding this one, if it is inserted below the head. `nil` where none can:
    /// an edit carries its own order, and nothing supersedes a deletion.
    package var supersedingQuery: SupersedingQuery? {
        if isVoid || fields.kind == .edited || fields.kind == .deleted { return nil }
        let isReaction = fields.kind == .reaction
        return SupersedingQuery(
            kinds: fields.supersedingKinds, user: fields.kind == .renamed ? nil : fields.user,
            message: isReaction ? fields.messageID : nil, text: isReaction ? fields.text : nil)
    }
}
