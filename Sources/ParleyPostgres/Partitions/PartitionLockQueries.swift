/// The statements of `PostgresPartitionLocks`. Locks are the session's: they end when it does, whatever the reason.
enum PartitionLockQueries {
    private static let persisters = "hashtext('parley persisters ' || current_schema())"
    private static let partitions = "hashtext('parley partitions ' || current_schema())"

    /// Makes the server notice soon that this host is gone: limits as those of `PostgresSettings.keepalive`.
    static let watchPeer = Statement(
        """
        SELECT set_config('tcp_keepalives_idle', $1, false), set_config('tcp_keepalives_interval', $2, false),
            set_config('tcp_keepalives_count', $3, false), set_config('tcp_user_timeout', $4, false)
        """, isKept: false)

    /// Takes part: all who do hold this one together. Waits for nobody, since nobody holds it alone.
    static let takePart = Statement("SELECT pg_advisory_lock_shared(\(persisters), 0)", isKept: false)

    /// Which session this is on the server, and how many take part.
    static let survey = Statement(
        "SELECT pg_backend_pid(), count(*) FROM pg_locks WHERE \(isOurs(persisters)) AND objid = 0")

    /// Every partition that somebody has, and whether it is this session that does.
    static let owners = Statement(
        "SELECT objid::bigint, pid = pg_backend_pid() FROM pg_locks WHERE \(isOurs(partitions))")

    /// Takes those of `$1` that nobody has, one after the other, until it has `$2` of them.
    static let take = Statement(
        """
        SELECT number FROM unnest($1) AS number WHERE pg_try_advisory_lock(\(partitions), number::int) LIMIT $2
        """)

    /// Gives those of `$1` up that this session has.
    static let release = Statement(
        "SELECT number FROM unnest($1) AS number WHERE pg_advisory_unlock(\(partitions), number::int)")

    static let releaseAll = Statement("SELECT pg_advisory_unlock_all()", isKept: false)

    /// A granted lock of two integers in this database whose first integer is this one.
    private static func isOurs(_ name: String) -> String {
        """
        locktype = 'advisory' AND objsubid = 2 AND granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND classid::bigint = \(name)::bigint & 4294967295
        """
    }
}
