package import ParleyModel

/// What a client of the v1 dialect asks for.
///
/// The form is checked: counts, and that ids may be ids. How long texts are, whether a thread or a message exists and
/// whether the user may do that is not.
package enum V1Command: Hashable, Sendable {
    case send(V1Send)
    case edit(thread: ThreadID, message: MessageID, text: String)
    case delete(thread: ThreadID, message: MessageID)
    case react(thread: ThreadID, message: MessageID, emoji: String, isOn: Bool)
    /// Move the read cursor to `seq`, back too; `nil`: to the end.
    case read(thread: ThreadID, seq: Int64?)
    case typing(thread: ThreadID, isOn: Bool)
    /// Go on behind these positions.
    case resume([ThreadID: Position])
    case history(V1HistoryRequest)
    /// Join the room of this title; whether it may be one is not checked.
    case join(title: String)
    case leave(thread: ThreadID)
    /// Each user once.
    case watch([UserID])
    case authenticate(token: String)
    case ping(Int64)
}
