public import Foundation

/// The part of a chat that views and view models need.
///
/// ``ChatClient`` is one, and `FakeChatClient` of the product ParleyClientTesting, for previews and tests. A view model
/// that takes `any ChatService` works with both:
///
/// ```swift
/// @MainActor final class GardenModel {
///     private let chat: any ChatService
///     init(chat: any ChatService) { self.chat = chat }
///     func greet() async throws { try await chat.send("Hello", to: "t1") }
/// }
/// ```
///
/// The protocol is small, so that an app can implement it itself; code that manages rooms, members, sessions or the
/// life of the client takes a ``ChatClient``. Later versions add requirements only with an implementation.
public protocol ChatService: Sendable {
    /// The states of the connection: the current one, followed by later ones.
    var states: LiveSequence<ConnectionState> { get }
    /// The user; `nil` until the client has connected once on this device.
    var user: ChatUser? { get async }
    /// Connects, and stays connected.
    func start() async
    /// Returns the user's threads, most recent activity first.
    func threads() -> ThreadCollection
    /// Returns a thread, or `nil` if the user is not known to be a member.
    func thread(_ id: ChatThread.ID) async -> ChatThread?
    /// Returns a window of a thread's messages.
    func messages(in threadID: ChatThread.ID) async -> MessageCollection
    /// Sends a message.
    @discardableResult
    func send(_ draft: ChatDraft, to threadID: ChatThread.ID) async throws -> ChatMessage
    /// Replaces the text of one of the user's messages.
    func edit(_ id: ChatMessage.ID, in threadID: ChatThread.ID, text: String) async throws
    /// Deletes a message.
    func delete(_ id: ChatMessage.ID, in threadID: ChatThread.ID) async throws
    /// Adds or removes the user's reaction to a message.
    func react(_ emoji: String, isOn: Bool, to id: ChatMessage.ID, in threadID: ChatThread.ID) async throws
    /// Retries a failed message, or the failed changes of a message.
    func retry(_ id: ChatMessage.ID, in threadID: ChatThread.ID) async throws
    /// Discards a message that the server has not accepted, or the failed changes of a message.
    func discard(_ id: ChatMessage.ID, in threadID: ChatThread.ID) async throws
    /// Moves the user's read cursor; `nil` marks the whole thread as read.
    func markRead(_ threadID: ChatThread.ID, upTo seq: Int?) async throws
    /// Shows other members that the user is typing, or has stopped typing.
    func setTyping(_ isOn: Bool, in threadID: ChatThread.ID) async
    /// Joins the room with a title, or creates the room.
    @discardableResult
    func joinRoom(title: String) async throws -> ChatThread.ID
    /// Downloads an attachment into memory.
    func data(of file: ChatFile, limit: Int) async throws -> Data
}

extension ChatService {
    /// Sends a text message.
    /// - Parameters:
    ///   - text: The text.
    ///   - threadID: The ID of a thread that the user belongs to.
    ///   - replyTo: The `seq` of the message that this message replies to.
    /// - Returns: The message.
    /// - Throws: ``ChatError``.
    @discardableResult
    public func send(_ text: String, to threadID: ChatThread.ID, replyTo: Int? = nil) async throws -> ChatMessage {
        try await send(ChatDraft(text, replyTo: replyTo), to: threadID)
    }
}

extension ChatClient: ChatService {}
