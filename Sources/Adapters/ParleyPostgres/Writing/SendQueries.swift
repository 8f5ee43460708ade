package import ParleyModel
package import ParleyStorage

/// Statements for sends: the uses of each `client_id`, and seqs without content.
package enum SendQueries {
    /// Returns the stored messages for senders and `client_id`s, the first use of each before later ones. The columns
    /// are the sender and the `client_id`, followed by the columns of `StoredUse.init(row:)`, and whether it is the first
    /// use.
    package static let uses = Query(
        """
        SELECT messages.sender_id, messages.client_id, \(use), true
        FROM unnest($1, $2) AS key (sender_id, client_id) JOIN messages ON \(messageOfSend)
        UNION ALL
        SELECT later_sends.sender_id, later_sends.client_id, \(use), false
        FROM unnest($1, $2) AS key (sender_id, client_id) JOIN later_sends USING (sender_id, client_id)
            JOIN messages ON messages.thread_id = later_sends.thread_id AND messages.seq = later_sends.seq
        """
    ) { row in
        (
            key: SendKey(sender: UserID(trusted: try row.text(0)), clientID: try row.text(1)),
            use: try StoredUse(row: row), isFirst: try row.bool(13)
        )
    }

    private static let messageOfSend = Hashes.equal(
        ("messages.sender_id", "messages.client_id"), ("key.sender_id", "key.client_id"))

    /// Returns the hashes of senders and `client_id`s in `messages_by_hashed_send`, and whether any message has both
    /// hashes.
    package static let places = Query(
        """
        SELECT key.sender_id, key.client_id, key.sender_hash, key.client_hash, EXISTS (
            SELECT 1 FROM messages
            WHERE \(Hashes.of("messages.sender_id")) = key.sender_hash
                AND \(Hashes.of("messages.client_id")) = key.client_hash AND messages.client_id IS NOT NULL)
        FROM (
            SELECT sender_id, client_id, \(Hashes.of("sender_id")) AS sender_hash, \(Hashes.of("client_id")) AS client_hash
            FROM unnest($1, $2) AS sent (sender_id, client_id)) AS key
        """
    ) { row in
        (
            SendKey(sender: UserID(trusted: try row.text(0)), clientID: try row.text(1)),
            hash: SendHash(sender: try row.int(2), clientID: try row.int(3)), isUsed: try row.bool(4)
        )
    }

    private static let use = """
        messages.thread_id, messages.seq, epoch, date_ms, messages.id, coalesce(first_text, text), parts, reply_to,
        deleted_ms IS NOT NULL OR is_erased, content_digest,
        EXISTS (SELECT 1 FROM threads WHERE threads.id = messages.thread_id)
        """

    /// Inserts messages whose `client_id` belongs to another message.
    static let insertLaterUses = Statement(
        """
        WITH new AS (
            SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) AS new (
                thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, client_id, text, parts, reply_to, erased)),
        used AS (
            INSERT INTO later_sends (sender_id, client_id, thread_id, seq)
            SELECT sender_id, client_id, thread_id, seq FROM new)
        INSERT INTO messages (thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, later_client_id, text, parts,
            reply_to, is_erased)
        SELECT thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, client_id, text, parts, reply_to, erased > 0
        FROM new
        """)

    /// Inserts seqs that the log used for content that is already stored.
    static let insertRepeats = Statement(
        """
        INSERT INTO repeats (thread_id, seq, epoch, message_id, first_seq)
        SELECT * FROM unnest($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
        """)

    package static let repeats = Query(
        """
        SELECT thread_id, seq, epoch, coalesce(message_id, ''), coalesce(first_seq, seq)
        FROM unnest($1, $2) AS key (thread_id, seq) JOIN repeats USING (thread_id, seq)
        """
    ) { row in
        (
            thread: try row.text(0), seq: try row.int(1),
            content: EmptySeq(epoch: try row.text(2), message: try row.text(3), first: try row.int(4))
        )
    }

    /// Returns the given outbox entries that exist.
    package static let outbox = Query("SELECT id FROM outbox WHERE id = ANY ($1)") { try $0.int(0) }
    package static let deleteOutbox = Statement("DELETE FROM outbox WHERE id = ANY ($1)")

    /// Returns the epochs of deleted threads; `''` stands for a thread with no stored events.
    package static let deletedEpochs = Query(
        "SELECT thread_id, epoch FROM deleted_epochs WHERE thread_id = ANY ($1)"
    ) { row in (thread: try row.thread(0), epoch: try row.text(1)) }

    /// Clears the texts of rejected entries that belong to deleted messages.
    package static let forgetRejects = Statement(
        """
        UPDATE ingest_rejects SET bytes = '' FROM unnest($1, $2) AS gone (thread_id, message_id)
        WHERE ingest_rejects.thread_id = gone.thread_id AND ingest_rejects.message_id = gone.message_id
        """)
}

/// The hashes of a sender and a `client_id`, which form the key of the index of first uses.
package struct SendHash: Hashable, Sendable {
    package var sender: Int64
    package var clientID: Int64
}

/// A seq that the log used, without content of its own.
package struct EmptySeq: Sendable {
    package var epoch: String
    /// Empty for an event that is not a message.
    package var message: String
    /// The seq of the stored content.
    package var first: Int64
}
