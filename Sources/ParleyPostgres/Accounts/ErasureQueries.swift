/// The statements that erase a user.
package enum ErasureQueries {
    /// The first date stays.
    package static let user = Statement(
        """
        UPDATE users SET name = $1, password_hash = NULL, display_name = NULL, avatar_url = NULL,
            operator_ms = NULL, erased_ms = coalesce(erased_ms, $2)
        WHERE id = $3 RETURNING 0::bigint
        """)
    package static let sessions = Statement("DELETE FROM sessions WHERE user_id = $1")
    /// Answers the threads of the events that had another name.
    package static let names = Statement(
        """
        UPDATE events SET user_name = $1 WHERE user_id = $2 AND user_name <> '' AND user_name <> $1 RETURNING thread_id
        """)

    /// Rejects are few; no index tells whose they are. What could not even be read stays.
    static let rejects = Statement("UPDATE ingest_rejects SET bytes = '' WHERE position($1 IN bytes) > 0")

    package static let messages = Statement(
        """
        UPDATE messages SET text = '', first_text = NULL, parts = NULL, edited_ms = NULL, edited_seq = NULL,
            sender_name = $1, is_erased = true
        FROM unnest($2, $3) AS gone (thread_id, seq)
        WHERE messages.thread_id = gone.thread_id AND messages.seq = gone.seq
        """)
}
