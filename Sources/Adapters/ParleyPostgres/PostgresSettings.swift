import CPostgres
import Foundation
package import ParleyModel
package import ParleyStorage

/// The address of a database, and limits for its use.
package struct PostgresSettings: Sendable {
    /// A libpq connection string: `postgres://user:password@host:port/database?…` or `key=value …`.
    private let url: String
    /// The maximum number of connections of one store, each with a dedicated thread.
    package var connections = 8
    /// The number of processors of this machine. Searches keep at most half of them busy (`CallShares`).
    package var processors = ProcessInfo.processInfo.activeProcessorCount
    /// The maximum number of connections that searches use at once; `nil` derives it from the numbers of connections
    /// and processors (`CallShares`). Set it if the server runs on another machine, which has its own processors.
    package var searches: Int?
    /// The maximum number of calls of one class that wait for a connection; further calls are refused immediately. The
    /// limit for searches is at most `CallShares.maximumSearches`.
    package var waiters = 1024
    /// The maximum time that a call waits for a connection.
    package var waitLimit: Duration = .seconds(5)
    /// The maximum time for an attempt to connect to one host; whole seconds, at least 2.
    package var connectLimit: Duration = .seconds(5)
    /// The maximum execution time of a statement on the server (`statement_timeout`).
    package var statementLimit: Duration = .seconds(30)
    /// The maximum execution time of a statement of `CallClass.searching`, which may have to read very many rows.
    package var searchLimit: Duration = .seconds(5)
    /// The maximum time for a reply, after which the connection counts as lost; greater than `statementLimit`.
    package var replyLimit: Duration = .seconds(35)
    /// The maximum time in which the kernel detects that the peer is gone; whole seconds, at least 4.
    package var peerLimit: Duration = .seconds(20)
    /// The maximum pause between attempts to connect; see `ReconnectGate`.
    package var reconnectCap: Duration = .seconds(2)

    /// The key for the digests of deleted messages. If it is `nil`, no digests are kept, and a repeat of a deleted
    /// message counts as another message.
    package var contentKey: ContentKey?

    /// Computes the looks of new names.
    package var nameLook: NameLook.Rule = NameLook.byCase

    /// - Throws: `failed` if `url` is not a connection string. The error's text never contains the password.
    package init(url: String) throws(StoreError) {
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(url, &message)
        defer {
            PQconninfoFree(options)
            PQfreemem(message)
        }
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") || url.contains("="), options != nil else {
            throw .failed("the database address is invalid; allowed is postgres://user@host:port/database")
        }
        self.url = url
    }

    /// The TCP options that implement `peerLimit`: seconds of silence, seconds between probes, the number of unanswered
    /// probes, and the milliseconds for which sent data may remain unacknowledged.
    var keepalive: (idle: Int64, interval: Int64, count: Int64, limit: Int64) {
        let limit = max(4, peerLimit.components.seconds)
        let idle = limit / 2
        return (idle, max(1, (limit - idle) / 3), 3, limit * 1000)
    }

    /// The connection parameters for libpq. Later parameters override earlier ones, so the address may override the
    /// defaults that precede it.
    var parameters: (keys: [String], values: [String]) {
        let all = [
            ("fallback_application_name", "parley"),
            ("connect_timeout", "\(max(2, connectLimit.components.seconds))"),
            ("keepalives_idle", "\(keepalive.idle)"), ("keepalives_interval", "\(keepalive.interval)"),
            ("keepalives_count", "\(keepalive.count)"), ("tcp_user_timeout", "\(keepalive.limit)"),
            ("dbname", url),
            ("client_encoding", "UTF8"),
        ]
        return (all.map(\.0), all.map(\.1))
    }
}
