package import ParleyModel

/// A command of a v1 client.
///
/// Its form is valid: counts, and the syntax of ids. Unchecked are lengths of texts, whether a thread or message
/// exists, and the user's rights.
package enum V1Command: Hashable, Sendable {
    case send(V1Send)
    case edit(thread: ThreadID, message: MessageID, text: String)
    case delete(thread: ThreadID, message: MessageID)
    case react(thread: ThreadID, message: MessageID, emoji: String, isOn: Bool)
    /// Move the read cursor to `seq`, which may be lower than the present one; `nil` means the end.
    case read(thread: ThreadID, seq: Int64?)
    case typing(thread: ThreadID, isOn: Bool)
    /// Continue after these positions.
    case resume([ThreadID: Position])
    case history(V1HistoryRequest)
    /// Join the room of this title, whose validity is unchecked.
    case join(title: String)
    case leave(thread: ThreadID)
    /// Distinct users.
    case watch([UserID])
    case authenticate(token: String)
    case ping(Int64)
}
