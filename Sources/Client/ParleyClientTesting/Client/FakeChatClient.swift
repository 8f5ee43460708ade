public import Foundation
public import ParleyClient

/// A chat that consists of what a test or a preview puts into it, in place of a ``ParleyClient/ChatClient``.
///
/// ```swift
/// let chat = FakeChatClient()
/// chat.shownThreads.value = [ChatThread(id: "t1", title: "Garden", unread: 2)]
/// chat.shownMessages.value["t1"] = [
///     ChatMessage(id: "m1", threadID: "t1", seq: 1, senderID: "u2", senderName: "bob", text: "Hi")
/// ]
/// let model = GardenModel(chat: chat)
/// ```
///
/// Sends and changes take effect immediately and are recorded in ``calls``. If ``failure`` is set, all throwing calls fail.
/// Rights, limits and other rules of a server are not enforced; use ``FakeChatServer`` with a real client to test them.
///
/// Locks guard the state.
public final class FakeChatClient: ChatService {
    /// A call that changes something, with its arguments.
    public enum Call: Hashable, Sendable {
        case start
        case send(ChatDraft, ChatThread.ID)
        case edit(ChatMessage.ID, ChatThread.ID, text: String)
        case delete(ChatMessage.ID, ChatThread.ID)
        case react(String, isOn: Bool, ChatMessage.ID, ChatThread.ID)
        case retry(ChatMessage.ID, ChatThread.ID)
        case discard(ChatMessage.ID, ChatThread.ID)
        case markRead(ChatThread.ID, upTo: Int?)
        case typing(Bool, ChatThread.ID)
        case joinRoom(String)
    }

    /// The state of the connection.
    public let connection: LiveSource<ConnectionState>
    /// The threads, in the order in which they are shown.
    public let shownThreads: LiveSource<[ChatThread]>
    /// The messages of each thread, oldest first.
    public let shownMessages = LiveSource<[ChatThread.ID: [ChatMessage]]>([:])
    /// The files that ``data(of:limit:)`` returns, by URL.
    public let files = LiveSource<[String: Data]>([:])
    /// The error of all throwing calls; `nil` lets them succeed.
    public let failure = LiveSource<ChatError?>(nil)
    /// The state of sent messages, `stored` by default.
    public let sentState = LiveSource(MessageState.stored)

    private let account: ChatUser?
    private let recorded = Locked<(calls: [Call], sends: Int)>(([], 0))

    /// Creates a chat.
    /// - Parameters:
    ///   - user: The user.
    ///   - state: The state of the connection.
    ///   - threads: The threads.
    public init(
        user: ChatUser? = ChatUser(id: "u1", username: "ada"), state: ConnectionState = .connected,
        threads: [ChatThread] = []
    ) {
        account = user
        connection = LiveSource(state)
        shownThreads = LiveSource(threads)
    }

    /// The calls that change something, oldest first.
    public var calls: [Call] { recorded.withLock { $0.calls } }

    private func record(_ call: Call) throws {
        recorded.withLock { $0.calls.append(call) }
        if let failure = failure.value { throw failure }
    }

    private func change(_ id: ChatMessage.ID, in thread: ChatThread.ID, _ body: (inout ChatMessage) -> Void) {
        shownMessages.change { messages in
            guard let index = messages[thread]?.firstIndex(where: { $0.id == id }) else { return }
            messages[thread]?[index].apply(body)
        }
    }

    // MARK: ChatService

    public var states: LiveSequence<ConnectionState> { connection.sequence }

    public var user: ChatUser? { get async { account } }

    public func start() async { try? record(.start) }

    public func threads() -> ThreadCollection { ThreadCollection(snapshots: shownThreads.sequence) }

    public func thread(_ id: ChatThread.ID) async -> ChatThread? { shownThreads.value.first { $0.id == id } }

    public func messages(in threadID: ChatThread.ID) async -> MessageCollection {
        MessageCollection(
            threadID: threadID, source: FakeWindow(thread: threadID, messages: shownMessages),
            signal: shownMessages.changes)
    }

    @discardableResult
    public func send(_ draft: ChatDraft, to threadID: ChatThread.ID) async throws -> ChatMessage {
        try record(.send(draft, threadID))
        let number = recorded.withLock { recorded in
            recorded.sends += 1
            return recorded.sends
        }
        let state = sentState.value
        return shownMessages.change { messages in
            let seq = (messages[threadID]?.compactMap(\.seq).max() ?? 0) + 1
            let message = ChatMessage(
                id: ChatMessage.ID("sent-\(number)"), threadID: threadID, seq: state == .stored ? seq : nil,
                clientID: "sent-\(number)", senderID: account?.id ?? "", senderName: account?.username ?? "",
                text: draft.text, parts: draft.parts, replyTo: draft.replyTo,
                date: Date(timeIntervalSince1970: 1_800_000_000 + Double(number)), state: state)
            messages[threadID, default: []].append(message)
            return message
        }
    }

    public func edit(_ id: ChatMessage.ID, in threadID: ChatThread.ID, text: String) async throws {
        try record(.edit(id, threadID, text: text))
        change(id, in: threadID) { message in
            message.text = text
            message.editedAt = message.date
        }
    }

    public func delete(_ id: ChatMessage.ID, in threadID: ChatThread.ID) async throws {
        try record(.delete(id, threadID))
        change(id, in: threadID) { message in
            message.isDeleted = true
            message.text = ""
            message.parts = []
            message.reactions = []
        }
    }

    public func react(_ emoji: String, isOn: Bool, to id: ChatMessage.ID, in threadID: ChatThread.ID) async throws {
        try record(.react(emoji, isOn: isOn, id, threadID))
        let user = account?.id ?? ""
        change(id, in: threadID) { message in
            var reactions = message.reactions.map { reaction in
                guard reaction.emoji == emoji else { return reaction }
                let others = reaction.users.filter { $0 != user }
                return ChatReaction(
                    emoji: emoji, count: others.count + (isOn ? 1 : 0), users: isOn ? others + [user] : others)
            }
            if isOn, !reactions.contains(where: { $0.emoji == emoji }) {
                reactions.append(ChatReaction(emoji: emoji, count: 1, users: [user]))
            }
            message.reactions = reactions.filter { $0.count > 0 }
        }
    }

    public func retry(_ id: ChatMessage.ID, in threadID: ChatThread.ID) async throws {
        try record(.retry(id, threadID))
        let state = sentState.value
        change(id, in: threadID) { $0.state = state }
    }

    public func discard(_ id: ChatMessage.ID, in threadID: ChatThread.ID) async throws {
        try record(.discard(id, threadID))
        shownMessages.change { $0[threadID]?.removeAll { $0.id == id } }
    }

    public func markRead(_ threadID: ChatThread.ID, upTo seq: Int?) async throws {
        try record(.markRead(threadID, upTo: seq))
        shownThreads.change { threads in
            guard let index = threads.firstIndex(where: { $0.id == threadID }) else { return }
            threads[index].unread = 0
            threads[index].readSeq = seq ?? threads[index].headSeq
        }
    }

    public func setTyping(_ isOn: Bool, in threadID: ChatThread.ID) async { try? record(.typing(isOn, threadID)) }

    @discardableResult
    public func joinRoom(title: String) async throws -> ChatThread.ID {
        try record(.joinRoom(title))
        return shownThreads.change { threads in
            if let known = threads.first(where: { $0.title == title }) { return known.id }
            let thread = ChatThread(id: ChatThread.ID("room-\(threads.count + 1)"), title: title)
            threads.insert(thread, at: 0)
            return thread.id
        }
    }

    public func data(of file: ChatFile, limit: Int) async throws -> Data {
        if let failure = failure.value { throw failure }
        guard let data = files.value[file.url] else {
            throw ChatError.refused(code: .notFound, message: "no file at \(file.url)")
        }
        return data
    }
}

extension ChatMessage {
    fileprivate mutating func apply(_ body: (inout ChatMessage) -> Void) { body(&self) }
}

/// A window that shows all messages of a thread.
private struct FakeWindow: MessageWindow {
    let thread: ChatThread.ID
    let messages: LiveSource<[ChatThread.ID: [ChatMessage]]>

    func content() async -> WindowContent? { WindowContent(messages: messages.value[thread] ?? []) }
    func load(_ direction: WindowDirection) async throws -> Bool { false }
    func jump(toSeq seq: Int) async throws {}
    func jump(to date: Date) async throws {}
    func jumpToNewest() async {}
    func close() async {}
}
