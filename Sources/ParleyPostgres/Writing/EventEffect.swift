import ParleyModel

/// What an event that is no message does, once it has been found that it may.
struct EventEffect {
    /// As they are stored: about the seq that the message has here, and without a text that is gone.
    let fields: EventFields
    /// It stands in the log and does nothing: the message is deleted or erased, another room has the title, or the
    /// thread is a direct one of two others.
    let isVoid: Bool

    /// Asks whether an event above `seq`, which came earlier, has the last word; `nil` where that is no question: edits
    /// know by themselves, and after a deletion there is no word.
    func rivalCall(at seq: Int64, of thread: ThreadID) -> Call? {
        if isVoid || fields.kind == "edited" || fields.kind == "deleted" { return nil }
        let isReaction = fields.kind == "reaction"
        return WriteQueries.hasRival(
            .text(thread.text), .int(seq), .texts(fields.rivals),
            .text(fields.kind == "renamed" ? nil : fields.user.text),
            .text(isReaction ? fields.messageID?.text : nil), .text(isReaction ? fields.text : nil))
    }
}
