/// The delivery state of a message.
///
/// A message of this client changes from `pending` to `accepted` and `stored`, or to `failed`. Messages from other
/// users and devices are `stored`.
public enum MessageState: Hashable, Sendable {
    /// The message is in the outbox. The client sends it under the same `client_id` until the server accepts it.
    case pending
    /// The message is in the log of the thread: it has a `seq`, and members receive it. It stays in the outbox until it
    /// is stored.
    case accepted
    /// The message is in the server's database.
    case stored
    /// The server refused the message. If `retryable` is `true`, ``ChatClient/retry(_:in:)`` may succeed.
    /// ``ChatClient/discard(_:in:)`` removes the message.
    case failed(reason: ChatError, retryable: Bool)
}

/// A change of a message that the server has not confirmed. The message already shows it.
public enum PendingChange: Hashable, Sendable {
    /// The text was edited.
    case edit
    /// The message is about to be deleted. It is shown with its text until then.
    case deletion
    /// The server refused the change, and the message shows the server's text. ``ChatClient/discard(_:in:)`` removes
    /// this state.
    case failed(reason: ChatError)
}
