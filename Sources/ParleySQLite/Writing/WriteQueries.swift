/// The statements of `BatchWriter`, each prepared once per connection.
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

    package static let insertMember = """
        INSERT INTO members (thread_id, user_id, role, read_seq, read_n, joined_ms) VALUES (?, ?, 'member', ?, ?, ?)
        ON CONFLICT DO NOTHING
        """

    /// Cursors only go forward by writing.
    package static let advanceCursor = """
        UPDATE members SET read_seq = ?1, read_n = ?2 WHERE thread_id = ?3 AND user_id = ?4 AND read_seq < ?1
        """

    package static let insertMessage = """
        INSERT INTO messages (thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, client_id, text)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """

    package static let insertEvent = """
        INSERT INTO events (thread_id, seq, log_seq, epoch, date_ms, n, kind, user_id, user_name)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    package static let seqOfMessage = "SELECT seq FROM messages WHERE thread_id = ? AND id = ?"

    package static let placeOfClientID = "SELECT thread_id, seq FROM messages WHERE sender_id = ? AND client_id = ?"

    /// An event never has a lower seq here than in the log, so the primary key bounds the search.
    package static let seqOfEvent = """
        SELECT seq FROM events
        WHERE thread_id = ?1 AND seq >= ?2 AND log_seq = ?2 AND epoch = ?3 AND kind = ?4 AND user_id = ?5
        ORDER BY seq LIMIT 1
        """

    package static let isSeqTaken = """
        SELECT EXISTS (SELECT 1 FROM messages WHERE thread_id = ?1 AND seq = ?2)
            OR EXISTS (SELECT 1 FROM events WHERE thread_id = ?1 AND seq = ?2)
        """

    /// How many messages lie before a seq, and the dates of its neighbours on both sides.
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

    package static let reject = """
        INSERT INTO ingest_rejects (partition, incarnation, stream_offset, reason, bytes, rejected_ms)
        VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """

    package static let rejectReason = """
        SELECT reason FROM ingest_rejects WHERE partition = ? AND incarnation = ? AND stream_offset = ?
        """
}
