import ParleyModel

/// Statements that page through the log of a thread and the threads of a user.
package enum HistoryQueries {
    /// All statements until `COMMIT` read one snapshot.
    static let begin = Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    /// The columns of `LogEvent.init(eventRow:thread:)`, in its order.
    package static let oldestEvents = Statement(
        """
        SELECT \(event) FROM events WHERE thread_id = $1 AND seq > $2 ORDER BY seq LIMIT $3
        """)

    /// An edit shows the current text of its message.
    static let event = """
        seq, epoch, date_ms, n, kind, user_id,
        CASE WHEN user_name <> '' AND \(ErasureQueries.isUnderWay("events.user_id")) THEN '\(User.erasedPrefix)' || user_id
            ELSE user_name END,
        by_id, message_id, message_seq,
        CASE WHEN kind <> 'edited' THEN text ELSE coalesce(
            (SELECT messages.text FROM messages
                WHERE messages.thread_id = events.thread_id AND messages.seq = events.message_seq
                    AND NOT \(ErasureQueries.isUnderWay("messages.sender_id"))),
            '') END,
        is_on
        """

    /// The number of columns of an event that is not a message.
    static let eventColumns = 12

    // MARK: Messages with reactions

    /// One line per emoji, with the number of users and some of their IDs; `NULL` if there are no reactions. Neither
    /// emoji nor IDs contain a space.
    static let reactions = """
        (SELECT string_agg(line, E'\\n' ORDER BY emoji) FROM (
            SELECT emoji, emoji || ' ' || count(*) || ' '
                || array_to_string((array_agg(user_id ORDER BY user_id))[1:\(ReactionCount.maximumUsers)], ' ') AS line
            FROM reactions WHERE thread_id = messages.thread_id AND message_seq = messages.seq
            GROUP BY emoji) AS lines)
        """

    package static let newestMessages = Statement(
        """
        SELECT \(ReadQueries.message), \(reactions) FROM messages WHERE thread_id = $1 AND seq < $2
        ORDER BY seq DESC LIMIT $3
        """)

    package static let oldestMessages = Statement(
        """
        SELECT \(ReadQueries.message), \(reactions) FROM messages WHERE thread_id = $1 AND seq > $2
        ORDER BY seq LIMIT $3
        """)

    private static let activity = "coalesce(last.date_ms, members.joined_ms)"

    /// The threads of a user. The first columns are the same as in `ReadQueries.inbox`.
    private static let summaries = """
        SELECT
            \(ReadQueries.lastMessage),
            threads.id, threads.kind, coalesce(threads.title, peer.name, \(EntranceQueries.namesOfGroup), ''), threads.visibility,
            \(ReadQueries.unread),
            peer.id, peer.name, members.role, threads.epoch, threads.head_seq, members.read_seq, \(activity),
            \(SanctionQueries.memberColumns)
        FROM members
        JOIN threads ON threads.id = members.thread_id
        \(SanctionQueries.joinMute)
        LEFT JOIN messages AS last ON last.thread_id = threads.id AND last.seq = threads.last_message_seq
            AND last.seq >= members.visible_from
        LEFT JOIN users AS peer ON peer.id = CASE threads.first_user_id
            WHEN members.user_id THEN threads.second_user_id ELSE threads.first_user_id END
        WHERE members.user_id = $1
        """

    /// Returns a page of a user's threads, which begins after a place; `NULL` selects the first page.
    package static let threads = Statement(
        """
        \(summaries)
            AND ($2 IS NULL OR \(activity) < $2 OR (\(activity) = $2 AND threads.id > $3))
        ORDER BY \(activity) DESC, threads.id LIMIT $4
        """)

    /// Returns the first threads of each user in the same order, with their unread counts.
    package static let readStates = Statement(
        """
        SELECT asked.id, standing.thread_id, standing.read_seq, standing.unread
        FROM unnest($1::text[]) AS asked (id) CROSS JOIN LATERAL (
            SELECT
                members.thread_id, members.read_seq, \(ReadQueries.unread) AS unread, \(activity) AS activity
            FROM members
            JOIN threads ON threads.id = members.thread_id
            LEFT JOIN messages AS last ON last.thread_id = threads.id AND last.seq = threads.last_message_seq
            AND last.seq >= members.visible_from
            WHERE members.user_id = asked.id
            ORDER BY \(activity) DESC, members.thread_id LIMIT $2) AS standing
        ORDER BY asked.id, standing.activity DESC, standing.thread_id
        """)

    /// Returns the given seqs of a thread that are stored, including repeats.
    package static let places = Statement(
        """
        SELECT epoch, seq FROM messages WHERE thread_id = $1 AND seq = ANY ($2)
        UNION ALL SELECT epoch, seq FROM events WHERE thread_id = $1 AND seq = ANY ($2)
        UNION ALL SELECT epoch, seq FROM repeats WHERE thread_id = $1 AND seq = ANY ($2)
        """)

    /// Returns a single thread.
    package static let thread = Statement("\(summaries) AND members.thread_id = $2")
}
