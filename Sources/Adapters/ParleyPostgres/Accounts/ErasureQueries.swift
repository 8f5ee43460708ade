package import ParleyModel
package import ParleyStorage

/// Statements that erase a user.
package enum ErasureQueries {
    /// Whether the erasure of a user is in progress. Rows may then still contain texts and names of the user, which
    /// readers must not show. Few users are in this state, and usually none.
    static func isUnderWay(_ user: String) -> String {
        // The subquery runs once per statement, not once per row, and is nearly always empty.
        "\(user) = ANY (ARRAY(SELECT cleanups.id FROM cleanups WHERE cleanups.kind = 'user'))"
    }

    /// A repeated erasure keeps the date of the first.
    package static let user = Statement(
        """
        UPDATE users SET name = $1, password_hash = NULL, display_name = NULL, avatar_url = NULL,
            suspended_ms = NULL, suspended_until_ms = NULL, suspension_reason = NULL, suspended_by = NULL,
            operator_ms = NULL, look = NULL, second_look = NULL, erased_ms = coalesce(erased_ms, $2)
        WHERE id = $3
        """)
    /// Returns a row if the user exists, whether erased or not.
    package static let isKnown = Query("SELECT 0::bigint FROM users WHERE id = $1")
    package static let sessions = Statement("DELETE FROM sessions WHERE user_id = $1")
    /// Renames the user in some of the events that still contain another name, and returns their threads.
    package static let names = Query(
        """
        WITH named AS MATERIALIZED (
            SELECT thread_id, seq FROM events WHERE user_id = $2 AND user_name <> '' AND user_name <> $1 LIMIT $3)
        UPDATE events SET user_name = $1
        FROM named WHERE events.thread_id = named.thread_id AND events.seq = named.seq
        RETURNING events.thread_id
        """
    ) { try $0.thread(0) }

    /// Rejected entries are few and have no index by user. Entries that could not be decoded are kept.
    static let rejects = Statement("UPDATE ingest_rejects SET bytes = '' WHERE position($1 IN bytes) > 0")

    /// Returns the user's messages with a `client_id`. `sentWithoutClientID` returns the others; each statement uses an
    /// index of its own.
    package static let sentWithClientID = Query(
        """
        SELECT thread_id, seq, id, is_erased, client_id FROM messages WHERE \(SearchQueries.sentAfterClientID) LIMIT $3
        """, sent)
    /// Returns the user's messages without a `client_id`.
    package static let sentWithoutClientID = Query(
        """
        SELECT thread_id, seq, id, is_erased, client_id FROM messages WHERE \(SearchQueries.sentAfterSeq) LIMIT $4
        """, sent)
    private static let sent: @Sendable (Row) throws -> SentMessage = { row in
        SentMessage(
            thread: try row.thread(0), seq: try row.int(1), id: MessageID(trusted: try row.text(2)),
            clientID: try row.optionalText(4), isErased: try row.bool(3))
    }

    /// Removes some of the user's reactions, and their emoji from the events about them; returns the threads.
    package static let reactions = Query(
        """
        WITH made AS MATERIALIZED (
            SELECT thread_id, seq, message_seq, text FROM events
            WHERE user_id = $1 AND kind = 'reaction' AND text <> '' LIMIT $2),
        off AS (
            DELETE FROM reactions USING made
            WHERE reactions.thread_id = made.thread_id AND reactions.message_seq = made.message_seq
                AND reactions.emoji = made.text AND reactions.user_id = $1)
        UPDATE events SET text = '', is_on = false
        FROM made WHERE events.thread_id = made.thread_id AND events.seq = made.seq
        RETURNING events.thread_id
        """
    ) { try $0.thread(0) }

    /// Returns some of the `client_id`s of the user's messages that are later uses.
    package static let laterClientIDs = Query(
        "SELECT DISTINCT client_id FROM later_sends WHERE sender_id = $1 LIMIT $2"
    ) { try $0.text(0) }
    package static let forgetClientIDs = Statement(
        """
        UPDATE messages SET client_id = NULL, content_digest = NULL FROM unnest($2) AS sent (client_id)
        WHERE \(Hashes.equal(("messages.sender_id", "messages.client_id"), ("$1", "sent.client_id")))
        """)
    package static let forgetLaterClientIDs = Statement(
        """
        WITH gone AS (
            DELETE FROM later_sends WHERE sender_id = $1 AND client_id = ANY ($2) RETURNING thread_id, seq)
        UPDATE messages SET later_client_id = NULL, content_digest = NULL FROM gone
        WHERE messages.thread_id = gone.thread_id AND messages.seq = gone.seq
        """)

    /// Returns the given threads for which the outbox already has an equal entry.
    static let pending = Query(
        "SELECT DISTINCT thread_id FROM outbox WHERE thread_id = ANY ($1) AND kind = $2 AND payload = $3"
    ) { try $0.thread(0) }

    package static let messages = Statement(
        """
        UPDATE messages SET text = '', first_text = NULL, parts = NULL, edited_ms = NULL, edited_seq = NULL,
            sender_name = $1, is_erased = true
        FROM unnest($2, $3) AS gone (thread_id, seq)
        WHERE messages.thread_id = gone.thread_id AND messages.seq = gone.seq
        """)
}
