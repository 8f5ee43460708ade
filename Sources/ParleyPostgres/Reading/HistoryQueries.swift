/// The statements that page through a thread's log and a user's threads.
package enum HistoryQueries {
    /// All that is asked until `COMMIT` is answered from one snapshot.
    static let begin = Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    /// The last seq at or before an instant.
    package static let lastSeqUpTo = Statement(
        """
        SELECT seq FROM messages WHERE thread_id = $1 AND date_ms <= $2
        ORDER BY thread_id DESC, date_ms DESC, seq DESC LIMIT 1
        """)

    /// The columns of `LogEvent.init(eventRow:thread:)`, in its order.
    package static let oldestEvents = Statement(
        """
        SELECT seq, epoch, date_ms, n, kind, user_id, user_name FROM events
        WHERE thread_id = $1 AND seq > $2 ORDER BY seq LIMIT $3
        """)

    private static let activity = "coalesce(last.date_ms, members.joined_ms)"

    /// From a place on, or from the beginning if that is `NULL`. The first columns are those of `ReadQueries.inbox`.
    package static let threads = Statement(
        """
        SELECT
            last.seq, last.epoch, last.date_ms, last.n, last.id, last.sender_id, last.sender_name, last.text,
            last.client_id,
            threads.id, threads.kind, coalesce(threads.title, peer.name, ''),
            threads.head_n - coalesce(
                members.read_n,
                (SELECT n FROM messages WHERE thread_id = threads.id AND seq <= members.read_seq
                    ORDER BY seq DESC LIMIT 1),
                0),
            peer.id, peer.name, members.role, threads.epoch, threads.head_seq, members.read_seq, \(activity)
        FROM members
        JOIN threads ON threads.id = members.thread_id
        LEFT JOIN messages AS last ON last.thread_id = threads.id AND last.seq = threads.last_message_seq
        LEFT JOIN users AS peer ON peer.id = CASE threads.first_user_id
            WHEN members.user_id THEN threads.second_user_id ELSE threads.first_user_id END
        WHERE members.user_id = $1
            AND ($2 IS NULL OR \(activity) < $2 OR (\(activity) = $2 AND threads.id > $3))
        ORDER BY \(activity) DESC, threads.id LIMIT $4
        """)
}
