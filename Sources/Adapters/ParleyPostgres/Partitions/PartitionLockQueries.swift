/// Statements for `PostgresPartitionLocks`. The locks belong to the session; PostgreSQL releases them when the session
/// ends for any reason.
enum PartitionLockQueries {
    private static let persisters = "hashtext('parley persisters ' || current_schema())"
    private static let partitions = "hashtext('parley partitions ' || current_schema())"

    /// Lets the server detect quickly that this host is gone. The limits match `PostgresSettings.keepalive`.
    static let watchPeer = Statement(
        """
        SELECT set_config('tcp_keepalives_idle', $1, false), set_config('tcp_keepalives_interval', $2, false),
            set_config('tcp_keepalives_count', $3, false), set_config('tcp_user_timeout', $4, false)
        """, isKept: false)

    /// Joins the persisters, who all share this lock. Never blocks, since no session takes the lock exclusively.
    static let takePart = Statement("SELECT pg_advisory_lock_shared(\(persisters), 0)", isKept: false)

    /// Returns the process ID of the session on the server, and the number of persisters.
    static let survey = Query(
        "SELECT pg_backend_pid(), count(*) FROM pg_locks WHERE \(isOurs(persisters)) AND objid = 0"
    ) { row in (process: try row.int(0), members: try row.int(1)) }

    /// Returns the locked partitions, and whether this session holds each of them.
    static let owners = Query(
        "SELECT objid::bigint, pid = pg_backend_pid() FROM pg_locks WHERE \(isOurs(partitions))"
    ) { row in (number: try row.int(0), isOurs: try row.bool(1)) }

    /// Locks free partitions of `$1` in order, until this session has locked `$2` of them.
    static let take = Query(
        """
        SELECT number FROM unnest($1) AS number WHERE pg_try_advisory_lock(\(partitions), number::int) LIMIT $2
        """
    ) { try $0.int(0) }

    /// Unlocks the partitions of `$1` that this session holds.
    static let release = Query(
        "SELECT number FROM unnest($1) AS number WHERE pg_advisory_unlock(\(partitions), number::int)")

    static let releaseAll = Statement("SELECT pg_advisory_unlock_all()", isKept: false)

    /// Matches granted two-integer locks in this database whose first integer is the hash of `name`.
    private static func isOurs(_ name: String) -> String {
        """
        locktype = 'advisory' AND objsubid = 2 AND granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND classid::bigint = \(name)::bigint & 4294967295
        """
    }
}
