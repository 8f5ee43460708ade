public import Foundation
public import Logging

/// The settings of a ``ChatClient``.
public struct ChatConfiguration: Sendable {
    /// Where the outbox and the cache are kept.
    public enum Storage: Hashable, Sendable {
        /// In an SQLite file at this path, created if it is missing. One client may have it open. Survives the death of
        /// the process.
        case file(String)
        /// In memory, until the client is released.
        case inMemory
    }

    /// The server: `http://` or `https://`, a host, and optionally a port.
    public var server: URL
    /// Gives credentials when they are needed.
    public var credentials: CredentialProvider
    /// Where the outbox and the cache are kept.
    public var storage: Storage
    /// Opens sockets and sends requests; `nil` for that of the platform.
    public var transport: (any ChatTransport)?
    /// The clock for delays and dates; tests replace it.
    public var clock: any ChatClock
    /// Delays between attempts to connect.
    public var reconnect = ReconnectPolicy()
    /// How many messages a page has: at first, and with each further one. 1 to 200.
    public var pageSize = 50
    /// The highest number of messages that one live collection holds; loading more in one direction drops as many at
    /// the other end. At least `pageSize`.
    public var windowLimit = 500
    /// How many messages of a thread that were missed are fetched to keep its cache; if more are missing, the cache of
    /// that thread is emptied instead, and its newest page loaded.
    public var catchUpLimit = 5_000
    /// About how many messages and notices of all threads the device keeps. Over it the oldest of the threads in which
    /// least has happened lately are removed; they are loaded again when they are wanted. Threads keep their newest
    /// message, and what a collection shows.
    public var cacheLimit = 200_000
    /// The highest number of pending sends and changes. One more throws ``ChatError/invalid(_:)``.
    public var outboxLimit = 10_000
    /// The highest number of bytes of files that wait to be sent; they are copied to a folder beside the database, its
    /// path with `.files`. In memory at most 64 MiB. A file over it throws ``ChatError/invalid(_:)``.
    public var pendingFilesLimit = 1 << 30
    /// How often the server may answer `unavailable` to one send before it becomes `failed`, with `retryable`.
    public var attemptsWhileUnavailable = 10
    /// Gets what is worth knowing when something does not work. Never texts of messages or credentials.
    public var logger = Logger(label: "parley.client")
    /// Seed of jitter and ids, for tests; `nil` for the system's generator.
    public var seed: UInt64?

    static let pendingFilesInMemory = 64 << 20

    /// - Parameters:
    ///   - server: `http://` or `https://`, a host, and optionally a port.
    ///   - storage: Where the outbox and the cache are kept.
    ///   - transport: `nil` for that of the platform.
    ///   - clock: For delays and dates.
    ///   - credentials: Gives credentials when they are needed.
    public init(
        server: URL, storage: Storage, transport: (any ChatTransport)? = nil,
        clock: any ChatClock = SystemChatClock(), credentials: @escaping CredentialProvider
    ) {
        self.server = server
        self.credentials = credentials
        self.storage = storage
        self.transport = transport
        self.clock = clock
    }

    /// A configuration for fixed credentials, for example a session token that ``ChatAccount`` returned.
    /// - Parameters:
    ///   - server: `http://` or `https://`, a host, and optionally a port.
    ///   - credentials: Used for everything; refused ones log the client out.
    ///   - storage: Where the outbox and the cache are kept.
    public init(server: URL, credentials: ChatCredentials, storage: Storage) {
        self.init(server: server, storage: storage) { reason in reason == .expired ? nil : credentials }
    }
}
