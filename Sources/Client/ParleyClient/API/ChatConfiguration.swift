public import Foundation
public import Logging

/// The settings of a ``ChatClient``.
///
/// ```swift
/// let configuration = ChatConfiguration(
///     server: URL(string: "https://chat.example.org")!, credentials: credentials, storage: .file(path))
/// ```
public struct ChatConfiguration: Sendable {
    /// The location of the outbox and the cache.
    public enum Storage: Hashable, Sendable {
        /// An SQLite file at a path. The file is created if it does not exist, and only one client can open it at a
        /// time. Its content survives the end of the process.
        case file(String)
        /// The process's memory. The content is lost when the client is released.
        case inMemory
    }

    /// The server's address: `http://` or `https://`, a host, and optionally a port.
    public var server: URL
    /// A closure that provides credentials on demand.
    public var credentials: CredentialProvider
    /// The location of the outbox and the cache.
    public var storage: Storage
    /// The transport for sockets and requests; `nil` selects the platform's own.
    public var transport: (any ChatTransport)?
    /// The clock for delays and dates. Tests replace it.
    public var clock: any ChatClock
    /// The delays between connection attempts.
    public var reconnect = ReconnectPolicy()
    /// The number of messages in a page, 1 to 200. A collection begins with one page and grows by pages.
    public var pageSize = 50
    /// The maximum number of messages in a live collection, at least ``pageSize``. Loading more messages at one end
    /// removes as many at the other.
    public var windowLimit = 500
    /// The maximum number of missed messages per thread that the client fetches to keep its cache. If a thread has
    /// missed more, the client empties the thread's cache and loads its newest page.
    public var catchUpLimit = 5_000
    /// The approximate maximum number of messages and notices on the device. Above this number the client removes the
    /// oldest messages of the least active threads, and loads them again on demand. It keeps the newest message of each
    /// thread and the content of live collections.
    public var cacheLimit = 200_000
    /// The maximum number of pending sends and changes. Exceeding it throws ``ChatError/invalid(_:_:)``.
    public var outboxLimit = 10_000
    /// The maximum number of bytes in files waiting to be sent. A file that exceeds it throws
    /// ``ChatError/invalid(_:_:)``. The client copies the files to a folder next to the database, named after it with the
    /// suffix `.files`. Without a database the maximum is 64 MiB.
    public var pendingFilesLimit = 1 << 30
    /// The number of times the server can answer a send with `unavailable` before the send fails with `retryable`.
    public var attemptsWhileUnavailable = 10
    /// The logger for problems of the client. The client never logs message texts or credentials.
    public var logger = Logger(label: "parley.client")
    /// The seed for jitter and IDs in tests; `nil` selects the system's generator.
    public var seed: UInt64?

    static let pendingFilesInMemory = 64 << 20

    /// Creates a configuration with a credential provider.
    /// - Parameters:
    ///   - server: The server's address: `http://` or `https://`, a host, and optionally a port.
    ///   - storage: The location of the outbox and the cache.
    ///   - transport: The transport for sockets and requests; `nil` selects the platform's own.
    ///   - clock: The clock for delays and dates.
    ///   - credentials: A closure that provides credentials on demand.
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

    /// Creates a configuration with fixed credentials, for example a session token from ``ChatAccount``.
    /// - Parameters:
    ///   - server: The server's address: `http://` or `https://`, a host, and optionally a port.
    ///   - credentials: The credentials for all connections. The client is logged out when the server refuses them.
    ///   - storage: The location of the outbox and the cache.
    public init(server: URL, credentials: ChatCredentials, storage: Storage) {
        self.init(server: server, storage: storage) { reason in reason == .expired ? nil : credentials }
    }
}
