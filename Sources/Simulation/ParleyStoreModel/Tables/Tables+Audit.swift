import ParleyModel
import ParleyStorage

/// The audit log, by ascending id.
extension Tables {
    mutating func note(_ note: AuditNote, at milliseconds: Int64) {
        lastAuditID += 1
        auditStamps[lastAuditID] = nextStamp(in: .audit, at: milliseconds)
        audit.append(AuditEntry(id: lastAuditID, milliseconds: milliseconds, note: note))
    }

    /// Adds the row of an erasure before it is made, unless the user was erased before, and removes the reasons of the rows
    /// about the user.
    mutating func noteErasure(of user: UserID, at milliseconds: Int64, by actor: AuditActor) {
        if isPresent(user) { note(AuditNote(.erased, by: actor, of: user), at: milliseconds) }
        for index in audit.indices where audit[index].note.user == user { audit[index].note.reason = nil }
    }

    /// Adds the row of a deletion by a user who is not the author, before the message is changed.
    mutating func noteDeletion(of message: MessageRow, in thread: ThreadID, by user: UserID, at milliseconds: Int64) {
        guard message.sender != user, message.deleted == nil else { return }
        note(AuditRules.messageDeleted(message.id, of: message.sender, in: thread, by: user), at: milliseconds)
    }
}
