import ParleyJSON

extension ChatClient {
    // MARK: Messages

    /// Sends a message.
    ///
    /// The message is stored on the device before this method returns, and appears in collections immediately. The
    /// client transmits it under the same ID until the server has stored it. Messages of one thread are sent in the
    /// order of the calls. Files of the draft are copied before this method returns, and uploaded before the message is
    /// transmitted.
    /// - Parameters:
    ///   - draft: The content of the message.
    ///   - threadID: The ID of a thread that the user belongs to.
    /// - Returns: The message in the state `pending`. Its ``ChatMessage/id`` never changes.
    /// - Throws: ``ChatError/invalid(_:_:)`` if the message is empty or too long, a file cannot be read, or the outbox is
    ///   full; ``ChatError/unknown(_:)`` if the user is not a member of the thread; ``ChatError/storage(_:)``.
    @discardableResult
    public func send(_ draft: ChatDraft, to threadID: ChatThread.ID) async throws -> ChatMessage {
        try await engine.send(draft, to: threadID.rawValue)
    }

    /// Sends a text message.
    /// - Parameters:
    ///   - text: The text, 1 to ``ChatClient/textLimit`` Unicode scalars.
    ///   - threadID: The ID of a thread that the user belongs to.
    ///   - replyTo: The `seq` of the message that this message replies to.
    /// - Returns: The message in the state `pending`.
    /// - Throws: The same errors as ``send(_:to:)``.
    @discardableResult
    public func send(_ text: String, to threadID: ChatThread.ID, replyTo: Int? = nil) async throws -> ChatMessage {
        try await engine.send(ChatDraft(text, replyTo: replyTo), to: threadID.rawValue)
    }

    /// Replaces the text of one of the user's messages.
    ///
    /// The edit is stored and shown immediately; ``ChatMessage/pendingChange`` is set until the server confirms it. If
    /// the message was never transmitted, the edit changes the pending message.
    /// - Parameters:
    ///   - id: The ``ChatMessage/id`` of the message.
    ///   - threadID: The ID of the thread that contains the message.
    ///   - text: The new text, at most ``ChatClient/textLimit`` Unicode scalars.
    /// - Throws: ``ChatError/invalid(_:_:)``, ``ChatError/unknown(_:)``, or ``ChatError/storage(_:)``.
    public func edit(_ id: ChatMessage.ID, in threadID: ChatThread.ID, text: String) async throws {
        try await engine.change(id.rawValue, in: threadID.rawValue) { .edit($0, text: text) }
    }

    /// Deletes a message, if the user's role allows it.
    ///
    /// The deletion is stored until the server confirms it. A message that was never transmitted is removed from the
    /// outbox.
    /// - Parameters:
    ///   - id: The ``ChatMessage/id`` of the message.
    ///   - threadID: The ID of the thread that contains the message.
    /// - Throws: ``ChatError/unknown(_:)`` or ``ChatError/storage(_:)``.
    public func delete(_ id: ChatMessage.ID, in threadID: ChatThread.ID) async throws {
        try await engine.change(id.rawValue, in: threadID.rawValue) { .deletion($0) }
    }

    /// Adds or removes the user's reaction to a message.
    ///
    /// The reaction is stored and shown immediately.
    /// - Parameters:
    ///   - emoji: The emoji, 1 to 64 bytes without spaces and control characters.
    ///   - isOn: `true` to add the reaction, `false` to remove it.
    ///   - id: The ``ChatMessage/id`` of the message.
    ///   - threadID: The ID of the thread that contains the message.
    /// - Throws: ``ChatError/invalid(_:_:)``, ``ChatError/unknown(_:)``, or ``ChatError/storage(_:)``.
    public func react(_ emoji: String, isOn: Bool = true, to id: ChatMessage.ID, in threadID: ChatThread.ID)
        async throws
    {
        guard (1...64).contains(emoji.utf8.count) else { throw ChatError.invalid(.emoji, "an emoji has 1 to 64 bytes") }
        try await engine.change(id.rawValue, in: threadID.rawValue) { .reaction($0, emoji: emoji, isOn: isOn) }
    }

    /// Retries a failed message, under the same ID, or the failed changes of a message.
    /// - Parameters:
    ///   - id: The ``ChatMessage/id`` of the message.
    ///   - threadID: The ID of the thread that contains the message.
    /// - Throws: ``ChatError/storage(_:)``.
    public func retry(_ id: ChatMessage.ID, in threadID: ChatThread.ID) async throws {
        try await engine.retry(id.rawValue, in: threadID.rawValue)
    }

    /// Discards a message that the server has not accepted, together with its uploads, or the failed changes of a
    /// message.
    ///
    /// If the connection was lost after the message was transmitted, the server may have accepted it. In that case the
    /// message appears again as an ordinary message.
    /// - Parameters:
    ///   - id: The ``ChatMessage/id`` of the message.
    ///   - threadID: The ID of the thread that contains the message.
    /// - Throws: ``ChatError/invalid(_:_:)`` if the message is being transmitted, or ``ChatError/storage(_:)``.
    public func discard(_ id: ChatMessage.ID, in threadID: ChatThread.ID) async throws {
        try await engine.discard(id.rawValue, in: threadID.rawValue)
    }

    /// Moves the user's read cursor on all devices, forwards or backwards.
    ///
    /// The position is stored until the server has received it.
    /// - Parameters:
    ///   - threadID: The ID of the thread.
    ///   - seq: The `seq` of the last message that was read; `nil` marks the whole thread as read.
    /// - Throws: ``ChatError/unknown(_:)`` or ``ChatError/storage(_:)``.
    public func markRead(_ threadID: ChatThread.ID, upTo seq: Int? = nil) async throws {
        try await engine.markRead(threadID.rawValue, upTo: seq)
    }

    /// Shows other members that the user is typing, or has stopped typing.
    ///
    /// Call this method on each keystroke. The client sends at most one notification every 3 seconds, and none without
    /// a connection.
    /// - Parameters:
    ///   - isOn: `true` while the user is typing.
    ///   - threadID: The ID of the thread.
    public func setTyping(_ isOn: Bool, in threadID: ChatThread.ID) async {
        await engine.note(.typing(thread: threadID.rawValue, isOn: isOn))
    }

    /// Searches the user's threads for messages that contain all given words.
    ///
    /// The server performs the search, so this method requires a connection.
    /// - Parameters:
    ///   - words: Whole words, compared without regard to case.
    ///   - threadID: The ID of the thread to search; `nil` searches all threads.
    ///   - limit: The maximum number of results, 1 to 200.
    /// - Returns: The matching messages, newest first.
    /// - Throws: ``ChatError``.
    public func search(_ words: String, in threadID: ChatThread.ID? = nil, limit: Int = 30) async throws
        -> SearchResults
    {
        var query = [("q", words), ("limit", "\(limit)")]
        if let threadID { query.append(("thread", threadID.rawValue)) }
        let tree = try await engine.call("GET", ["v1", "search"], query: query)
        var messages: [ChatMessage] = []
        for element in tree["results"]?.elements ?? [] {
            if let message = await engine.shown(element) { messages.append(message) }
        }
        return SearchResults(messages: messages, hasMore: tree["has_more"]?.flag ?? false)
    }
}
