public import Observation
public import ParleyClient

/// The messages of a thread and what the user writes, for views.
///
/// Actions do not throw. An error that an app does something about is in ``error`` until the next action or
/// ``dismissError()``; `ChatRemedy(for:)` says what to do, and `localizedDescription` is its text.
@available(macOS 14, iOS 17, *)
@MainActor @Observable public final class ChatConversation {
    /// The chat that is shown.
    public let chat: any ChatService
    /// The ID of the thread.
    public let threadID: ChatThread.ID
    /// The messages of the window, oldest first.
    public private(set) var messages: [ChatMessage] = []
    /// The other events in the visible part of the thread.
    public private(set) var notices: [ChatNotice] = []
    /// Whether older messages exist on the device or the server.
    public private(set) var hasOlder = false
    /// Whether newer messages exist. While it is `true`, new messages are not shown.
    public private(set) var hasNewer = false
    /// Whether a page is being loaded.
    public private(set) var isLoading = false
    /// The error of the last action.
    public private(set) var error: (any Error)?
    /// The text of the message that the user writes.
    public var text = ""
    /// The message that it replies to.
    public var replyTo: ChatMessage?

    private var collection: MessageCollection?

    /// Creates an empty conversation.
    /// - Parameters:
    ///   - threadID: The ID of a thread that the user belongs to.
    ///   - chat: The chat to show.
    public init(_ threadID: ChatThread.ID, in chat: any ChatService) {
        self.threadID = threadID
        self.chat = chat
    }

    /// Follows the messages until the task is cancelled or the client is shut down. A view calls it in `task`.
    /// - Parameter marksRead: Whether what is shown is read.
    public func follow(marksRead: Bool = true) async {
        let collection = await chat.messages(in: threadID)
        self.collection = collection
        for await update in collection {
            messages = update.items
            notices = update.notices
            hasOlder = update.hasOlder
            hasNewer = update.hasNewer
            if marksRead, !update.hasNewer, update.items.last?.seq != nil { await markRead() }
        }
    }

    /// Marks the whole thread as read. A failure is not shown, since the next mark repeats it.
    public func markRead() async { try? await chat.markRead(threadID, upTo: nil) }

    // MARK: Writing

    /// Sends ``text`` and files. The text is empty afterwards; after an error it is kept.
    /// - Parameter files: Files of this device, which are copied before this method returns.
    public func send(files: [LocalFile] = []) async {
        guard !text.isEmpty || !files.isEmpty else { return }
        let draft = ChatDraft(text, files: files, replyTo: replyTo?.seq)
        guard await perform({ try await self.chat.send(draft, to: self.threadID) }) else { return }
        // The user may have typed more in the meantime.
        if text == draft.text { text = "" }
        replyTo = nil
    }

    /// Shows other members that the user is typing. Call it on each keystroke.
    public func typed() async { await chat.setTyping(!text.isEmpty, in: threadID) }

    /// Replaces the text of a message.
    public func edit(_ message: ChatMessage, text: String) async {
        await perform { try await self.chat.edit(message.id, in: self.threadID, text: text) }
    }

    /// Deletes a message.
    public func delete(_ message: ChatMessage) async {
        await perform { try await self.chat.delete(message.id, in: self.threadID) }
    }

    /// Adds the user's reaction to a message, or removes it if it is there.
    public func toggle(_ emoji: String, on message: ChatMessage) async {
        await perform {
            let user = await self.chat.user?.id
            let isOn = message.reactions.contains { reaction in
                reaction.emoji == emoji && reaction.users.contains { $0 == user }
            }
            try await self.chat.react(emoji, isOn: !isOn, to: message.id, in: self.threadID)
        }
    }

    /// Retries a failed message.
    public func retry(_ message: ChatMessage) async {
        await perform { try await self.chat.retry(message.id, in: self.threadID) }
    }

    /// Discards a message that the server has not accepted.
    public func discard(_ message: ChatMessage) async {
        await perform { try await self.chat.discard(message.id, in: self.threadID) }
    }

    // MARK: Moving

    /// Adds a page of older messages, unless one is being loaded.
    public func loadOlder() async { await load { try await $0.loadOlder() } }

    /// Adds a page of newer messages, unless one is being loaded.
    public func loadNewer() async { await load { try await $0.loadNewer() } }

    /// Moves the window to a message.
    /// - Parameter seq: The `seq` of the message, for example ``ParleyClient/ChatMessage/replyTo``.
    public func jump(toSeq seq: Int) async {
        await load { collection in
            try await collection.jump(toSeq: seq)
            return true
        }
    }

    /// Moves the window to the end of the thread, and follows it.
    public func jumpToNewest() async { await collection?.jumpToNewest() }

    private func load(_ call: @escaping @Sendable (MessageCollection) async throws -> Bool) async {
        guard let collection, !isLoading else { return }
        isLoading = true
        await perform { _ = try await call(collection) }
        isLoading = false
    }

    // MARK: Errors

    /// Forgets the error of the last action.
    public func dismissError() { error = nil }

    /// - Returns: Whether the action succeeded; some errors are not shown.
    @discardableResult
    private func perform<Result: Sendable>(_ action: @MainActor () async throws -> Result) async -> Bool {
        error = nil
        do {
            _ = try await action()
            return true
        } catch {
            if ChatRemedy(for: error) != .ignore { self.error = error }
            return false
        }
    }
}
