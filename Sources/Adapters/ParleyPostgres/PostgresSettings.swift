import CPostgres
import Foundation
package import ParleyModel
package import ParleyStorage

/// The address of the database and the limits of its use.
package struct PostgresSettings: Sendable {
    /// A libpq connection string: `postgres://user:password@host:port/database?…` or `key=value …`.
    private let url: String
    /// The maximum number of connections of one store, each with a dedicated thread.
    package var connections = 8
    /// The processors of this machine; searches keep half of them busy at most (`CallShares`).
    package var processors = ProcessInfo.processInfo.activeProcessorCount
    /// The maximum number of connections that searches use at once; `nil`: derived from the numbers of connections and
    /// processors (`CallShares`). A server on another machine has processors of its own.
    package var searches: Int?
    /// The maximum number of calls of a class that wait for a connection; further ones are refused at once. Of searches
    /// only `CallShares.maximumSearches` wait.
    package var waiters = 1024
    /// The maximum time that a call waits for a connection.
    package var waitLimit: Duration = .seconds(5)
    /// The maximum time for a connection attempt, per host; whole seconds, at least 2.
    package var connectLimit: Duration = .seconds(5)
    /// The maximum time for a statement on the server (`statement_timeout`).
    package var statementLimit: Duration = .seconds(30)
    /// The same for the statements of `CallClass.searching`, which may have to read very many rows.
    package var searchLimit: Duration = .seconds(5)
    /// The maximum time for a reply before the connection counts as lost; above `statementLimit`.
    package var replyLimit: Duration = .seconds(35)
    /// The maximum time for the kernel to detect a dead peer; whole seconds, at least 4.
    package var peerLimit: Duration = .seconds(20)
    /// The maximum pause between attempts to connect; see `ReconnectGate`.
    package var reconnectCap: Duration = .seconds(2)

    /// The key of the digests kept of deleted messages. With `nil` none are kept, and a repeat of a deleted message
    /// counts as another message.
    package var contentKey: ContentKey?

    /// Makes the looks of new names.
    package var nameLook: NameLook.Rule = NameLook.byCase

    /// - Throws: `failed` with the reason if `url` is not a connection string. The text never contains the password.
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

    /// `peerLimit` as TCP options: seconds of silence, seconds between probes, unanswered probes; and for sent data,
    /// milliseconds without an acknowledgement.
    var keepalive: (idle: Int64, interval: Int64, count: Int64, limit: Int64) {
        let limit = max(4, peerLimit.components.seconds)
        let idle = limit / 2
        return (idle, max(1, (limit - idle) / 3), 3, limit * 1000)
    }

    /// The connection parameters for libpq. Later ones win, so the address may override the defaults before it.
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
