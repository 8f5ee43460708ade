package import ParleyModel
package import ParleyStorage

extension WriteQueries {
    // MARK: Subjects of changes

    /// Returns the seqs of messages given by thread and ID, whether the messages are deleted, and whether their authors
    /// are erased.
    package static let messagesOfEvents = Query(
        """
        SELECT messages.thread_id, messages.id, messages.seq, messages.deleted_ms IS NOT NULL,
            messages.is_erased OR EXISTS (
                SELECT 1 FROM users WHERE users.id = messages.sender_id AND users.erased_ms IS NOT NULL)
        FROM unnest($1, $2) AS key (thread_id, id) JOIN messages ON \(messageOfKey)
        """
    ) { row in
        (
            thread: try row.thread(0), id: MessageID(trusted: try row.text(1)),
            subject: EventEffect.Subject(seq: try row.int(2), isDeleted: try row.bool(3), isErased: try row.bool(4))
        )
    }

    /// Returns the given users who are erased.
    package static let erasedUsers = Query("SELECT id FROM users WHERE id = ANY ($1) AND erased_ms IS NOT NULL") {
        try $0.text(0)
    }

    /// Whether a reaction with this user, message and emoji exists above a seq.
    package static let hasSupersedingReaction = Query(
        """
        SELECT EXISTS (
            SELECT 1 FROM events
            WHERE thread_id = $1 AND seq > $2 AND kind = 'reaction' AND user_id = $3 AND message_id = $4 AND text = $5)
        """
    ) { try $0.bool(0) }

    // MARK: Changes

    /// Does not change messages that were deleted or erased in the meantime.
    package static let edit = Statement(
        """
        UPDATE messages SET first_text = coalesce(messages.first_text, messages.text), text = new.text,
            edited_ms = new.edited_ms, edited_seq = new.edited_seq
        FROM unnest($1, $2, $3, $4, $5) AS new (thread_id, seq, text, edited_ms, edited_seq)
        WHERE messages.thread_id = new.thread_id AND messages.seq = new.seq
            AND coalesce(messages.edited_seq, 0) < new.edited_seq AND deleted_ms IS NULL AND NOT is_erased
        """)

    package static let delete = Statement(
        """
        UPDATE messages SET text = '', first_text = NULL, parts = NULL, edited_ms = NULL, edited_seq = NULL,
            deleted_ms = new.deleted_ms
        FROM unnest($1, $2, $3) AS new (thread_id, seq, deleted_ms)
        WHERE messages.thread_id = new.thread_id AND messages.seq = new.seq
        """)

    /// Removes the previous texts of deleted messages.
    package static let forgetEdits = Statement(
        """
        UPDATE events SET text = '' FROM unnest($1, $2) AS gone (thread_id, message_id)
        WHERE events.thread_id = gone.thread_id AND events.message_id = gone.message_id AND events.kind = 'edited'
        """)

    package static let forgetReactions = Statement(
        """
        DELETE FROM reactions USING unnest($1, $2) AS gone (thread_id, seq)
        WHERE reactions.thread_id = gone.thread_id AND reactions.message_seq = gone.seq
        """)

    static let react = Statement(
        """
        INSERT INTO reactions (thread_id, message_seq, emoji, user_id) SELECT * FROM unnest($1, $2, $3, $4)
        ON CONFLICT DO NOTHING
        """)

    package static let unreact = Statement(
        """
        DELETE FROM reactions USING unnest($1, $2, $3, $4) AS off (thread_id, seq, emoji, user_id)
        WHERE reactions.thread_id = off.thread_id AND reactions.message_seq = off.seq
            AND reactions.emoji = off.emoji AND reactions.user_id = off.user_id
        """)

    package static let rename = Statement("UPDATE threads SET title = $1 WHERE id = $2")
}
