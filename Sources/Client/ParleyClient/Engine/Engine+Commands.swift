import Foundation

/// The user's actions on messages.
extension Engine {
    func send(_ draft: ChatDraft, to thread: String) async throws(ChatError) -> ChatMessage {
        guard core.threads[thread] != nil else { throw .unknown("no thread \(thread) is known") }
        try check(draft)
        let id = try newEntry()
        // No later message overtakes this one before it is stored.
        guard !draft.files.isEmpty || turns[thread] != nil else { return try keep(draft, in: thread, id, []) }
        reservedEntries += 1
        lastTurn += 1
        let (number, previous) = (lastTurn, turns[thread]?.task)
        let task = Task {
            _ = await previous?.value
            let result = await keepWithFiles(draft, in: thread, id)
            if turns[thread]?.number == number { turns[thread] = nil }
            return result
        }
        turns[thread] = (number, task)
        return try await task.value.get()
    }

    /// Stores a message once its files are copied. Its place in the outbox is reserved.
    private func keepWithFiles(
        _ draft: ChatDraft, in thread: String, _ id: String
    ) async -> Result<ChatMessage, ChatError> {
        defer { reservedEntries -= 1 }
        do throws(ChatError) {
            guard !isShutDown else { throw .shutDown }
            let files = draft.files.isEmpty ? [] : try await stage.add(draft.files, for: id)
            var draft = draft
            draft.files = []
            // The user may have left the thread while the files were copied.
            guard core.threads[thread] != nil else { throw .unknown("no thread \(thread) is known") }
            return .success(try keep(draft, in: thread, id, files))
        } catch {
            if !draft.files.isEmpty { await stage.remove(id) }
            return .failure(error)
        }
    }

    private func keep(
        _ draft: ChatDraft, in thread: String, _ id: String, _ files: [OutboxFile]
    ) throws(ChatError) -> ChatMessage {
        try process(.send(draft, thread: thread, id: id, files: files))
        guard let entry = core.outbox[id], let message = shown(entry) else { throw .storage("the outbox is gone") }
        return message
    }

    private func check(_ draft: ChatDraft) throws(ChatError) {
        guard !draft.text.isEmpty || !draft.parts.isEmpty || !draft.files.isEmpty else {
            throw .invalid(.messageEmpty, "the message is empty")
        }
        guard draft.parts.count + draft.files.count <= 10 else {
            throw .invalid(.tooManyParts(10), "a message has at most 10 parts")
        }
        for file in draft.files { try check(file) }
        for part in draft.parts {
            guard let url = part.file?.url, url.isEmpty || url.hasPrefix("file:") else { continue }
            throw .invalid(.foreignFile, "a file of this device is sent by the draft's files, not by its parts")
        }
        try check(draft.text)
    }

    func check(_ file: LocalFile) throws(ChatError) {
        let isPlain = file.name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
        guard (1...255).contains(file.name.utf8.count), isPlain, !file.name.utf8.contains(UInt8(ascii: "\\")) else {
            throw .invalid(.fileName, "a file's name has 1 to 255 bytes, without slashes and control characters")
        }
        guard file.mediaType.contains("/") else { throw .invalid(.mediaType, "\(file.mediaType) is not a media type") }
    }

    private func check(_ text: String) throws(ChatError) {
        guard text.unicodeScalars.count <= core.textLimit else {
            throw .invalid(.textTooLong(core.textLimit), "the text has more than \(core.textLimit) characters")
        }
        guard !text.utf8.contains(0) else { throw .invalid(.textNotAllowed, "the text contains a NUL character") }
    }

    /// Returns a new ID if the outbox has room.
    private func newEntry() throws(ChatError) -> String {
        guard core.outbox.count + reservedEntries < configuration.outboxLimit else {
            throw .invalid(
                .outboxFull(configuration.outboxLimit),
                "the outbox is full: \(configuration.outboxLimit) messages and changes")
        }
        return random.uuid7(milliseconds: now.milliseconds)
    }

    func change(
        _ message: String, in thread: String, _ content: (ClientOutboxEntry.Target) -> ClientOutboxEntry.Content
    ) throws {
        guard core.threads[thread] != nil else { throw ChatError.unknown("no thread \(thread) is known") }
        let target = try target(message, in: thread)
        let entry = content(target)
        if case .edit(_, let text) = entry { try check(text) }
        try process(.change(entry, thread: thread, id: newEntry()))
    }

    /// Finds a message by its ``ChatMessage/id`` in the outbox or the cache.
    private func target(_ id: String, in thread: String) throws(ChatError) -> ClientOutboxEntry.Target {
        if let entry = core.outbox[id], entry.isMessage {
            return ClientOutboxEntry.Target(
                seq: entry.receipt?.seq, messageID: entry.receipt?.messageID, localID: id)
        }
        let stored: StoredMessage?
        do {
            stored = try storage.message(in: thread, named: id)
        } catch {
            throw .storage("\(error)")
        }
        if let stored {
            return ClientOutboxEntry.Target(seq: stored.seq, messageID: stored.id, localID: id)
        }
        // The message is not on the device, for example because a search found it. The server knows it by this ID,
        // unless the user sent it.
        return ClientOutboxEntry.Target(seq: nil, messageID: id, localID: id)
    }

    /// Retries a failed message and failed changes of a message.
    func retry(_ id: String, in thread: String) throws {
        for entry in failures(of: id, in: thread) { try process(.retry(entry.id)) }
    }

    /// Discards a message that was not accepted, or failed changes.
    func discard(_ id: String, in thread: String) throws {
        if let entry = core.outbox[id], entry.isMessage, entry.receipt == nil {
            guard entry.inFlight == nil else { throw ChatError.invalid(.beingSent, "the message is being sent") }
            return try process(.discard(id))
        }
        for entry in failures(of: id, in: thread) { try process(.discard(entry.id)) }
    }

    private func failures(of id: String, in thread: String) -> [ClientOutboxEntry] {
        core.outbox.entries(in: thread).filter { entry in
            entry.failure != nil && (entry.id == id || entry.target?.localID == id)
        }
    }

    func markRead(_ thread: String, upTo seq: Int?) throws {
        guard let record = core.threads[thread] else { throw ChatError.unknown("no thread \(thread) is known") }
        try process(.markRead(thread: thread, seq: seq ?? max(record.seq, record.target)))
    }

    /// Asks for new credentials and passes them to the open socket.
    func refreshCredentials() async throws {
        do {
            lastCredentials = try await configuration.credentials(.expired)
        } catch {
            throw ChatError.offline
        }
        guard let credentials = lastCredentials else { throw ChatError.unauthorized }
        if case .bearer(let token) = credentials { try process(.authenticate(token: token)) }
    }

    var connectionState: ConnectionState {
        switch core.connection.phase {
        case .stopped: .offline(until: nil)
        case .waiting(let until):
            .offline(until: configuration.clock.date + max(0, (until - configuration.clock.uptime).inSeconds))
        case .connecting, .greeting: .connecting
        case .connected: .connected
        case .loggedOut(let reason): .loggedOut(reason)
        }
    }

    var account: ChatUser? { core.account }
    var presences: [ChatUser.ID: ChatPresence] { core.ephemeral.presence }
    var blockedUsers: Set<ChatUser.ID> { Set(core.blocks.map { ChatUser.ID($0) }) }
    var profilesChanged: [ChatUser.ID: ChatUser] { core.ephemeral.profiles }
    /// The number of unconfirmed sends and changes.
    var outboxCount: Int { core.outbox.count }

    var pendingCount: Int { core.outbox.pendingCount }

    func pendingCount(in thread: String) -> Int { core.outbox.pendingCount(in: thread) }

    func unconfirmed(in thread: String) -> [UnconfirmedSend] {
        core.outbox.entries(in: thread).compactMap { UnconfirmedSend($0) }
    }

    var textLimit: Int { core.textLimit }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
