/// Statements that read many threads at once.
package enum SearchQueries {
    package static let messagePlace = Statement(
        """
        SELECT seq, sender_id, deleted_ms IS NOT NULL OR is_erased OR \(ErasureQueries.isUnderWay("sender_id"))
        FROM messages WHERE \(Hashes.equal(("thread_id", "id"), ("$1", "$2")))
        """)

    /// Returns the given messages that are deleted or whose author is erased.
    package static let goneMessages = Statement(
        """
        SELECT messages.thread_id, messages.id FROM unnest($1, $2) AS key (thread_id, id)
        JOIN messages ON \(WriteQueries.messageOfKey)
        WHERE messages.deleted_ms IS NOT NULL OR messages.is_erased OR EXISTS (
            SELECT 1 FROM users WHERE users.id = messages.sender_id AND users.erased_ms IS NOT NULL)
        """)

    /// The query for words that begin with those of `$1`; `NULL` if there are none. The texts of words are escaped,
    /// although the parser lets neither quotes nor backslashes into most of them.
    private static let beginnings = """
        SELECT string_agg(
            '''' || regexp_replace(word, '([''\\\\])', '\\\\\\1', 'g') || ''''
                || CASE WHEN length(word) > 1 THEN ':*' ELSE '' END,
            ' & ')::tsquery FROM unnest(tsvector_to_array(to_tsvector('simple', $1::text))) AS word
        """

    /// `$1` is the words, `$2` the user, `$3` the thread or `NULL`, and `$4` the limit. The index contains the ID of
    /// each thread as a word, so that the search only reads matches in the user's threads; see `Migration.messages`.
    package static let search = Statement(
        """
        SELECT \(ReadQueries.message), thread_id FROM messages
        WHERE text <> ''
            AND (to_tsvector('simple', text) || array_to_tsvector(ARRAY[' ' || thread_id])) @@ (
                (\(beginnings)) && (
                    SELECT string_agg(quote_literal(' ' || members.thread_id), ' | ')::tsquery FROM members
                    WHERE members.user_id = $2 AND ($3 IS NULL OR members.thread_id = $3)))
            AND NOT \(ErasureQueries.isUnderWay("sender_id"))
            AND seq >= (SELECT members.visible_from FROM members
                WHERE members.thread_id = messages.thread_id AND members.user_id = $2)
        ORDER BY date_ms DESC, thread_id, seq DESC LIMIT $4
        """)

    /// Returns a page in the order of the hashes of `client_id`s. The page begins after the `client_id` `$2`; `NULL`
    /// selects the first page.
    package static let sentWithClientID = Statement(
        """
        SELECT \(ReadQueries.message), thread_id FROM messages WHERE \(sentAfterClientID) LIMIT $3
        """)

    /// Avoids a plain comparison. The planner would multiply its selectivity by the selectivity of the hash, expect at
    /// most one row, and sort all messages of the user for each page.
    private static let isSender = "coalesce(sender_id = $1, false)"

    /// The condition and the order of the messages that user `$1` sent with a `client_id`.
    static let sentAfterClientID = """
        \(Hashes.of("sender_id")) = \(Hashes.of("$1")) AND \(isSender) AND client_id IS NOT NULL
            AND (\(Hashes.of("client_id")), client_id) > (coalesce(\(Hashes.of("$2")), \(Int64.min)), coalesce($2, ''))
        ORDER BY \(Hashes.of("client_id"))
        """

    package static let sentWithoutClientID = Statement(
        """
        SELECT \(ReadQueries.message), thread_id FROM messages WHERE \(sentAfterSeq) LIMIT $4
        """)

    /// The condition and the order of the messages that user `$1` sent without a `client_id`. They are ordered by the
    /// hash of their thread, and begin after seq `$3` of thread `$2`; 0 and `NULL` select the first page.
    static let sentAfterSeq = """
        \(Hashes.of("sender_id")) = \(Hashes.of("$1")) AND \(isSender) AND client_id IS NULL
            AND (\(Hashes.of("thread_id")), seq) > (coalesce(\(Hashes.of("$2")), \(Int64.min)), $3)
        ORDER BY \(Hashes.of("thread_id")), seq
        """
}
