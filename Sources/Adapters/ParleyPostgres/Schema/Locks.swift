/// Advisory locks that serialise transactions of all nodes.
///
/// A lock has two integers: a hash of its purpose and the schema, so that two installations in one database are
/// independent, and a number. Hash collisions make transactions wait unnecessarily, which is harmless.
package enum Locks {
    /// Serialises schema changes.
    package static let migrations = Statement(
        "SELECT pg_advisory_xact_lock(hashtext('parley migrations ' || current_schema()), 0)", isKept: false)

    /// Serialises the writers of the batches of these partitions (`$1`); taken in order to avoid deadlocks.
    package static let partitions = Statement(
        """
        SELECT pg_advisory_xact_lock(hashtext('parley writer ' || current_schema()), number::int)
        FROM (SELECT number FROM unnest($1) AS number ORDER BY number) AS numbers
        """)

    /// Shared lock of the writers of batches: a user found not to be erased stays so until the batch is written.
    package static let sharedErasure = Statement(
        "SELECT pg_advisory_xact_lock_shared(hashtext('parley erasure ' || current_schema()), 0)")

    /// Exclusive counterpart of `sharedErasure`, held by the transaction that erases a user.
    package static let erasure = Statement(
        "SELECT pg_advisory_xact_lock(hashtext('parley erasure ' || current_schema()), 0)")

    /// Shared lock of all transactions that set a cursor of a thread (`$1`), so that none counts messages while one is
    /// being inserted below the head.
    package static let cursorsOfThread = Statement(
        "SELECT pg_advisory_xact_lock_shared(hashtext('parley cursors ' || current_schema()), hashtext($1) & 255)")

    /// Exclusive counterpart of `cursorsOfThread` for inserting messages below the head of any of these threads (`$1`);
    /// taken in order to avoid deadlocks. At most 256 names, since the server's lock table holds some thousands.
    package static let countsOfThreads = Statement(
        """
        SELECT pg_advisory_xact_lock(hashtext('parley cursors ' || current_schema()), hash)
        FROM (SELECT DISTINCT hashtext(id) & 255 AS hash FROM unnest($1) AS id ORDER BY hash) AS hashes
        """)

    /// Held by transactions that change a thread or its members, from before they read until they commit, so that the
    /// outbox entries of a thread are in commit order. Not a lock on the thread's row, which the writer of batches
    /// holds.
    static let stateOfThread = Statement(
        "SELECT pg_advisory_xact_lock(hashtext('parley state ' || current_schema()), hashtext($1))")

    /// `stateOfThread` for many threads, in order to avoid deadlocks. At most some hundreds, since the server's lock
    /// table holds some thousands.
    static let stateOfThreads = Statement(
        """
        SELECT pg_advisory_xact_lock(hashtext('parley state ' || current_schema()), hash)
        FROM (SELECT DISTINCT hashtext(id) AS hash FROM unnest($1) AS id ORDER BY hash) AS hashes
        """)

    /// `stateOfThreads` for those of the direct threads (`$1`) of which the corresponding user (`$2`) exists and is not a
    /// member.
    package static let stateOfChanged = Statement(
        """
        SELECT pg_advisory_xact_lock(hashtext('parley state ' || current_schema()), hash)
        FROM (
            SELECT DISTINCT hashtext(pair.thread_id) AS hash
            FROM unnest($1, $2) AS pair (thread_id, user_id)
            WHERE NOT EXISTS (
                    SELECT 1 FROM members
                    WHERE members.thread_id = pair.thread_id AND members.user_id = pair.user_id)
                AND EXISTS (SELECT 1 FROM threads WHERE threads.id = pair.thread_id)
                AND EXISTS (SELECT 1 FROM users WHERE users.id = pair.user_id AND users.erased_ms IS NULL)
            ORDER BY hash
        ) AS hashes
        """)
}
