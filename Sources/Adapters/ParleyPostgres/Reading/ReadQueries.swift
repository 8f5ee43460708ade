package import ParleyModel

/// Statements that read what members see. None of them scans rows that it does not return.
package enum ReadQueries {
    /// The columns of `LogEvent.init(messageRow:thread:)`, in its order.
    static let message = """
        seq, epoch, date_ms, n, id, sender_id, sender_name, text, coalesce(client_id, later_client_id), parts, reply_to,
        edited_ms,
        deleted_ms IS NOT NULL, is_erased OR \(ErasureQueries.isUnderWay("messages.sender_id")),
        \(displayName(of: "messages.sender_id"))
        """

    /// The same columns for the last message of a thread.
    static let lastMessage = """
        last.seq, last.epoch, last.date_ms, last.n, last.id, last.sender_id, last.sender_name, last.text,
        coalesce(last.client_id, last.later_client_id), last.parts, last.reply_to, last.edited_ms, last.deleted_ms IS NOT NULL,
        last.is_erased OR \(ErasureQueries.isUnderWay("last.sender_id")), \(displayName(of: "last.sender_id"))
        """

    /// The present display name of a sender; `NULL` if it equals the username.
    private static func displayName(of sender: String) -> String {
        "(SELECT nullif(users.display_name, users.name) FROM users WHERE users.id = \(sender))"
    }

    /// The number of columns of a message. Other columns follow them.
    static let messageColumns = 15

    /// The unread count. A cursor without a message number was set beyond the head, and one below the start of the log counts
    /// from that start; the number is then looked up. Messages deleted after the cursor are counted in an index that only
    /// contains deleted messages.
    static let unread = """
        threads.head_n - coalesce(
            CASE WHEN members.read_seq >= members.visible_from - 1 THEN members.read_n END,
            (SELECT n FROM messages WHERE thread_id = threads.id AND seq <= \(readThrough) ORDER BY seq DESC LIMIT 1),
            0)
        - (SELECT count(*) FROM messages
            WHERE thread_id = threads.id AND seq > \(readThrough) AND deleted_ms IS NOT NULL)
        """

    /// The read cursor, and at least the end of what the member does not see.
    private static let readThrough = "greatest(members.read_seq, members.visible_from - 1)"

    package static let newestMessages = Statement(
        """
        SELECT \(message) FROM messages WHERE thread_id = $1 AND seq > $2 AND seq < $3 ORDER BY seq DESC LIMIT $4
        """)

    package static let oldestMessages = Statement(
        """
        SELECT \(message) FROM messages WHERE thread_id = $1 AND seq > $2 AND seq < $3 ORDER BY seq LIMIT $4
        """)

    package static let head = Query(
        "SELECT epoch, head_seq, head_ms, head_n FROM threads WHERE id = $1 AND epoch IS NOT NULL"
    ) { row in
        ThreadHead(
            position: Position(epoch: Epoch(try row.text(0)), seq: try row.int(1)), milliseconds: try row.int(2),
            messageCount: try row.int(3))
    }

    package static let heads = Statement(
        "SELECT id, epoch, head_seq, head_ms, head_n FROM threads WHERE id = ANY ($1) AND epoch IS NOT NULL")

    package static let inbox = Statement(
        """
        SELECT
            \(lastMessage), threads.id, threads.kind, coalesce(threads.title, peer.name, \(EntranceQueries.namesOfGroup), ''),
            threads.visibility, \(unread)
        FROM members
        JOIN threads ON threads.id = members.thread_id
        LEFT JOIN messages AS last ON last.thread_id = threads.id AND last.seq = threads.last_message_seq
            AND last.seq >= members.visible_from
        LEFT JOIN users AS peer ON peer.id = CASE threads.first_user_id
            WHEN members.user_id THEN threads.second_user_id ELSE threads.first_user_id END
        WHERE members.user_id = $1 AND (threads.options::json ->> 'archived') IS DISTINCT FROM 'true'
        ORDER BY coalesce(last.date_ms, members.joined_ms) DESC, threads.id
        """)

    /// Moves the cursor of user `$3` in thread `$2` to `$1`, by a mark made at `$4`; see `moves(_:_:)`.
    package static let markRead = Statement(
        """
        UPDATE members SET
            read_seq = $1, \(markTimes("$1", "$4")),
            read_n = CASE WHEN $1 > (SELECT head_seq FROM threads WHERE id = $2) THEN NULL ELSE coalesce(
                (SELECT n FROM messages WHERE thread_id = $2 AND seq <= $1 ORDER BY seq DESC LIMIT 1), 0) END
        WHERE thread_id = $2 AND user_id = $3 AND \(moves("$1", "$4"))
        """)

    /// Like `markRead`, but for many distinct readers, and never beyond the head.
    package static let markManyRead = Statement(
        """
        UPDATE members SET
            read_seq = new.seq, \(markTimes("new.seq", "new.made")),
            read_n = coalesce(
                (SELECT n FROM messages
                    WHERE messages.thread_id = members.thread_id AND messages.seq <= new.seq
                    ORDER BY messages.seq DESC LIMIT 1), 0)
        FROM unnest($1, $2, $3, $4) AS new (seq, thread_id, user_id, made)
        WHERE members.thread_id = new.thread_id AND members.user_id = new.user_id AND \(moves("new.seq", "new.made"))
        """)

    /// Whether a mark that may arrive late takes effect. A mark that moves the cursor forward does, unless a later mark
    /// has moved the cursor back. A mark that moves the cursor back does, unless a later mark has moved the cursor at
    /// all. If the clock of a node is wrong, the worst effect is a message shown as unread again. If the cursor is
    /// already at the seq, only the time of the latest mark is recorded. A mark without a time always takes effect.
    private static func moves(_ seq: String, _ made: String) -> String {
        """
        CASE
            WHEN \(seq) > read_seq THEN \(made) IS NULL OR read_back_ms IS NULL OR read_back_ms <= \(made)
            WHEN \(seq) < read_seq THEN \(made) IS NULL OR read_ms IS NULL OR read_ms <= \(made)
            ELSE \(made) IS NOT NULL AND (read_ms IS NULL OR read_ms < \(cut(made))) END
        """
    }

    private static func markTimes(_ seq: String, _ made: String) -> String {
        """
        read_ms = greatest(read_ms, \(cut(made))),
        read_back_ms = CASE WHEN \(seq) < read_seq THEN greatest(read_back_ms, \(cut(made))) ELSE read_back_ms END
        """
    }

    /// Replaces a time ahead of the server's clock by the server's time.
    private static func cut(_ made: String) -> String {
        "CASE WHEN \(made) IS NOT NULL THEN least(\(made), (extract(epoch FROM clock_timestamp()) * 1000)::bigint) END"
    }

    /// Never moves the cursor back: a cursor beyond the head already covers everything.
    package static let markAllRead = Statement(
        """
        UPDATE members SET read_seq = threads.head_seq, read_n = threads.head_n,
            read_ms = greatest(read_ms, least($3, (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
        FROM threads
        WHERE threads.id = $1 AND members.thread_id = $1 AND members.user_id = $2
            AND members.read_seq < threads.head_seq
        """)
}
