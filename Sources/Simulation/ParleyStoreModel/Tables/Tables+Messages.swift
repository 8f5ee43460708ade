import ParleyModel
import ParleyStorage

/// Changes of messages and events, with the effects of the triggers of `messages`.
extension Tables {
    mutating func insert(_ row: MessageRow, in thread: ThreadID) {
        logs[thread, default: ThreadLog()].insert(row)
        logsByUser[row.sender, default: []].insert(thread)
        noteSend(row, in: thread)
        let use = AttachmentUse(thread: thread, message: row.id)
        if row.isGone {
            endUses(use)
        } else if row.parts != nil {
            for id in attachmentsByUse[use] ?? [] { uses[id]?[use]?.check = nil }
        }
    }

    mutating func insert(_ row: EventRow, in thread: ThreadID) {
        logs[thread, default: ThreadLog()].insert(row)
        logsByUser[row.fields.user, default: []].insert(thread)
    }

    /// Edits a message, unless it was deleted or erased in the meantime or has a later edit.
    mutating func edit(_ seq: Int64, in thread: ThreadID, _ text: String, at place: EventPlace) {
        logs[thread]?.update(at: seq) { row in
            guard row.editedSeq ?? 0 < place.seq, !row.isGone else { return }
            row.firstText = row.firstText ?? row.text
            row.text = text
            (row.edited, row.editedSeq) = (place.milliseconds, place.seq)
        }
    }

    mutating func delete(_ seq: Int64, in thread: ThreadID, at milliseconds: Int64, _ key: ContentKey?) {
        clear(seq, in: thread, key) { $0.deleted = milliseconds }
    }

    mutating func erase(_ seq: Int64, in thread: ThreadID, _ key: ContentKey?) {
        clear(seq, in: thread, key) { row in
            row.isErased = true
            row.senderName = User.erased(row.sender).name
        }
    }

    /// Removes what a message contains, with its reactions and earlier texts, and keeps a digest of a named one.
    private mutating func clear(
        _ seq: Int64, in thread: ThreadID, _ key: ContentKey?, _ change: (inout MessageRow) -> Void
    ) {
        var cleared: MessageRow?
        logs[thread]?.update(at: seq) { row in
            cleared = row
            if !row.isGone, row.clientID ?? row.laterClientID != nil, let key {
                row.digest = key.digest(
                    of: SendContent(
                        thread: thread.text, text: row.firstText ?? row.text, parts: row.parts, replyTo: row.replyTo))
            }
            (row.text, row.firstText, row.parts, row.edited, row.editedSeq) = ("", nil, nil, nil, nil)
            change(&row)
        }
        guard let cleared else { return }
        logs[thread]?.forgetReactions(to: seq)
        _ = logs[thread]?.updateEvents(
            where: { $0.fields.kind == .edited && $0.fields.messageID == cleared.id }, { $0.fields.text = "" })
        if cleared.parts != nil { endUses(AttachmentUse(thread: thread, message: cleared.id)) }
    }

    /// Removes a `client_id` from all messages that a user has sent under it.
    mutating func forgetSend(_ key: SendKey) {
        guard let row = sends.removeValue(forKey: key) else { return }
        for place in (row.first.map { [$0] } ?? []) + row.later {
            logs[place.thread]?.update(at: place.seq) { message in
                (message.clientID, message.laterClientID, message.digest) = (nil, nil, nil)
            }
        }
    }

    // MARK: Uses of attachments

    /// Ends the uses of a message, which makes the attachments due.
    mutating func endUses(_ use: AttachmentUse) {
        for id in attachmentsByUse.removeValue(forKey: use) ?? [] {
            uses[id]?[use] = nil
            makeDue(id)
        }
    }

    mutating func endUse(_ use: AttachmentUse, of id: AttachmentID) {
        attachmentsByUse[use]?.remove(id)
        if attachmentsByUse[use]?.isEmpty == true { attachmentsByUse[use] = nil }
        uses[id]?[use] = nil
        makeDue(id)
    }

    private mutating func makeDue(_ id: AttachmentID) {
        if attachments[id]?.isRemoving == false { attachments[id]?.due = 0 }
    }
}
