import Foundation
import ParleyClient

// The interface of a layered chat core (listeners, paging, tasks that are tried again, a cache of what is unsent) over
// ParleyClient: an adapter for apps that were built on such a core. The layers below it are those of the client.

/// What a listener hears of a conversation.
struct ConversationChange: Sendable {
    let messages: [ChatMessage]
    let hasMore: Bool
}

/// Stops a listener when it is released or cancelled.
final class Listener: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) { self.task = task }
    func cancel() { task.cancel() }
    deinit { task.cancel() }
}

/// The core of the app: conversations, messages, state. Everything is delivered on the main actor.
@MainActor final class ChatCore {
    private let client: ChatClient
    private var collections: [ChatThread.ID: MessageCollection] = [:]

    init(client: ChatClient) { self.client = client }

    func listenToConversations(_ listener: @escaping @MainActor ([ChatThread]) -> Void) -> Listener {
        Listener(
            Task { [client] in
                for await update in client.threads() { listener(update.items) }
            })
    }

    func listenToMessages(
        in conversation: ChatThread.ID, _ listener: @escaping @MainActor (ConversationChange) -> Void
    ) -> Listener {
        Listener(
            Task {
                let messages = await client.messages(in: conversation)
                collections[conversation] = messages
                for await update in messages {
                    listener(ConversationChange(messages: update.items, hasMore: update.hasOlder))
                }
                collections[conversation] = nil
            })
    }

    /// The next page of older messages goes to the listeners.
    func loadMore(in conversation: ChatThread.ID) async throws {
        _ = try await collections[conversation]?.loadOlder()
    }

    /// Kept until it is stored, whatever happens to the connection or the app; there is nothing to try again here.
    func send(_ text: String, to conversation: ChatThread.ID) async throws -> ChatMessage {
        try await client.send(text, to: conversation)
    }

    /// Copied first, so the file at the path may go; the message shows how far its upload has come.
    func sendPhoto(at path: String, to conversation: ChatThread.ID) async throws -> ChatMessage {
        let photo = LocalFile(path: path, mediaType: "image/jpeg")
        return try await client.send(ChatDraft("", files: [photo]), to: conversation)
    }

    func photo(_ file: ChatFile) async throws -> Data { try await client.data(of: file) }

    func sendVideo(_ video: ChatFile, to conversation: ChatThread.ID) async throws -> ChatMessage {
        try await client.send(ChatDraft("", parts: [.video(video)]), to: conversation)
    }

    func sendLocation(_ location: ChatLocation, to conversation: ChatThread.ID) async throws -> ChatMessage {
        try await client.send(ChatDraft("", parts: [.location(location)]), to: conversation)
    }

    func delete(_ message: ChatMessage) async throws { try await client.delete(message.id, in: message.threadID) }

    func updateReadReceipt(of message: ChatMessage) async throws {
        try await client.markRead(message.threadID, upTo: message.seq)
    }

    /// Who has read how far, and when, by user id.
    func readReceipts(in conversation: ChatThread.ID) async -> [ChatUser.ID: ReadReceipt] {
        await client.thread(conversation)?.receipts ?? [:]
    }

    func listenToOnlineStatus(
        of users: [ChatUser.ID], _ listener: @escaping @MainActor ([ChatUser.ID: ChatPresence]) -> Void
    ) -> Listener {
        Listener(
            Task { [client] in
                await client.watchPresence(of: users)
                for await presence in client.presence { listener(presence) }
            })
    }

    func setTyping(_ isOn: Bool, in conversation: ChatThread.ID) async {
        await client.setTyping(isOn, in: conversation)
    }

    /// What was not sent yet.
    func unsent(in conversation: ChatThread.ID) async -> [ChatMessage] {
        await client.messages(in: conversation).current().items.filter { $0.state != .stored }
    }
}
