import ParleyModel

/// Advisory locks that serialise transactions of all nodes.
///
/// A lock has two integers. The first is a hash of its purpose and the schema, so that two installations in one
/// database are independent; the second is a number. A hash collision only makes transactions wait unnecessarily, which
/// is harmless.
package enum Locks {
    /// Serialises schema changes.
    package static let migrations = Statement(
        "SELECT pg_advisory_xact_lock(hashtext('parley migrations ' || current_schema()), 0)", isKept: false)

    /// Serialises the writers of batches of these partitions (`$1`). The locks are taken in order to avoid deadlocks.
    package static let partitions = Statement(
        """
        SELECT pg_advisory_xact_lock(hashtext('parley writer ' || current_schema()), number::int)
        FROM (SELECT number FROM unnest($1) AS number ORDER BY number) AS numbers
        """)

    /// Takes a free lane of `event_batches`, and returns its number; no row if all are taken. The lock ends with the
    /// transaction, after its batch is visible.
    package static let freeLane = Query(
        """
        SELECT lane FROM generate_series(0::bigint, \(EventCursor.maximumLanes - 1)) AS lane
        WHERE pg_try_advisory_xact_lock(hashtext('parley events ' || current_schema()), lane::int) LIMIT 1
        """
    ) { Int(try $0.int(0)) }

    /// Waits for a lane (`$1`).
    package static let lane = Statement(
        "SELECT pg_advisory_xact_lock(hashtext('parley events ' || current_schema()), $1::int)")

    /// Serialises transactions that add an endpoint of a back end, so that the maximum number holds.
    package static let webhooks = Statement(
        "SELECT pg_advisory_xact_lock(hashtext('parley webhooks ' || current_schema()), 0)")

    /// Serialises transactions that make a group of readers, so that they count the groups one after the other.
    package static let eventGroups = Statement(
        "SELECT pg_advisory_xact_lock(hashtext('parley event groups ' || current_schema()), 0)")

    /// Shared lock of the writers of batches: a user who is not erased when the lock is taken stays so until the batch
    /// is written.
    package static let sharedErasure = Statement(
        "SELECT pg_advisory_xact_lock_shared(hashtext('parley erasure ' || current_schema()), 0)")

    /// Exclusive counterpart of `sharedErasure`, which the transaction that erases a user holds.
    package static let erasure = Statement(
        "SELECT pg_advisory_xact_lock(hashtext('parley erasure ' || current_schema()), 0)")

    /// Shared lock of all transactions that set a cursor of a thread (`$1`), so that none of them counts messages while
    /// a message is being inserted below the head.
    package static let cursorsOfThread = Statement(
        "SELECT pg_advisory_xact_lock_shared(hashtext('parley cursors ' || current_schema()), hashtext($1) & 255)")

    /// Exclusive counterpart of `cursorsOfThread`, for inserting messages below the heads of these threads (`$1`). The
    /// locks are taken in order to avoid deadlocks. There are at most 256 of them, since the server's lock table holds
    /// a few thousand.
    package static let countsOfThreads = Statement(
        """
        SELECT pg_advisory_xact_lock(hashtext('parley cursors ' || current_schema()), hash)
        FROM (SELECT DISTINCT hashtext(id) & 255 AS hash FROM unnest($1) AS id ORDER BY hash) AS hashes
        """)

    /// Held by transactions that change a thread or its members. They take it before they read and hold it until they
    /// commit, so that the outbox entries of a thread are in commit order. A lock on the thread's row would conflict
    /// with the writer of batches.
    static let stateOfThread = Statement(
        "SELECT pg_advisory_xact_lock(hashtext('parley state ' || current_schema()), hashtext($1))")

    /// Like `stateOfThread`, for many threads. The locks are taken in order to avoid deadlocks. There may be at most a
    /// few hundred, since the server's lock table holds a few thousand.
    static let stateOfThreads = Statement(
        """
        SELECT pg_advisory_xact_lock(hashtext('parley state ' || current_schema()), hash)
        FROM (SELECT DISTINCT hashtext(id) AS hash FROM unnest($1) AS id ORDER BY hash) AS hashes
        """)

    /// Like `stateOfThreads`, but only locks a direct thread (`$1`) if the corresponding user (`$2`) exists and is not
    /// a member.
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
