/// The time of an event.
package struct Now: Sendable {
    /// Never goes back.
    package var uptime: Duration
    /// As the user's device has it.
    package var milliseconds: Int64

    package init(uptime: Duration, milliseconds: Int64) {
        self.uptime = uptime
        self.milliseconds = milliseconds
    }
}

/// What happens to a ``ChatMachine``.
package enum MachineEvent: Sendable {
    // The connection
    case start
    case stop
    case networkChanged
    case opened
    case openFailed(status: Int?, retryAfter: Duration?)
    case credentialsMissing
    case frames([ServerFrame])
    /// A sign of life that is no frame.
    case activity
    case closed(code: Int?)
    case tick

    // What the user does
    /// The id is a new UUIDv7. The files are those of the draft, copied.
    case send(ChatDraft, thread: String, id: String, files: [OutboxFile] = [])
    case change(ClientOutboxEntry.Content, thread: String, id: String)
    case retry(String)
    case discard(String)
    case markRead(thread: String, seq: Int)
    case typing(thread: String, isOn: Bool)
    case watch([String])
    /// Fresh credentials for the open socket.
    case authenticate(token: String)

    // What was asked for
    case history(request: Int, thread: String, before: Int?, after: Int?, limit: Int)
    /// Threads of REST.
    case listed([ServerFrame.ThreadFields])
    case unreadCounted(thread: String, seq: Int, count: Int)
    case answered(UploadStep, UploadAnswer)
}

/// What a ``ChatMachine`` wants done, after the changes of the same output are stored.
package enum MachineAction: Sendable {
    case connect(ticket: String?, CredentialReason)
    case disconnect
    case transmit(String)
    /// A page for a request of `history`, already among the changes.
    case answer(request: Int, Result<ServerFrame.Page, ChatError>)
    /// The threads that hello did not list, or newest messages that are not known: `GET /v1/threads`.
    case listThreads
    /// Count what is unread after `seq`.
    case countUnread(thread: String, seq: Int)
    /// A request of an upload.
    case upload(UploadStep)
    /// Removes files from the server that no message needs; whether it works or not.
    case deleteAttachments([String])
    /// Removes the copies of an outbox entry's files from the device.
    case removeFiles(entry: String)
}

/// The result of an event.
package struct MachineOutput: Sendable {
    package var changes: [StoreChange] = []
    package var actions: [MachineAction] = []
    /// Threads whose messages look different.
    package var messages: Set<String> = []
    /// Threads whose cache was emptied.
    package var resets: Set<String> = []
    package var isListChanged = false
    package var isStateChanged = false
    package var isPresenceChanged = false
}
