/// How far a message has come on its way to the server's database.
///
/// A message that this client sends goes `pending → accepted → stored`, or to `failed`. Messages of others, and those
/// sent by other devices, are `stored`.
public enum MessageState: Hashable, Sendable {
    /// Kept in the outbox, and sent as soon as there is a connection; under the same `client_id` as often as needed.
    case pending
    /// In the log of the thread: it has a `seq`, and members receive it. The outbox keeps it until it is stored.
    case accepted
    /// In the database.
    case stored
    /// Refused. `retryable` says whether ``ChatClient/retry(_:in:)`` may help; ``ChatClient/discard(_:in:)`` removes it.
    case failed(reason: ChatError, retryable: Bool)
}

/// A change of a message that the server has not confirmed yet. The message already shows it.
public enum PendingChange: Hashable, Sendable {
    /// Another text.
    case edit
    /// The message is to be deleted; it is still shown with its text.
    case deletion
    /// Refused; the message shows the text it has on the server. ``ChatClient/discard(_:in:)`` removes this notice.
    case failed(reason: ChatError)
}
