/// Advisory locks: names on which transactions of all nodes agree, so that one waits for the other.
///
/// A name is two integers: a hash of what is locked, with the schema so that two Parleys in one database are strangers,
/// and which one. Two names with one hash wait for each other without need, which does no harm.
package enum Locks {
    /// One at a time changes the schema.
    package static let migrations = Statement(
        "SELECT pg_advisory_xact_lock(hashtext('parley migrations ' || current_schema()), 0)", isKept: false)

    /// One at a time writes a partition's batches.
    package static let partition = Statement(
        "SELECT pg_advisory_xact_lock(hashtext('parley writer ' || current_schema()), $1::int)")

    /// Held by who writes a batch, so that whom it takes for not erased is not, until it is written.
    package static let nobodyIsErased = Statement(
        "SELECT pg_advisory_xact_lock_shared(hashtext('parley erasure ' || current_schema()), 0)")

    /// Held by who erases a user, until that is known.
    package static let erasure = Statement(
        "SELECT pg_advisory_xact_lock(hashtext('parley erasure ' || current_schema()), 0)")

    /// Held by all who set a cursor of a thread (`$1`), so that none counts messages while one is put in between.
    package static let cursorsOfThread = Statement(
        "SELECT pg_advisory_xact_lock_shared(hashtext('parley cursors ' || current_schema()), hashtext($1) & 255)")

    /// Held by who puts a message in between, in any of these threads (`$1`); in order, so that two never wait for each
    /// other. At most 256 names, since the server's table of locks has room for some thousands.
    package static let countsOfThreads = Statement(
        """
        SELECT pg_advisory_xact_lock(hashtext('parley cursors ' || current_schema()), hash)
        FROM (SELECT DISTINCT hashtext(id) & 255 AS hash FROM unnest($1) AS id ORDER BY hash) AS hashes
        """)

    /// Held by who changes what a thread is or who is in it, from before it looks until it commits: so the outbox entries
    /// of a thread have the order of the commits. Not the thread's row, which the writer of batches holds.
    static let stateOfThread = Statement(
        "SELECT pg_advisory_xact_lock(hashtext('parley state ' || current_schema()), hashtext($1))")

    /// `stateOfThread` for many threads; in order, so that two never wait for each other. At most some hundreds: the
    /// server's table of locks has room for some thousands.
    static let stateOfThreads = Statement(
        """
        SELECT pg_advisory_xact_lock(hashtext('parley state ' || current_schema()), hash)
        FROM (SELECT DISTINCT hashtext(id) AS hash FROM unnest($1) AS id ORDER BY hash) AS hashes
        """)

    /// `stateOfThreads` for threads (`$1`), and for those of these direct threads (`$2`) of which the user beside (`$3`)
    /// is no member and could become one.
    package static let stateOfChanged = Statement(
        """
        SELECT pg_advisory_xact_lock(hashtext('parley state ' || current_schema()), hash)
        FROM (
            SELECT DISTINCT hashtext(id) AS hash FROM (
                SELECT id FROM unnest($1) AS id
                UNION ALL
                SELECT pair.thread_id FROM unnest($2, $3) AS pair (thread_id, user_id)
                WHERE NOT EXISTS (
                        SELECT 1 FROM members
                        WHERE members.thread_id = pair.thread_id AND members.user_id = pair.user_id)
                    AND EXISTS (SELECT 1 FROM threads WHERE threads.id = pair.thread_id)
                    AND EXISTS (SELECT 1 FROM users WHERE users.id = pair.user_id AND users.erased_ms IS NULL)
            ) AS changed ORDER BY hash
        ) AS hashes
        """)
}
