package import ParleyModel

/// What a client asks for, in any dialect.
///
/// The form is checked, the content is not: whether the thread exists, the text is allowed, the name is free.
package enum ClientCommand: Hashable, Sendable {
    /// Classic: send a text to a thread. The text may be empty, too long or hold NUL; see `MessageText`.
    case send(thread: ThreadID, text: String)
    /// Classic: everything in the thread is read.
    case read(ThreadID)
    /// Direct: send a text to a user by name.
    case sendDirect(toUser: String, text: String)
    /// Line: `iam:NAME`; the name obeys `GuestName`.
    case introduce(name: String)
    /// Line: `msg:TEXT`, for the lobby.
    case say(text: String)

    /// The text that is to be sent, if the command is a send of the classic or direct dialect.
    package var text: String? {
        switch self {
        case .send(_, let text), .sendDirect(_, let text): text
        case .read, .introduce, .say: nil
        }
    }
}
