/// The time of an event.
package struct Now: Sendable {
    /// The monotonic time.
    package var uptime: Duration
    /// The date of the user's device.
    package var milliseconds: Int64

    package init(uptime: Duration, milliseconds: Int64) {
        self.uptime = uptime
        self.milliseconds = milliseconds
    }
}

/// An event for a ``ChatMachine``.
package enum MachineEvent: Sendable {
    // Connection
    case start
    case stop
    case networkChanged
    case opened
    case openFailed(status: Int?, retryAfter: Duration?)
    case credentialsMissing
    case frames([ServerFrame])
    /// A sign of life other than a frame.
    case activity
    case closed(code: Int?)
    case tick

    // User
    /// A message to send. The ID is a new UUIDv7. The files are copies of the draft's files.
    case send(ChatDraft, thread: String, id: String, files: [OutboxFile] = [])
    case change(ClientOutboxEntry.Content, thread: String, id: String)
    case retry(String)
    case discard(String)
    case markRead(thread: String, seq: Int)
    case typing(thread: String, isOn: Bool)
    case watch([String])
    /// New credentials for the open socket.
    case authenticate(token: String)

    // Requests
    case history(request: Int, thread: String, before: Int?, after: Int?, limit: Int)
    /// Threads from REST.
    case listed([ServerFrame.ThreadFields])
    case unreadCounted(thread: String, seq: Int, count: Int)
    case answered(UploadStep, UploadAnswer)
}

/// An action of a ``ChatMachine``, to be performed after the changes of the same output are stored.
package enum MachineAction: Sendable {
    case connect(ticket: String?, CredentialReason)
    case disconnect
    case transmit(String)
    /// The page for a `history` request, which the changes already contain.
    case answer(request: Int, Result<ServerFrame.Page, ChatError>)
    /// Load the threads that hello did not list and unknown newest messages with `GET /v1/threads`.
    case listThreads
    /// Load a thread with `GET /v1/threads/{id}`, because the names in its title may have changed.
    case reload(thread: String)
    /// Count the unread messages after `seq`.
    case countUnread(thread: String, seq: Int)
    /// Send a request of an upload.
    case upload(UploadStep)
    /// Remove files that no message refers to from the server. The result is ignored.
    case deleteAttachments([String])
    /// Remove the copies of an outbox entry's files from the device.
    case removeFiles(entry: String)
}

/// The result of an event.
package struct MachineOutput: Sendable {
    package var changes: [StoreChange] = []
    package var actions: [MachineAction] = []
    /// The threads whose messages are shown differently.
    package var messages: Set<String> = []
    /// The threads whose cache was emptied.
    package var resets: Set<String> = []
    package var isListChanged = false
    package var isStateChanged = false
    package var isPresenceChanged = false
    package var isProfilesChanged = false
    package var isBlocksChanged = false
    /// Whether hello was received: changes of lists before it were not reported.
    package var isGreeted = false
    /// Whether the user's invitations may have changed.
    package var isInvitationsChanged = false
    /// The threads whose invitations and requests may have changed.
    package var entrances: Set<String> = []
}
