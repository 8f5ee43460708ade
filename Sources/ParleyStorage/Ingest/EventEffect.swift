package import ParleyModel

/// What an event that is no message does, once it has been found that it may.
package struct EventEffect: Hashable, Sendable {
    /// A stored message that an event is about.
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

    /// A question about the events above a seq, which came earlier: is one of them of these kinds, and of the same user,
    /// message and text where given?
    package struct RivalQuery: Hashable, Sendable {
        package var kinds: [String]
        package var user: UserID?
        package var message: MessageID?
        package var text: String?
    }

    /// As they are stored: about the seq that the message has here, and without a text that is gone.
    package let fields: EventFields
    /// What is to be done to the tables, in this order. Nothing if the message is deleted or erased, another room has the
    /// title, or the thread is a direct one of two others.
    package private(set) var actions: [EventFields]

    /// It stands in the log and does nothing.
    package var isVoid: Bool { actions.isEmpty }

    /// The effect of an event; `nil` for a message.
    /// - Parameters:
    ///   - thread: the thread of the event.
    ///   - subject: the message of this id that the thread has.
    ///   - titleOwner: the room that has this title.
    /// - Throws: `Rejection` if it makes no sense: there is no such message, or the thread has no title of its own.
    package init?(
        of event: LogEvent, in thread: ThreadState, subject: (MessageID) throws -> Subject?,
        titleOwner: (String) throws -> ThreadID?
    ) throws {
        guard var fields = EventFields(event.body) else { return nil }
        var isVoid = false
        if let id = fields.messageID {
            guard let message = try subject(id) else { throw Rejection("unknown message") }
            fields.messageSeq = message.seq
            // Who is erased can still be deleted: that counts for what is unread.
            isVoid = message.isDeleted || (message.isErased && fields.kind != "deleted")
            if isVoid, fields.kind == "edited" { fields.text = "" }
        }
        if fields.kind == "renamed" {
            guard thread.pair.isEmpty else { throw Rejection("a direct thread has no title of its own") }
            let owner = try titleOwner(fields.text ?? "")
            if let owner, owner != event.thread { isVoid = true }
        }
        if fields.kind == "joined", !thread.pair.isEmpty, !thread.pair.contains(fields.user.text) { isVoid = true }
        self.fields = fields
        actions = isVoid ? [] : [fields]
    }

    /// Of an event from the outbox: the tables were changed when it was put there.
    package init?(madeBefore event: LogEvent) {
        guard let fields = EventFields(event.body) else { return nil }
        self.fields = fields
        actions = []
    }

    /// Gives way to what the outbox has still to tell.
    package mutating func yield(to pending: PendingAnnouncements, in thread: ThreadID) {
        if !isVoid { actions = pending.actions(of: fields, in: thread) }
    }

    /// How to find out whether a later event has the last word over this one, which comes late; `nil` where that is no
    /// question: edits know by themselves, and after a deletion there is no word.
    package var rivalQuery: RivalQuery? {
        if isVoid || fields.kind == "edited" || fields.kind == "deleted" { return nil }
        let isReaction = fields.kind == "reaction"
        return RivalQuery(
            kinds: fields.rivals, user: fields.kind == "renamed" ? nil : fields.user,
            message: isReaction ? fields.messageID : nil, text: isReaction ? fields.text : nil)
    }
}
