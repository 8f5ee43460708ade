package import ParleyModel
package import ParleyStorage

/// Statements for `BatchWriter`. They take arrays, so that a batch of any size only needs a handful of statements.
package enum WriteQueries {
    /// Plans each statement once per session instead of once per batch. The server would replan as long as it assumes
    /// that the length of an array matters, which took an eighth of its time for small batches. The first batch may
    /// find the tables nearly empty, so the plans must use indexes even where a table scan would be cheaper at that
    /// time.
    package static let planOnce = Statement(
        """
        SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true)
        """)

    package static let checkpoints = Query(
        "SELECT partition, incarnation, stream_offset FROM ingest_checkpoints WHERE partition = ANY ($1)"
    ) { row in
        (
            Partition(number: Int(try row.int(0))),
            IngestCheckpoint(incarnation: try row.text(1), offset: try row.text(2))
        )
    }

    package static let setCheckpoints = Statement(
        """
        INSERT INTO ingest_checkpoints (partition, incarnation, stream_offset)
        SELECT number, incarnation, stream_offset FROM unnest($1, $2, $3) AS new (number, incarnation, stream_offset)
        ON CONFLICT (partition) DO UPDATE
        SET incarnation = excluded.incarnation, stream_offset = excluded.stream_offset
        """)

    package static let progress = Statement("SELECT progress FROM log_hosts WHERE host = $1")

    package static let noteProgress = Statement(
        """
        INSERT INTO log_hosts (host, progress) VALUES ($1, $2)
        ON CONFLICT (host) DO UPDATE SET progress = excluded.progress WHERE log_hosts.progress < excluded.progress
        """)

    /// Locks the threads until the transaction ends. Rows are locked in order to avoid deadlocks between writers.
    package static let threads = Query(
        """
        SELECT id, epoch, head_seq, head_n, head_ms, last_message_seq, first_user_id, second_user_id
        FROM threads WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE
        """
    ) { row in
        (
            try row.thread(0),
            ThreadState(
                epoch: try row.optionalText(1), headSeq: try row.int(2), headN: try row.int(3),
                headMilliseconds: try row.int(4), lastMessageSeq: try row.optionalInt(5),
                pair: Set([try row.optionalText(6), try row.optionalText(7)].compactMap { $0 }))
        )
    }

    package static let updateThreads = Statement(
        """
        UPDATE threads SET epoch = new.epoch, head_seq = new.head_seq, head_n = new.head_n, head_ms = new.head_ms,
            last_message_seq = new.last_message_seq
        FROM unnest($1, $2, $3, $4, $5, $6) AS new (id, epoch, head_seq, head_n, head_ms, last_message_seq)
        WHERE threads.id = new.id
        """)

    package static let users = Query("SELECT id FROM users WHERE id = ANY ($1)") { try $0.text(0) }

    /// Returns the given users who are not members of the corresponding thread, and the latest outbox entry about their
    /// departure.
    package static let missingMembers = Query(
        """
        SELECT pair.thread_id, pair.user_id, (
            SELECT max(id) FROM outbox
            WHERE outbox.thread_id = pair.thread_id AND kind = 'left' AND payload::json ->> 'user_id' = pair.user_id)
        FROM unnest($1, $2) AS pair (thread_id, user_id)
        WHERE NOT EXISTS (
            SELECT 1 FROM members WHERE members.thread_id = pair.thread_id AND members.user_id = pair.user_id)
        """
    ) { row in
        (thread: try row.thread(0), user: try row.text(1), pendingLeave: try row.optionalInt(2))
    }

    package static let insertDirectThreads = Statement(
        """
        INSERT INTO threads (id, kind, first_user_id, second_user_id, created_ms)
        SELECT id, 'direct', one, other, created_ms FROM unnest($1, $2, $3, $4) AS new (id, one, other, created_ms)
        """)

    package static let insertMembers = Statement(
        """
        INSERT INTO members (thread_id, user_id, role, read_seq, read_n, joined_ms)
        SELECT thread_id, user_id, 'member', read_seq, read_n, joined_ms
        FROM unnest($1, $2, $3, $4, $5) AS new (thread_id, user_id, read_seq, read_n, joined_ms)
        JOIN users ON users.id = new.user_id AND users.erased_ms IS NULL
        ON CONFLICT DO NOTHING
        """)

    package static let insertMessages = Statement(
        """
        INSERT INTO messages (thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, client_id, text, parts,
            reply_to, is_erased)
        SELECT thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, client_id, text, parts, reply_to, erased > 0
        FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) AS new (
            thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, client_id, text, parts, reply_to, erased)
        """)

    package static let insertEvents = Statement(
        """
        INSERT INTO events (thread_id, seq, log_seq, epoch, date_ms, n, kind, user_id, user_name, by_id, message_id,
            message_seq, text, is_on)
        SELECT thread_id, seq, log_seq, epoch, date_ms, n, kind, user_id, user_name, by_id, message_id, message_seq,
            text, is_on > 0
        FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) AS new (
            thread_id, seq, log_seq, epoch, date_ms, n, kind, user_id, user_name, by_id, message_id, message_seq, text,
            is_on)
        """)

    /// Only moves cursors forward, as the storing of messages does.
    package static let advanceCursors = Statement(
        """
        UPDATE members SET read_seq = new.seq, read_n = new.n
        FROM unnest($1, $2, $3, $4) AS new (thread_id, user_id, seq, n)
        WHERE members.thread_id = new.thread_id AND members.user_id = new.user_id AND members.read_seq < new.seq
        """)

    /// Replaces the outbox entries with which logs begin for members by the seqs of their events. Does nothing for a member
    /// whose log begins with another entry, because they have joined again since.
    package static let setStarts = Statement(
        """
        UPDATE members SET visible_from = new.seq
        FROM unnest($1, $2, $3, $4) AS new (thread_id, user_id, pending, seq)
        WHERE members.thread_id = new.thread_id AND members.user_id = new.user_id
            AND members.visible_from = new.pending
        """)

    package static let reject = Statement(
        """
        INSERT INTO ingest_rejects (partition, incarnation, stream_offset, reason, bytes, rejected_ms, thread_id,
            user_id, message_id)
        SELECT number, incarnation, stream_offset, reason, bytes, $6, thread_id, user_id, message_id
        FROM unnest($1, $2, $3, $4, $5, $7, $8, $9) AS new (
            number, incarnation, stream_offset, reason, bytes, thread_id, user_id, message_id)
        ON CONFLICT DO NOTHING
        """)

    // MARK: Stored rows of a batch

    package static let rejectReasons = Query(
        """
        SELECT ingest_rejects.partition, ingest_rejects.stream_offset, ingest_rejects.reason
        FROM unnest($1, $2, $3) AS entry (number, incarnation, stream_offset)
        JOIN ingest_rejects ON ingest_rejects.partition = entry.number
            AND ingest_rejects.incarnation = entry.incarnation AND ingest_rejects.stream_offset = entry.stream_offset
        """
    ) { row in
        (partition: Int(try row.int(0)), offset: try row.text(1), reason: try row.text(2))
    }

    package static let messagesByID = Query(
        """
        SELECT messages.thread_id, messages.id, messages.seq
        FROM unnest($1, $2) AS key (thread_id, id) JOIN messages ON \(messageOfKey)
        """
    ) { row in (thread: try row.text(0), id: try row.text(1), seq: try row.int(2)) }

    /// The condition that a message has the thread and ID of a `key`.
    static let messageOfKey = Hashes.equal(("messages.thread_id", "messages.id"), ("key.thread_id", "key.id"))

    /// A stored seq is never below the seq of the log, so the primary key bounds the search.
    package static let eventsBefore = Query(
        """
        SELECT key.thread_id, key.seq, key.epoch, key.user_id, key.kind, found.seq
        FROM unnest($1, $2, $3, $4, $5) AS key (thread_id, seq, epoch, user_id, kind)
        CROSS JOIN LATERAL (
            SELECT events.seq FROM events
            WHERE events.thread_id = key.thread_id AND events.seq >= key.seq AND events.log_seq = key.seq
                AND events.epoch = key.epoch AND events.kind = key.kind AND events.user_id = key.user_id
            ORDER BY events.seq LIMIT 1) AS found
        """
    ) { row in
        (
            key: StoredKey(
                thread: try row.text(0), seq: try row.int(1), epoch: try row.text(2), user: try row.text(3),
                kind: try row.eventKind(4)),
            seq: try row.int(5)
        )
    }

    package static let takenSeqs = Query(
        """
        SELECT thread_id, seq FROM unnest($1, $2) AS key (thread_id, seq) JOIN messages USING (thread_id, seq)
        UNION ALL
        SELECT thread_id, seq FROM unnest($1, $2) AS key (thread_id, seq) JOIN events USING (thread_id, seq)
        """
    ) { row in (thread: try row.text(0), seq: try row.int(1)) }

    // MARK: Late events

    /// Returns the number of messages before a seq, and the dates of its neighbours on both sides.
    package static let neighbours = Query(
        """
        SELECT
            coalesce((SELECT n FROM messages WHERE thread_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT 1), 0),
            greatest(
                (SELECT date_ms FROM messages WHERE thread_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT 1),
                (SELECT date_ms FROM events WHERE thread_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT 1), 0::bigint),
            least(
                (SELECT date_ms FROM messages WHERE thread_id = $1 AND seq > $2 ORDER BY seq LIMIT 1),
                (SELECT date_ms FROM events WHERE thread_id = $1 AND seq > $2 ORDER BY seq LIMIT 1), $3)
        """
    ) { row in
        Neighbours(messagesBefore: try row.int(0), earliest: try row.int(1), latest: try row.int(2))
    }

    package static let countUp = [
        Statement("UPDATE messages SET n = n + 1 WHERE thread_id = $1 AND seq > $2"),
        Statement("UPDATE events SET n = n + 1 WHERE thread_id = $1 AND seq > $2"),
        Statement(
            """
            UPDATE members SET read_n = read_n + 1 WHERE thread_id = $1 AND read_seq >= $2 AND read_n IS NOT NULL
            """),
    ]
}
