/// The statements that read many threads at once.
package enum SearchQueries {
    package static let messagePlace = Statement(
        """
        SELECT seq, sender_id, deleted_ms IS NOT NULL OR is_erased OR \(ErasureQueries.isUnderWay("sender_id"))
        FROM messages WHERE \(Hashes.equal(("thread_id", "id"), ("$1", "$2")))
        """)

    /// Those messages that are deleted, or whose author is erased.
    package static let goneMessages = Statement(
        """
        SELECT messages.thread_id, messages.id FROM unnest($1, $2) AS key (thread_id, id)
        JOIN messages ON \(WriteQueries.messageOfKey)
        WHERE messages.deleted_ms IS NOT NULL OR messages.is_erased OR EXISTS (
            SELECT 1 FROM users WHERE users.id = messages.sender_id AND users.erased_ms IS NOT NULL)
        """)

    /// `$1` words, `$2` user, `$3` thread or `NULL`, `$4` limit. The index contains each thread's id as a word, so that
    /// only matches in the user's threads are read; see `Migration.events`.
    package static let search = Statement(
        """
        SELECT \(ReadQueries.message), thread_id FROM messages
        WHERE text <> '' AND numnode(plainto_tsquery('simple', $1)) > 0
            AND (to_tsvector('simple', text) || array_to_tsvector(ARRAY[' ' || thread_id])) @@ (
                plainto_tsquery('simple', $1) && (
                    SELECT string_agg(quote_literal(' ' || members.thread_id), ' | ')::tsquery FROM members
                    WHERE members.user_id = $2 AND ($3 IS NULL OR members.thread_id = $3)))
            AND NOT \(ErasureQueries.isUnderWay("sender_id"))
        ORDER BY date_ms DESC, thread_id, seq DESC LIMIT $4
        """)

    /// After the `client_id` `$2` in the order of their hashes, or from the beginning if that is `NULL`.
    package static let sentWithClientID = Statement(
        """
        SELECT \(ReadQueries.message), thread_id FROM messages WHERE \(sentAfterClientID) LIMIT $3
        """)

    /// Not a plain comparison: the planner would multiply its selectivity with that of the hash, expect no more than a
    /// row, and sort all messages of the user for each page.
    private static let isSender = "coalesce(sender_id = $1, false)"

    /// The condition and the order of the messages that a user (`$1`) has sent with a `client_id`.
    static let sentAfterClientID = """
        \(Hashes.of("sender_id")) = \(Hashes.of("$1")) AND \(isSender) AND client_id IS NOT NULL
            AND (\(Hashes.of("client_id")), client_id) > (coalesce(\(Hashes.of("$2")), \(Int64.min)), coalesce($2, ''))
        ORDER BY \(Hashes.of("client_id"))
        """

    package static let sentWithoutClientID = Statement(
        """
        SELECT \(ReadQueries.message), thread_id FROM messages WHERE \(sentAfterSeq) LIMIT $4
        """)

    /// The condition and the order of the messages that a user (`$1`) has sent without a `client_id`: by the hash of
    /// their thread, after the seq `$3` of the thread `$2`, or from the beginning if these are 0 and `NULL`.
    static let sentAfterSeq = """
        \(Hashes.of("sender_id")) = \(Hashes.of("$1")) AND \(isSender) AND client_id IS NULL
            AND (\(Hashes.of("thread_id")), seq) > (coalesce(\(Hashes.of("$2")), \(Int64.min)), $3)
        ORDER BY \(Hashes.of("thread_id")), seq
        """
}
