/// Statements for sends: the uses of each `client_id`, and seqs without content.
package enum SendQueries {
    /// Returns the stored messages for a sender and a `client_id`, the first use before later ones, with the columns of
    /// `StoredUse.init(row:)`.
    package static let uses = """
        SELECT \(use), 0 AS is_later FROM messages WHERE sender_id = ?1 AND client_id = ?2
        UNION ALL
        SELECT \(use), 1 FROM later_sends
            JOIN messages ON messages.thread_id = later_sends.thread_id AND messages.seq = later_sends.seq
        WHERE later_sends.sender_id = ?1 AND later_sends.client_id = ?2
        ORDER BY is_later
        """

    private static let use = """
        messages.thread_id, messages.seq, epoch, date_ms, messages.id, coalesce(first_text, text), parts, reply_to,
        deleted_ms IS NOT NULL OR is_erased, content_digest
        """

    package static let insertLaterSend = """
        INSERT INTO later_sends (sender_id, client_id, thread_id, seq) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
        """

    /// Inserts a seq that the log used for content that is already stored.
    package static let insertRepeat = """
        INSERT INTO repeats (thread_id, seq, epoch, message_id, first_seq) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """

    /// Returns the seq at which the same content is stored.
    package static let `repeat` = """
        SELECT coalesce(first_seq, seq) FROM repeats
        WHERE thread_id = ? AND seq = ? AND epoch = ? AND message_id IS ?
        """

    package static let hasPendingLeave = """
        SELECT EXISTS (
            SELECT 1 FROM outbox WHERE thread_id = ?1 AND kind = 'left' AND json_extract(payload, '$.user_id') = ?2)
        """
    package static let deleteOutbox = "DELETE FROM outbox WHERE id = ?"

    /// Returns the epochs of a deleted thread; `''` stands for an epoch with no stored events.
    package static let deletedEpochs = "SELECT epoch FROM deleted_epochs WHERE thread_id = ?"

    /// Clears the texts of rejected entries that belong to a deleted message.
    package static let forgetRejects = "UPDATE ingest_rejects SET bytes = x'' WHERE thread_id = ? AND message_id = ?"

    /// The digest to keep of a message whose text is removed; see `ContentDigest`. A message without a `client_id`
    /// needs none.
    package static let digest = """
        CASE WHEN client_id IS NULL AND later_client_id IS NULL OR deleted_ms IS NOT NULL OR is_erased
            THEN content_digest
            ELSE parley_content_digest(thread_id, coalesce(first_text, text), parts, reply_to) END
        """
}
