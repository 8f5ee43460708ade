import CPostgres
package import ParleyModel
package import ParleyStorage

/// Where the database is, and how patient the store is with it.
package struct PostgresSettings: Sendable {
    /// A libpq connection string: `postgres://user:password@host:port/database?…` or `key=value …`.
    private let url: String
    /// The most connections of one store, each with a thread of its own.
    package var connections = 8
    /// The most calls that wait for a connection; more are refused at once.
    package var waiters = 1024
    /// How long a call waits for a connection.
    package var waitLimit: Duration = .seconds(5)
    /// How long a connection attempt may take, per host; whole seconds, at least 2.
    package var connectLimit: Duration = .seconds(5)
    /// How long the server may work on a statement before it gives up by itself.
    package var statementLimit: Duration = .seconds(30)
    /// How long an answer may take before the connection counts as lost; above `statementLimit`.
    package var replyLimit: Duration = .seconds(35)
    /// How long a peer that is gone without a word may stay unnoticed by the kernel; whole seconds, at least 4.
    package var peerLimit: Duration = .seconds(20)
    /// The longest pause between attempts to connect; see `ReconnectGate`.
    package var reconnectCap: Duration = .seconds(2)

    /// Of the digests that are kept of deleted messages; `nil`: none are kept, and a repeat of a deleted message counts as
    /// another one.
    package var contentKey: ContentKey?

    /// - Throws: `failed`, with what is wrong, if `url` is no connection string. The text never holds the password.
    package init(url: String) throws(StoreError) {
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(url, &message)
        defer {
            PQconninfoFree(options)
            PQfreemem(message)
        }
        guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") || url.contains("="), options != nil else {
            throw .failed("the database's address is not understood; allowed is postgres://user@host:port/database")
        }
        self.url = url
    }

    /// `peerLimit` as TCP has it: seconds of silence, seconds between questions, questions without an answer; and for
    /// what was sent, milliseconds without an acknowledgement.
    var keepalive: (idle: Int64, interval: Int64, count: Int64, limit: Int64) {
        let limit = max(4, peerLimit.components.seconds)
        let idle = limit / 2
        return (idle, max(1, (limit - idle) / 3), 3, limit * 1000)
    }

    /// What libpq is given. Later ones win, so the address may overrule what stands before it.
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
