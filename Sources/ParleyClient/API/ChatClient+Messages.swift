import ParleyJSON

extension ChatClient {
    // MARK: Messages

    /// Sends a message: it is kept before this returns, appears in collections at once, and is sent under the same id
    /// until the server has stored it, in the order of the calls within its thread. Files of the draft are copied before
    /// this returns, and uploaded before the message is transmitted.
    /// - Returns: The message, `pending`. Its `id` stays the same.
    /// - Throws: ``ChatError/invalid(_:)`` for an empty or too long message, a file that cannot be read, or a full
    ///   outbox, ``ChatError/unknown(_:)`` for a thread of which the user is not a member, ``ChatError/storage(_:)``.
    @discardableResult
    public func send(_ draft: ChatDraft, to threadID: String) async throws -> ChatMessage {
        try await engine.send(draft, to: threadID)
    }

    /// Sends a text.
    /// - Parameters:
    ///   - text: Of 1 to ``ChatClient/textLimit`` Unicode scalars.
    ///   - threadID: Of a thread of which the user is a member.
    ///   - replyTo: The `seq` of the message it answers.
    /// - Returns: The message, `pending`.
    /// - Throws: As ``send(_:to:)``.
    @discardableResult
    public func send(_ text: String, to threadID: String, replyTo: Int? = nil) async throws -> ChatMessage {
        try await engine.send(ChatDraft(text, replyTo: replyTo), to: threadID)
    }

    /// Replaces the text of the user's own message; kept and shown at once, with `pendingChange` until it is confirmed.
    /// A message that was never transmitted is changed before it is.
    /// - Parameters:
    ///   - id: ``ChatMessage/id``.
    ///   - threadID: Its thread.
    ///   - text: At most ``ChatClient/textLimit`` Unicode scalars.
    /// - Throws: ``ChatError/invalid(_:)``, ``ChatError/unknown(_:)``, ``ChatError/storage(_:)``.
    public func edit(_ id: String, in threadID: String, text: String) async throws {
        try await engine.change(id, in: threadID) { .edit($0, text: text) }
    }

    /// Deletes a message, as far as the user's role allows it; kept until it is confirmed. A message that was never
    /// transmitted is removed from the outbox.
    /// - Throws: ``ChatError/unknown(_:)``, ``ChatError/storage(_:)``.
    public func delete(_ id: String, in threadID: String) async throws {
        try await engine.change(id, in: threadID) { .deletion($0) }
    }

    /// Adds the user's reaction to a message, or removes it; kept and shown at once.
    /// - Parameters:
    ///   - emoji: 1 to 64 bytes, without spaces and control characters.
    ///   - isOn: Whether to add it.
    ///   - id: ``ChatMessage/id``.
    ///   - threadID: Its thread.
    /// - Throws: ``ChatError/invalid(_:)``, ``ChatError/unknown(_:)``, ``ChatError/storage(_:)``.
    public func react(_ emoji: String, isOn: Bool = true, to id: String, in threadID: String) async throws {
        guard (1...64).contains(emoji.utf8.count) else { throw ChatError.invalid("an emoji has 1 to 64 bytes") }
        try await engine.change(id, in: threadID) { .reaction($0, emoji: emoji, isOn: isOn) }
    }

    /// Tries again what is `failed`: the message, under the same id, or changes of it.
    /// - Throws: ``ChatError/storage(_:)``.
    public func retry(_ id: String, in threadID: String) async throws { try await engine.retry(id, in: threadID) }

    /// Gives up a message that was not accepted, with its uploads, or changes of a message that failed.
    ///
    /// A message that was transmitted before the connection was lost may have been accepted all the same; then it appears
    /// again as an ordinary message.
    /// - Throws: ``ChatError/invalid(_:)`` for a message that is being sent, ``ChatError/storage(_:)``.
    public func discard(_ id: String, in threadID: String) async throws { try await engine.discard(id, in: threadID) }

    /// Moves the user's read cursor, on all devices; backwards too. Kept until the server has it.
    /// - Parameters:
    ///   - threadID: The thread.
    ///   - seq: Up to and with this message; `nil` for the end of the thread.
    /// - Throws: ``ChatError/unknown(_:)``, ``ChatError/storage(_:)``.
    public func markRead(_ threadID: String, upTo seq: Int? = nil) async throws {
        try await engine.markRead(threadID, upTo: seq)
    }

    /// Shows other members that the user is typing, or has stopped. Call it with each key: what is sent is limited to once
    /// in 3 seconds. Without a connection nothing happens.
    public func setTyping(_ isOn: Bool, in threadID: String) async {
        await engine.note(.typing(thread: threadID, isOn: isOn))
    }

    /// Searches the user's threads on the server for messages that contain all the words. Needs a connection.
    /// - Parameters:
    ///   - words: Whole words, compared without case.
    ///   - threadID: Only in this thread; `nil` for all.
    ///   - limit: 1 to 200.
    /// - Throws: ``ChatError``.
    public func search(_ words: String, in threadID: String? = nil, limit: Int = 30) async throws -> SearchResults {
        var query = [("q", words), ("limit", "\(limit)")]
        if let threadID { query.append(("thread", threadID)) }
        let tree = try await engine.call("GET", ["v1", "search"], query: query)
        var messages: [ChatMessage] = []
        for element in tree["results"]?.elements ?? [] {
            if let message = await engine.shown(element) { messages.append(message) }
        }
        return SearchResults(messages: messages, hasMore: tree["has_more"]?.flag ?? false)
    }
}
