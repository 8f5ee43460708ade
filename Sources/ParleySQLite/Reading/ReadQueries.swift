/// The statements that read what members see. None of them passes over rows that it does not return.
package enum ReadQueries {
    /// The columns of `LogEvent.init(messageRow:thread:from:)`, in its order.
    private static let message = "seq, epoch, date_ms, n, id, sender_id, sender_name, text, client_id"

    package static let newestMessages = """
        SELECT \(message) FROM messages WHERE thread_id = ? AND seq > ? AND seq < ? ORDER BY seq DESC LIMIT ?
        """

    package static let oldestMessages = """
        SELECT \(message) FROM messages WHERE thread_id = ? AND seq > ? AND seq < ? ORDER BY seq LIMIT ?
        """

    /// The last seq before an instant.
    package static let lastSeqBefore = """
        SELECT seq FROM messages WHERE thread_id = ? AND date_ms < ? ORDER BY date_ms DESC, seq DESC LIMIT 1
        """

    /// The last seq at or before an instant.
    package static let lastSeqUpTo = """
        SELECT seq FROM messages WHERE thread_id = ? AND date_ms <= ? ORDER BY date_ms DESC, seq DESC LIMIT 1
        """

    /// The first seq at or after an instant.
    package static let firstSeqFrom = """
        SELECT seq FROM messages WHERE thread_id = ? AND date_ms >= ? ORDER BY date_ms, seq LIMIT 1
        """

    /// The columns of `LogEvent.init(eventRow:thread:)`, in its order.
    package static let oldestEvents = """
        SELECT seq, epoch, date_ms, n, kind, user_id, user_name FROM events
        WHERE thread_id = ? AND seq > ? ORDER BY seq LIMIT ?
        """

    package static let head = "SELECT epoch, head_seq, head_ms, head_n FROM threads WHERE id = ? AND epoch IS NOT NULL"

    package static let messageOfClientID = """
        SELECT \(message), thread_id FROM messages WHERE sender_id = ? AND client_id = ?
        """

    /// The last message of `memberThreads` and the thread, as its member sees it.
    private static let memberThread = """
        last.seq, last.epoch, last.date_ms, last.n, last.id, last.sender_id, last.sender_name, last.text,
        last.client_id, threads.id, threads.kind, coalesce(threads.title, peer.name, '')
        """

    /// A cursor without a number was set ahead of what was stored; its number is then looked up.
    private static let unread = """
        threads.head_n - coalesce(
            members.read_n,
            (SELECT n FROM messages WHERE thread_id = threads.id AND seq <= members.read_seq ORDER BY seq DESC LIMIT 1),
            0)
        """

    private static let memberThreads = """
        members
        JOIN threads ON threads.id = members.thread_id
        LEFT JOIN messages AS last ON last.thread_id = threads.id AND last.seq = threads.last_message_seq
        LEFT JOIN users AS peer ON peer.id = iif(
            threads.first_user_id = members.user_id, threads.second_user_id, threads.first_user_id)
        """

    private static let activity = "coalesce(last.date_ms, members.joined_ms)"

    package static let inbox = """
        SELECT \(memberThread), \(unread)
        FROM \(memberThreads)
        WHERE members.user_id = ?
        ORDER BY \(activity) DESC, threads.id
        """

    /// From a place on, or from the beginning if that is `NULL`.
    package static let threads = """
        SELECT \(memberThread), peer.id, peer.name, members.role, threads.epoch, threads.head_seq, members.read_seq,
            \(unread), \(activity)
        FROM \(memberThreads)
        WHERE members.user_id = ?1
            AND (?2 IS NULL OR \(activity) < ?2 OR (\(activity) = ?2 AND threads.id > ?3))
        ORDER BY \(activity) DESC, threads.id LIMIT ?4
        """

    /// Nothing is written if the cursor is there already, so that opening a thread again costs no sync of the disk.
    package static let markRead = """
        UPDATE members SET
            read_seq = ?1,
            read_n = CASE WHEN ?1 > (SELECT head_seq FROM threads WHERE id = ?2) THEN NULL ELSE coalesce(
                (SELECT n FROM messages WHERE thread_id = ?2 AND seq <= ?1 ORDER BY seq DESC LIMIT 1), 0) END
        WHERE thread_id = ?2 AND user_id = ?3 AND read_seq <> ?1
        """

    /// Never back: a cursor that is ahead of what is stored has seen it all.
    package static let markAllRead = """
        UPDATE members SET (read_seq, read_n) = (SELECT head_seq, head_n FROM threads WHERE id = ?1)
        WHERE thread_id = ?1 AND user_id = ?2 AND read_seq < (SELECT head_seq FROM threads WHERE id = ?1)
        """
}
