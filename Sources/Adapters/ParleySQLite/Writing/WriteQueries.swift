/// Statements for `BatchWriter`. Each is prepared once per connection.
package enum WriteQueries {
    package static let thread = """
        SELECT epoch, head_seq, head_n, head_ms, last_message_seq, first_user_id, second_user_id
        FROM threads WHERE id = ?
        """

    package static let updateThread = """
        UPDATE threads SET epoch = ?, head_seq = ?, head_n = ?, head_ms = ?, last_message_seq = ? WHERE id = ?
        """

    package static let insertDirectThread = """
        INSERT INTO threads (id, kind, first_user_id, second_user_id, created_ms) VALUES (?, 'direct', ?, ?, ?)
        """

    package static let countUsers = "SELECT count(*) FROM users WHERE id IN (?, ?)"

    /// Replaces the outbox entry with which the log begins for a member by the seq of its event. Does nothing for a member whose
    /// log begins with another entry, because they have joined again since.
    package static let setStart = """
        UPDATE members SET visible_from = ?1 WHERE thread_id = ?2 AND user_id = ?3 AND visible_from = ?4
        """
    package static let insertMember = """
        INSERT INTO members (thread_id, user_id, role, read_seq, read_n, joined_ms)
        SELECT ?1, id, 'member', ?3, ?4, ?5 FROM users WHERE id = ?2 AND erased_ms IS NULL
        ON CONFLICT DO NOTHING
        """

    package static let deleteMember = "DELETE FROM members WHERE thread_id = ? AND user_id = ?"
    package static let setRole = "UPDATE members SET role = ? WHERE thread_id = ? AND user_id = ?"
    package static let rename = "UPDATE threads SET title = ? WHERE id = ?"
    package static let isErased = "SELECT erased_ms IS NOT NULL FROM users WHERE id = ?"

    /// Only moves the cursor forward, as the storing of messages does.
    package static let advanceCursor = """
        UPDATE members SET read_seq = ?1, read_n = ?2 WHERE thread_id = ?3 AND user_id = ?4 AND read_seq < ?1
        """

    package static let insertMessage = """
        INSERT INTO messages (thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, client_id, text, parts,
            reply_to, is_erased, later_client_id)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """

    package static let insertEvent = """
        INSERT INTO events (thread_id, seq, log_seq, epoch, date_ms, n, kind, user_id, user_name, by_id, message_id,
            message_seq, text, is_on)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    // MARK: Changes of messages

    /// Returns the seq of a message, whether it is deleted, and whether its author is erased.
    package static let messageOfEvent = """
        SELECT seq, deleted_ms IS NOT NULL, is_erased OR EXISTS (
            SELECT 1 FROM users WHERE users.id = messages.sender_id AND users.erased_ms IS NOT NULL)
        FROM messages WHERE thread_id = ? AND id = ?
        """

    package static let edit = """
        UPDATE messages SET first_text = coalesce(first_text, text), text = ?1, edited_ms = ?2, edited_seq = ?3
        WHERE thread_id = ?4 AND seq = ?5 AND coalesce(edited_seq, 0) < ?3 AND deleted_ms IS NULL AND is_erased = 0
        """

    package static let delete = """
        UPDATE messages SET
            text = '', first_text = NULL, parts = NULL, edited_ms = NULL, edited_seq = NULL, deleted_ms = ?,
            content_digest = \(SendQueries.digest)
        WHERE thread_id = ? AND seq = ?
        """

    /// Removes the previous texts of a deleted message.
    package static let forgetEdits = """
        UPDATE events SET text = '' WHERE thread_id = ? AND message_id = ? AND kind = 'edited'
        """

    package static let forgetReactions = "DELETE FROM reactions WHERE thread_id = ? AND message_seq = ?"

    package static let react = """
        INSERT INTO reactions (thread_id, message_seq, emoji, user_id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
        """

    package static let unreact = """
        DELETE FROM reactions WHERE thread_id = ? AND message_seq = ? AND emoji = ? AND user_id = ?
        """

    /// Whether a reaction with this user, message and emoji exists above a seq.
    package static let hasSupersedingReaction = """
        SELECT EXISTS (
            SELECT 1 FROM events
            WHERE thread_id = ?1 AND seq > ?2 AND kind = 'reaction' AND user_id = ?3 AND message_id = ?4 AND text = ?5)
        """

    package static let seqOfMessage = "SELECT seq FROM messages WHERE thread_id = ? AND id = ?"

    /// A stored seq is never below the seq of the log, so the primary key bounds the search.
    package static let seqOfEvent = """
        SELECT seq FROM events
        WHERE thread_id = ?1 AND seq >= ?2 AND log_seq = ?2 AND epoch = ?3 AND kind = ?4 AND user_id = ?5
        ORDER BY seq LIMIT 1
        """

    package static let isSeqTaken = """
        SELECT EXISTS (SELECT 1 FROM messages WHERE thread_id = ?1 AND seq = ?2)
            OR EXISTS (SELECT 1 FROM events WHERE thread_id = ?1 AND seq = ?2)
            OR EXISTS (SELECT 1 FROM repeats WHERE thread_id = ?1 AND seq = ?2)
        """

    /// Returns the number of messages before a seq, and the dates of its neighbours on both sides.
    package static let neighbours = """
        SELECT
            coalesce((SELECT n FROM messages WHERE thread_id = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT 1), 0),
            max(
                coalesce((SELECT date_ms FROM messages WHERE thread_id = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT 1), 0),
                coalesce((SELECT date_ms FROM events WHERE thread_id = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT 1), 0)),
            min(
                coalesce((SELECT date_ms FROM messages WHERE thread_id = ?1 AND seq > ?2 ORDER BY seq LIMIT 1), ?3),
                coalesce((SELECT date_ms FROM events WHERE thread_id = ?1 AND seq > ?2 ORDER BY seq LIMIT 1), ?3))
        """

    package static let countUpMessages = "UPDATE messages SET n = n + 1 WHERE thread_id = ? AND seq > ?"
    package static let countUpEvents = "UPDATE events SET n = n + 1 WHERE thread_id = ? AND seq > ?"
    package static let countUpCursors = """
        UPDATE members SET read_n = read_n + 1 WHERE thread_id = ? AND read_seq >= ? AND read_n IS NOT NULL
        """

    package static let checkpoint = "SELECT incarnation, stream_offset FROM ingest_checkpoints WHERE partition = ?"

    package static let setCheckpoint = """
        INSERT INTO ingest_checkpoints (partition, incarnation, stream_offset) VALUES (?, ?, ?)
        ON CONFLICT (partition) DO UPDATE
        SET incarnation = excluded.incarnation, stream_offset = excluded.stream_offset
        """

    package static let progress = "SELECT progress FROM log_hosts WHERE host = ?"

    package static let noteProgress = """
        INSERT INTO log_hosts (host, progress) VALUES (?, ?)
        ON CONFLICT (host) DO UPDATE SET progress = excluded.progress WHERE log_hosts.progress < excluded.progress
        """

    package static let reject = """
        INSERT INTO ingest_rejects (partition, incarnation, stream_offset, reason, bytes, rejected_ms, thread_id,
            user_id, message_id)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """

    package static let rejectReason = """
        SELECT reason FROM ingest_rejects WHERE partition = ? AND incarnation = ? AND stream_offset = ?
        """
}
