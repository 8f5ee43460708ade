@_exported public import ParleyClientCore

/// A user's chat on this device.
///
/// A client connects to the server, stores what it receives and what the user sends, and shows both as live
/// collections.
///
/// ```swift
/// let client = try ChatClient(configuration: configuration)
/// await client.start()
/// let garden = try await client.joinRoom(title: "Garden")
/// try await client.send("Hello", to: garden)
/// for await update in await client.messages(in: garden) { show(update.items) }
/// ```
///
/// A client opens with the content of the device and needs no connection. Sends, edits, deletions, reactions and read
/// marks are stored, and take effect as soon as the server can be reached. Methods that require a connection are
/// documented as such and throw ``ChatError/offline`` without one. All methods can be called from any task. A client
/// ends when it is released, or with ``shutDown()``.
public final class ChatClient: Sendable {
    let engine: Engine

    /// Creates a client and opens its database. The client connects when ``start()`` is called.
    /// - Parameter configuration: The settings of the client.
    /// - Throws: ``ChatError/storageInUse``, ``ChatError/storage(_:)``, or ``ChatError/invalid(_:_:)`` if the server's
    ///   address is not an HTTP address.
    public init(configuration: ChatConfiguration) throws(ChatError) {
        engine = try Engine(configuration)
    }

    /// Creates a client on a given storage, for tests that observe reads.
    package init(configuration: ChatConfiguration, storage: any ChatStorage) throws(ChatError) {
        engine = try Engine(configuration, storage: storage)
    }

    deinit {
        Task { [engine] in await engine.shutDown() }
    }

    // MARK: Connection

    /// Connects, and stays connected until ``stop()`` is called.
    ///
    /// If the client is waiting for its next attempt, it connects immediately. After ``ConnectionState/loggedOut(_:)``,
    /// the client asks the provider for credentials and connects again.
    public func start() async { await engine.note(.start) }

    /// Disconnects. Messages that are sent while the client is stopped stay in the outbox.
    public func stop() async { await engine.stop() }

    /// Tells the client that the network has changed, for example because the device is online again.
    ///
    /// The client makes a planned attempt immediately, or checks an open connection.
    public func networkChanged() async { await engine.note(.networkChanged) }

    /// Asks the provider for new credentials.
    ///
    /// A new bearer token is passed to the open socket, which then stays open after the old token expires. Without this
    /// call, the server closes the socket when its token expires, and the client connects again with a new token.
    /// - Throws: ``ChatError/unauthorized`` if the provider has no credentials, or ``ChatError/offline`` if the
    ///   provider failed.
    public func refreshCredentials() async throws { try await engine.refreshCredentials() }

    /// Disconnects, closes the database and ends all live sequences. The client cannot be started again.
    ///
    /// No data is lost, because each method stores its changes before it returns.
    public func shutDown() async { await engine.shutDown() }

    /// The states of the connection: the current one, followed by later ones.
    public var states: LiveSequence<ConnectionState> {
        LiveSequence(signal: engine.states) { [engine] in await engine.connectionState }
    }

    /// The current state of the connection.
    public var state: ConnectionState { get async { await engine.connectionState } }

    /// The user; `nil` until the client has connected once on this device.
    public var user: ChatUser? { get async { await engine.account } }

    /// The number of sends and changes that the server has not confirmed.
    ///
    /// The value 0 means that the server has stored everything. The client can be shut down at any value.
    public var unconfirmedCount: Int { get async { await engine.outboxCount } }

    /// The number of sends and changes that are neither confirmed nor refused: the current one, followed by later ones.
    ///
    /// The value 0 means that nothing is on its way. Wait for it before the app is suspended; see <doc:AppLifeCycle>.
    public var pendingCounts: LiveSequence<Int> {
        LiveSequence(signal: engine.pendingCounts) { [engine] in await engine.pendingCount }
    }

    /// Returns the number of sends and changes of a thread that are neither confirmed nor refused.
    ///
    /// Unlike ``unconfirmedCount``, this number does not include failed sends and changes.
    /// - Parameter threadID: The ID of the thread.
    public func pendingCount(in threadID: ChatThread.ID) async -> Int {
        await engine.pendingCount(in: threadID.rawValue)
    }

    /// Returns the sends and changes of a thread that the server has not confirmed or has refused, oldest first.
    ///
    /// The result includes changes of messages that no collection shows.
    /// - Parameter threadID: The ID of the thread.
    public func unconfirmed(in threadID: ChatThread.ID) async -> [UnconfirmedSend] {
        await engine.unconfirmed(in: threadID.rawValue)
    }

    /// The maximum length of a message in Unicode scalars, as announced by the server; 4096 before the first
    /// connection.
    public var textLimit: Int { get async { await engine.textLimit } }

    // MARK: Collections

    /// Returns the user's threads, most recent activity first, with unread counts, last messages and typing users.
    public func threads() -> ThreadCollection {
        ThreadCollection(
            snapshots: LiveSequence(signal: engine.list) { [engine] in await engine.threadList() })
    }

    /// Returns a thread, or `nil` if the user is not known to be a member.
    /// - Parameter id: The ID of the thread.
    public func thread(_ id: ChatThread.ID) async -> ChatThread? { await engine.thread(id.rawValue) }

    /// Returns a window of a thread's messages.
    ///
    /// The window begins with the newest page, follows the thread, and grows on request.
    /// - Parameter threadID: The ID of a thread that the user belongs to. The collection is empty for any other thread,
    ///   until the client learns of it.
    public func messages(in threadID: ChatThread.ID) async -> MessageCollection {
        let signal = Signal()
        let window = await engine.openWindow(threadID.rawValue, signal: signal)
        return MessageCollection(
            threadID: threadID, source: CacheWindow(engine: engine, number: window), signal: signal)
    }
}
