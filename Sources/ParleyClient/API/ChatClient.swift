@_exported public import ParleyClientCore

/// A user's chat on this device: it connects, keeps what it has received and what it is to send, and shows both.
///
/// ```swift
/// let client = try ChatClient(configuration: configuration)
/// await client.start()
/// let garden = try await client.joinRoom(title: "Garden")
/// try await client.send("Hello", to: garden)
/// for await update in await client.messages(in: garden) { show(update.items) }
/// ```
///
/// It opens with what the device has, without a connection. Sends, edits, deletions, reactions and read marks are kept
/// and take effect as soon as they can. Calls that say so need a connection, and throw ``ChatError/offline`` without one.
/// All methods may be called from any task; the client ends when it is released or by ``shutDown()``.
public final class ChatClient: Sendable {
    let engine: Engine

    /// Opens the database. Nothing is sent before ``start()``.
    /// - Throws: ``ChatError/storageInUse``, ``ChatError/storage(_:)``, ``ChatError/invalid(_:)`` for an address that is
    ///   not http or https.
    public init(configuration: ChatConfiguration) throws(ChatError) {
        engine = try Engine(configuration)
    }

    /// For tests that observe what is read from the storage.
    package init(configuration: ChatConfiguration, storage: any ChatStorage) throws(ChatError) {
        engine = try Engine(configuration, storage: storage)
    }

    deinit {
        Task { [engine] in await engine.shutDown() }
    }

    // MARK: Connection

    /// Connects, and stays connected until ``stop()``. Also after ``ConnectionState/loggedOut(_:)``, with credentials that
    /// the provider is asked for; and instead of waiting for the next attempt.
    public func start() async { await engine.note(.start) }

    /// Disconnects. What is sent meanwhile is kept.
    public func stop() async { await engine.stop() }

    /// Tells the client that the network has changed, for example when the device has a connection again: an attempt that
    /// is planned is made now, and an open connection is checked.
    public func networkChanged() async { await engine.note(.networkChanged) }

    /// Asks the provider for fresh credentials, and gives a bearer token to the open socket, which then outlives the old
    /// one. Without this call a socket is closed when its token expires, and opened again with a fresh one.
    /// - Throws: ``ChatError/unauthorized`` if the provider has none, ``ChatError/offline`` if it failed.
    public func refreshCredentials() async throws { try await engine.refreshCredentials() }

    /// Disconnects and closes the database, for ever. Live sequences end. Nothing is lost: everything is kept as soon as
    /// the call that does it returns.
    public func shutDown() async { await engine.shutDown() }

    /// The state of the connection, and each later one that the observer is ready for.
    public var states: LiveSequence<ConnectionState> {
        LiveSequence(signal: engine.states) { [engine] in await engine.connectionState }
    }

    /// The state of the connection now.
    public var state: ConnectionState { get async { await engine.connectionState } }

    /// The user, once the client was connected on this device; `nil` before.
    public var user: ChatUser? { get async { await engine.account } }

    /// How many sends and changes the server has not confirmed. The client may be shut down at any number; 0 means that
    /// everything is stored.
    public var unconfirmedCount: Int { get async { await engine.outboxCount } }

    /// How many sends and changes of a thread are neither confirmed nor refused: what failed is not counted, as it is by
    /// ``unconfirmedCount``.
    public func pendingCount(in threadID: String) async -> Int { await engine.pendingCount(in: threadID) }

    /// The sends and changes of a thread that the server has not confirmed or has refused, in the order in which they were
    /// made, whether their messages are in a collection or not.
    public func unconfirmed(in threadID: String) async -> [UnconfirmedSend] { await engine.unconfirmed(in: threadID) }

    /// How many Unicode scalars a message may have, as the server has said on the last connection; 4096 before.
    public var textLimit: Int { get async { await engine.textLimit } }

    // MARK: Collections

    /// The user's threads, newest activity first, with unread counts, newest messages and who is typing.
    public func threads() -> ThreadCollection {
        ThreadCollection(
            snapshots: LiveSequence(signal: engine.list) { [engine] in await engine.threadList() })
    }

    /// A thread; `nil` if the user is not a member, as far as this device knows.
    public func thread(_ id: String) async -> ChatThread? { await engine.thread(id) }

    /// A window of a thread's messages: the newest page, then all that comes, and more on request.
    /// - Parameter threadID: Of a thread of which the user is a member. For any other the collection is empty.
    public func messages(in threadID: String) async -> MessageCollection {
        let signal = Signal()
        let window = await engine.openWindow(threadID, signal: signal)
        return MessageCollection(threadID: threadID, engine: engine, window: window, signal: signal)
    }
}
