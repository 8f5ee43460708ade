/// A send or a change that the server has not fully confirmed.
package struct ClientOutboxEntry: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case message(ChatDraft)
        case edit(Target, text: String)
        case deletion(Target)
        case reaction(Target, emoji: String, isOn: Bool)
    }

    /// The message that a change applies to. A message in the outbox gets its `seq` and ID when it is accepted.
    package struct Target: Hashable, Sendable {
        package var seq: Int?
        package var messageID: String?
        /// The ``ChatMessage/id`` of the message.
        package var localID: String

        package init(seq: Int? = nil, messageID: String? = nil, localID: String) {
            self.seq = seq
            self.messageID = messageID
            self.localID = localID
        }
    }

    package struct Receipt: Hashable, Sendable {
        package var seq: Int
        package var messageID: String?
        package var milliseconds: Int64

        package init(seq: Int, messageID: String?, milliseconds: Int64) {
            self.seq = seq
            self.messageID = messageID
            self.milliseconds = milliseconds
        }
    }

    package struct Failure: Hashable, Sendable {
        package var code: ServerErrorCode
        package var message: String
        package var isRetryable: Bool

        package init(code: ServerErrorCode, message: String, isRetryable: Bool) {
            self.code = code
            self.message = message
            self.isRetryable = isRetryable
        }

        package var error: ChatError { .refused(code: code, message: message) }
    }

    /// The ID of the entry, a UUIDv7. It is the `client_id` of a message.
    package let id: String
    package let thread: String
    /// The position among all entries.
    package var ordinal: Int
    package var content: Content
    /// The files of a message. They become parts after the parts of the draft.
    package var files: [OutboxFile] = []
    /// The date of the send in milliseconds.
    package var milliseconds: Int64
    /// Whether the entry was ever transmitted. After that its content cannot change.
    package var wasSent = false
    package var receipt: Receipt?
    package var isStored = false
    package var failure: Failure?

    // Not stored, because it belongs to one connection.

    /// The `ref` of the awaited answer.
    package var inFlight: Int64?
    /// Whether the entry must be transmitted on this connection.
    package var needsSend = true
    /// The number of `unavailable` answers and of missing answers.
    package var attempts = 0
    /// Whether the server has reported a missing file and was asked again.
    package var hasDoubtedFiles = false

    package init(id: String, thread: String, ordinal: Int, content: Content, milliseconds: Int64) {
        self.id = id
        self.thread = thread
        self.ordinal = ordinal
        self.content = content
        self.milliseconds = milliseconds
    }

    package var isMessage: Bool {
        if case .message = content { true } else { false }
    }

    package var target: Target? {
        switch content {
        case .message: nil
        case .edit(let target, _), .deletion(let target), .reaction(let target, _, _): target
        }
    }

    /// Completes the target of a change whose message was accepted.
    /// - Returns: Whether the change applies to that message.
    package mutating func resolve(_ localID: String, _ receipt: Receipt) -> Bool {
        guard let target, target.localID == localID, target.messageID == nil else { return false }
        retarget(Target(seq: receipt.seq, messageID: receipt.messageID, localID: localID))
        return true
    }

    /// Resets the target of a change whose message is sent again with another ID.
    package mutating func unresolve() {
        if let target { retarget(Target(localID: target.localID)) }
    }

    private mutating func retarget(_ target: Target) {
        switch content {
        case .message: break
        case .edit(_, let text): content = .edit(target, text: text)
        case .deletion: content = .deletion(target)
        case .reaction(_, let emoji, let isOn): content = .reaction(target, emoji: emoji, isOn: isOn)
        }
    }

    /// The command; `nil` while its message has no ID, or while its files are not on the server.
    package var command: V1ClientCommand? {
        switch content {
        case .message(let draft): complete(draft).map { .message($0) }
        case .edit(let target, let text): target.messageID.map { .edit(thread: thread, message: $0, text: text) }
        case .deletion(let target): target.messageID.map { .delete(thread: thread, message: $0) }
        case .reaction(let target, let emoji, let isOn):
            target.messageID.map { .react(thread: thread, message: $0, emoji: emoji, isOn: isOn) }
        }
    }

    /// Whether a file must be uploaded before the message is sent.
    package var needsUpload: Bool { failure == nil && receipt == nil && files.contains { !$0.isComplete } }

    /// Returns the message with all its parts.
    private func complete(_ draft: ChatDraft) -> V1ClientCommand.Message? {
        var message = V1ClientCommand.Message(thread: thread, text: draft.text, clientID: id, wantsStored: true)
        message.parts = draft.parts
        message.replyTo = draft.replyTo
        for file in files {
            guard let part = file.part else { return nil }
            message.parts.append(part)
        }
        return message
    }

    /// Whether the entry is neither confirmed nor refused. An acknowledged change is in the log; only a message can be
    /// requested again.
    package var isPending: Bool { failure == nil && !isStored && (isMessage || receipt == nil) }

    /// The entry without the state of a connection. A pending entry is sent again.
    package var kept: ClientOutboxEntry {
        var entry = self
        entry.inFlight = nil
        entry.needsSend = isPending
        entry.attempts = 0
        entry.hasDoubtedFiles = false
        for index in files.indices { entry.files[index].isVerified = false }
        return entry
    }
}
