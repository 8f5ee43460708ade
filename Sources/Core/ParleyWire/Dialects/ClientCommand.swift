package import ParleyModel

/// A command of a client, in any dialect but v1.
///
/// Its form is valid; its content is unchecked: whether the thread exists, the text is allowed, the name is free.
package enum ClientCommand: Hashable, Sendable {
    /// Classic: send a text to a thread. The text may be empty, too long or contain NUL; see `MessageText`.
    case send(thread: ThreadID, text: String)
    /// Classic: mark the whole thread as read.
    case read(ThreadID)
    /// Direct: send a text to a user by name.
    case sendDirect(toUser: String, text: String)
    /// Line: `iam:NAME`; the name satisfies `GuestName`.
    case introduce(name: String)
    /// Line: `msg:TEXT`, sent to the lobby.
    case say(text: String)

    /// The text of a classic or direct send.
    package var text: String? {
        switch self {
        case .send(_, let text), .sendDirect(_, let text): text
        case .read, .introduce, .say: nil
        }
    }
}
