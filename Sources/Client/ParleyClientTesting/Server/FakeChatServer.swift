public import Foundation
public import ParleyClient
import ParleyJSON

/// A chat server in memory, for tests and previews of apps.
///
/// It is the ``ParleyClient/ChatTransport`` of real clients: a test runs the app's own code, with the client's outbox,
/// cache and state machine, and without a network. Several clients can use one server. All that happens on a server
/// happens at the moment of the call, and time passes only as its ``clock`` says; nothing sleeps.
///
/// ```swift
/// let server = FakeChatServer()
/// let (ada, bob) = (server.addUser("ada"), server.addUser("bob"))
/// let garden = server.addRoom("Garden", members: [ada, bob])
/// let client = try ChatClient(configuration: server.configuration(for: ada))
/// await client.start()
/// server.post("Hello", from: bob, in: garden)
/// for await update in await client.messages(in: garden) where update.items.last?.text == "Hello" { break }
/// ```
///
/// It speaks the part of the v1 dialect that ``ParleyClient/ChatClient`` uses: threads, members, messages, edits, deletions,
/// reactions, read marks, typing, presence, mutes and bans, groups, links, invitations, requests, details of rooms, blocks,
/// devices and settings for notifications, search, files, accounts and sessions. It stores a message as soon as it accepts
/// it, has no budgets, and sends no push.
///
/// Faults are ordered by the test: ``goOffline()``, ``closeConnections(code:)``, ``refuseSends(_:code:retryAfter:)``,
/// ``refuseRequests(_:code:retryAfter:)``, ``refuseConnections(status:retryAfter:)``, ``endSessions(of:)`` and
/// ``setLatency(_:)``. A lock guards the state.
public final class FakeChatServer: ChatTransport {
    /// The clock of the server and of the clients of ``configuration(for:storage:)``.
    public let clock: any ChatClock
    let state: Locked<FakeServerState>

    /// Creates a server without users.
    /// - Parameters:
    ///   - clock: The clock, which stands still by default. Previews use `SystemChatClock()`.
    ///   - textLimit: The maximum length of a message in Unicode scalars.
    public init(clock: any ChatClock = ManualChatClock(), textLimit: Int = 4096) {
        self.clock = clock
        state = Locked(FakeServerState(clock: clock, textLimit: textLimit))
    }

    /// Returns the settings of a client of a user. The seed is fixed, so a test always gets the same IDs and delays.
    /// - Parameters:
    ///   - user: A user of ``addUser(_:displayName:password:)``.
    ///   - storage: The location of the outbox and the cache.
    public func configuration(
        for user: ChatUser, storage: ChatConfiguration.Storage = .inMemory
    ) -> ChatConfiguration {
        let session = credentials(for: user)
        var configuration = ChatConfiguration(
            server: Self.address, storage: storage, transport: self, clock: clock
        ) { reason in reason == .expired ? nil : session }
        configuration.seed = 1
        return configuration
    }

    /// The address that clients of this server are configured with; nothing is ever requested from it.
    public static var address: URL {
        var parts = URLComponents()
        (parts.scheme, parts.host) = ("http", "chat.invalid")
        return parts.url ?? URL(filePath: "/")
    }

    // MARK: Content

    /// Adds a user.
    /// - Parameters:
    ///   - username: The unique name.
    ///   - displayName: The display name.
    ///   - password: The password for `ChatAccount(server: FakeChatServer.address, transport: server)`.
    /// - Returns: The user, with an ID such as `u1`.
    @discardableResult
    public func addUser(_ username: String, displayName: String? = nil, password: String? = nil) -> ChatUser {
        state.withLock { $0.addUser(username, displayName: displayName, password: password) }
    }

    /// Opens a session of a user.
    /// - Parameter user: The user.
    public func credentials(for user: ChatUser) -> ChatCredentials {
        .bearer(state.withLock { $0.addSession(of: user) })
    }

    /// Adds a room.
    /// - Parameters:
    ///   - title: The title.
    ///   - visibility: The visibility.
    ///   - members: The members; the first one owns the room.
    /// - Returns: The ID of the room, such as `t1`.
    @discardableResult
    public func addRoom(
        _ title: String, visibility: ChatVisibility = .public, members: [ChatUser] = []
    ) -> ChatThread.ID {
        ChatThread.ID(
            state.withLock { state in
                let thread = state.addRoom(title, visibility: visibility)
                for (index, member) in members.enumerated() {
                    state.join(member.id.rawValue, thread, role: index == 0 ? .owner : .member, by: nil)
                }
                return thread
            })
    }

    /// Opens the direct thread of two users.
    /// - Returns: The ID of the thread.
    @discardableResult
    public func addDirect(_ user: ChatUser, _ other: ChatUser) -> ChatThread.ID {
        ChatThread.ID(state.withLock { $0.direct(user.id.rawValue, other.id.rawValue) })
    }

    /// Changes the visibility of a room.
    public func setVisibility(_ visibility: ChatVisibility, of threadID: ChatThread.ID) {
        state.withLock { $0.setVisibility(visibility, by: nil, in: threadID.rawValue) }
    }

    /// Makes a user a member of a room, or changes the role of a member.
    public func setRole(_ role: ChatRole, of user: ChatUser, in threadID: ChatThread.ID) {
        state.withLock { state in
            guard let known = state.rooms[threadID.rawValue]?.members[user.id.rawValue] else {
                return state.join(user.id.rawValue, threadID.rawValue, role: role, by: nil)
            }
            guard known != role else { return }
            state.rooms[threadID.rawValue]?.members[user.id.rawValue] = role
            state.append(.role(user: user.id.rawValue, role), by: nil, in: threadID.rawValue)
        }
    }

    /// Removes a member from a room.
    public func remove(_ user: ChatUser, from threadID: ChatThread.ID) {
        state.withLock { $0.leave(user.id.rawValue, threadID.rawValue, by: user.id.rawValue) }
    }

    /// Mutes a user in a room: what the user sends is refused as `forbidden`. The mute replaces an earlier one.
    /// - Parameters:
    ///   - user: The user, who may be a member or not.
    ///   - threadID: The ID of the room.
    ///   - duration: The time until the mute ends by the server's ``clock``, rounded up to whole seconds; `nil` for a mute
    ///     that lasts until ``endMute(of:in:)``.
    ///   - reason: The reason, which the user can read.
    public func mute(
        _ user: ChatUser, in threadID: ChatThread.ID, for duration: Duration? = nil, reason: String? = nil
    ) {
        sanction(.mute, user, threadID, duration, reason)
    }

    /// Bans a user from a room: the user is removed, and can neither join nor be added. The ban replaces an earlier one.
    /// - Parameters:
    ///   - user: The user, who may be a member or not.
    ///   - threadID: The ID of the room.
    ///   - duration: The time until the ban ends by the server's ``clock``, rounded up to whole seconds; `nil` for a ban
    ///     that lasts until ``endBan(of:in:)``.
    ///   - reason: The reason.
    public func ban(
        _ user: ChatUser, in threadID: ChatThread.ID, for duration: Duration? = nil, reason: String? = nil
    ) {
        sanction(.ban, user, threadID, duration, reason)
    }

    private func sanction(
        _ kind: ChatSanction.Kind, _ user: ChatUser, _ thread: ChatThread.ID, _ duration: Duration?, _ reason: String?
    ) {
        let seconds = duration.map { max(1, min($0.wholeSeconds, FakeSanction.longestSeconds)) }
        state.withLock { state in
            state.sanction(kind, user.id.rawValue, in: thread.rawValue, seconds: seconds, reason: reason, by: nil)
        }
    }

    /// Ends a mute before its time.
    public func endMute(of user: ChatUser, in threadID: ChatThread.ID) {
        state.withLock { state in _ = state.endSanction(.mute, of: user.id.rawValue, in: threadID.rawValue) }
    }

    /// Ends a ban before its time.
    public func endBan(of user: ChatUser, in threadID: ChatThread.ID) {
        state.withLock { state in _ = state.endSanction(.ban, of: user.id.rawValue, in: threadID.rawValue) }
    }

    /// Sends a message of a user who needs no client.
    /// - Parameters:
    ///   - text: The text.
    ///   - user: The sender.
    ///   - threadID: The ID of the thread.
    ///   - parts: The parts.
    ///   - replyTo: The `seq` of the message that it replies to.
    /// - Returns: The `seq` of the message; 0 if there is no such thread.
    @discardableResult
    public func post(
        _ text: String, from user: ChatUser, in threadID: ChatThread.ID, parts: [ChatPart] = [], replyTo: Int? = nil
    ) -> Int {
        let draft = FakeDraft(text: text, parts: parts, replyTo: replyTo)
        return state.withLock { $0.post(draft, by: user.id.rawValue, in: threadID.rawValue) } ?? 0
    }

    /// Replaces the text of a message, as its sender does.
    public func edit(_ seq: Int, in threadID: ChatThread.ID, text: String) {
        change(seq, in: threadID) { state, sender in
            state.append(.edited(message: seq), by: sender, text: text, in: threadID.rawValue)
        }
    }

    /// Deletes a message, as its sender does.
    public func delete(_ seq: Int, in threadID: ChatThread.ID) {
        change(seq, in: threadID) { state, sender in
            state.append(.deleted(message: seq), by: sender, in: threadID.rawValue)
        }
    }

    /// Adds or removes a reaction of a user.
    public func react(
        _ emoji: String, isOn: Bool = true, from user: ChatUser, to seq: Int, in threadID: ChatThread.ID
    ) {
        change(seq, in: threadID) { state, _ in
            state.append(
                .reaction(message: seq, user: user.id.rawValue, emoji: emoji, isOn: isOn), by: nil,
                in: threadID.rawValue)
        }
    }

    private func change(
        _ seq: Int, in thread: ChatThread.ID, _ body: (inout FakeServerState, _ sender: String) -> Void
    ) {
        state.withLock { state in
            guard let message = state.rooms[thread.rawValue]?.messages[seq], !message.isDeleted else { return }
            body(&state, message.senderID)
        }
    }

    /// Shows that a user is typing, or has stopped.
    public func setTyping(_ isOn: Bool, by user: ChatUser, in threadID: ChatThread.ID) {
        state.withLock { state in
            if let room = state.rooms[threadID.rawValue] { state.setTyping(isOn, by: user.id.rawValue, in: room) }
        }
    }

    /// Moves the read cursor of a user; `nil` marks the whole thread as read.
    public func markRead(_ threadID: ChatThread.ID, by user: ChatUser, upTo seq: Int? = nil) {
        state.withLock { $0.markRead(threadID.rawValue, by: user.id.rawValue, upTo: seq) }
    }

    // MARK: Faults

    /// Closes all connections, and lets neither connections nor requests through until ``goOnline()``.
    public func goOffline() {
        state.withLock { state in
            state.isOffline = true
            state.end(code: nil)
        }
    }

    /// Ends ``goOffline()``. Clients connect at their next attempt, or with `networkChanged()`.
    public func goOnline() { state.withLock { $0.isOffline = false } }

    /// Closes all connections with a close code, for example 4001 to log a user out; see docs/clients.md.
    public func closeConnections(code: Int) { state.withLock { $0.end(code: code) } }

    /// Delays all answers and events from now on, by the server's ``clock``.
    /// - Parameter latency: The delay. With a ``ManualChatClock``, nothing arrives before the test advances it.
    public func setLatency(_ latency: Duration) { state.withLock { $0.latency = latency } }

    /// Refuses the next messages and changes of messages.
    /// - Parameters:
    ///   - count: The number of refusals.
    ///   - code: The code. Clients repeat a send by themselves after `rateLimited` and `unavailable`.
    ///   - retryAfter: The pause that clients are asked for, in whole seconds.
    public func refuseSends(_ count: Int = 1, code: ServerErrorCode, retryAfter: Duration? = nil) {
        let refusal = FakeServerState.Refusal(code: code, retryAfter: retryAfter)
        state.withLock { $0.refusedCommands += Array(repeating: refusal, count: count) }
    }

    /// Refuses the next HTTP requests.
    /// - Parameters:
    ///   - count: The number of refusals.
    ///   - code: The code, which determines the status.
    ///   - retryAfter: The value of `Retry-After`, in whole seconds.
    public func refuseRequests(_ count: Int = 1, code: ServerErrorCode, retryAfter: Duration? = nil) {
        let refusal = FakeServerState.Refusal(code: code, retryAfter: retryAfter)
        state.withLock { $0.refusedRequests += Array(repeating: refusal, count: count) }
    }

    /// Answers handshakes with a status, for example 503, until ``acceptConnections()``.
    public func refuseConnections(status: Int, retryAfter: Int? = nil) {
        state.withLock { $0.handshakeRefusal = HandshakeFailure(status: status, retryAfter: retryAfter) }
    }

    /// Ends ``refuseConnections(status:retryAfter:)``.
    public func acceptConnections() { state.withLock { $0.handshakeRefusal = nil } }

    /// Ends all sessions of a user, as a change of the password does: their connections close with 4001.
    public func endSessions(of user: ChatUser) {
        state.withLock { state in
            state.sessions = state.sessions.filter { $0.value != user.id.rawValue }
            state.end(code: 4001) { $0.user == user.id.rawValue }
        }
    }

    // MARK: Observation

    /// Returns the messages of a thread in their current state, oldest first, as other users see them.
    public func messages(in threadID: ChatThread.ID) -> [ChatMessage] {
        let stored = state.withLock { state in
            (state.rooms[threadID.rawValue]?.messages ?? [:]).values.sorted { $0.seq < $1.seq }
        }
        return stored.map { ChatMessage($0, account: nil) }
    }

    /// Returns a user with the current profile.
    public func user(_ id: ChatUser.ID) -> ChatUser { state.withLock { $0.user(id.rawValue) } }

    /// All HTTP requests that have reached the server, in order.
    public var requests: [TransportRequest] { state.withLock { $0.received } }

    /// The number of open connections.
    public var connectionCount: Int { state.withLock { $0.sockets.count } }

    // MARK: Transport

    /// Opens a connection of a client.
    public func connect(to url: String, headers: [(name: String, value: String)]) async throws -> any ChatSocket {
        try await pass()
        return try state.withLock { state in
            guard !state.isOffline else { throw Unreachable() }
            if let refusal = state.handshakeRefusal { throw refusal }
            guard let user = state.authenticated(headers) else { throw HandshakeFailure(status: 401, retryAfter: nil) }
            let socket = FakeSocket(
                user: user, clock: clock,
                receive: { [weak self] text, socket in try self?.receive(text, on: socket) },
                closed: { [weak self] socket in self?.state.withLock { $0.remove(socket) } })
            state.add(socket)
            return socket
        }
    }

    /// Answers a request of a client.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await pass()
        return try state.withLock { state in
            guard !state.isOffline else { throw Unreachable() }
            return state.answer(request)
        }
    }

    private func receive(_ text: String, on socket: FakeSocket) throws {
        try state.withLock { state in
            guard state.sockets.contains(where: { $0 === socket }) else { throw Unreachable() }
            state.receive(text, on: socket)
        }
    }

    /// Waits as long as the latency says.
    private func pass() async throws {
        let latency = state.withLock { $0.latency }
        if latency > .zero { try await clock.sleep(until: clock.uptime + latency) }
    }

    /// The server is offline, or the connection has ended.
    private struct Unreachable: Error {}
}
