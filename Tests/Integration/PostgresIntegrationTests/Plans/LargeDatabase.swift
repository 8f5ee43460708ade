import ParleyPostgres
import ParleyTestSupport

/// A large database for tests of query plans. It is kept until the tests end.
///
/// - `big` is a room with 200,000 messages, one per second from `start` on. `busy` is a member of it and of 199 other
///   threads, a fifth of which are direct. In one of ten threads the number of the read cursor is unknown.
/// - 1,000 more rooms with as many users; 20 messages in each room but `big`, and a `joined` event for each member.
/// - The messages of `u10` have no `client_id`.
enum LargeDatabase {
    static let size: Int64 = 200_000
    static let start: Int64 = 1_600_000_000_000

    static func database() async throws -> PostgresTestDatabase { try await made.value }

    private static let made = Task {
        let database = try await PostgresTestDatabase.make()
        let connection = try database.connection()
        try connection.run(statements.map { Statement($0, isKept: false)() })
        try connection.run([Statement("ANALYZE", isKept: false)()])
        return database
    }

    private static let statements = [
        "INSERT INTO users (id, name, created_ms, look) SELECT 'u' || n, 'user ' || n, 0, 'look ' || n FROM generate_series(1, 1000) AS n",
        "INSERT INTO users (id, name, created_ms) VALUES ('busy', 'busy', 0)",
        """
        INSERT INTO threads (id, kind, title, visibility, first_user_id, second_user_id, created_ms)
        SELECT CASE n WHEN 0 THEN 'big' ELSE 'r' || n END, CASE WHEN pair THEN 'direct' ELSE 'room' END,
            CASE WHEN NOT pair THEN 'room ' || n END, CASE WHEN pair THEN 'private' ELSE 'public' END,
            CASE WHEN pair THEN 'busy' END, CASE WHEN pair THEN 'u' || n END, 0
        FROM (SELECT n, n BETWEEN 1 AND 40 AS pair FROM generate_series(0, 1199) AS n) AS plan
        """,
        """
        INSERT INTO members (thread_id, user_id, role, read_seq, read_n, joined_ms)
        SELECT CASE n WHEN 0 THEN 'big' ELSE 'r' || n END, 'busy', 'member', 5, CASE WHEN n % 10 > 0 THEN 5 END, 0
        FROM generate_series(0, 199) AS n
        """,
        """
        INSERT INTO members (thread_id, user_id, role, read_seq, read_n, joined_ms)
        SELECT 'r' || room, 'u' || (room * 7 + n) % 1000 + 1, 'member', 5, 5, 0
        FROM generate_series(1, 1199) AS room, generate_series(0, 2) AS n
        """,
        """
        INSERT INTO messages (thread_id, seq, id, epoch, date_ms, n, sender_id, sender_name, client_id, text)
        SELECT CASE WHEN room = 0 THEN 'big' ELSE 'r' || room END, seq, 'm' || seq, 'e', \(start) + seq * 1000, seq,
            'u' || seq % 1000 + 1, 'name',
            CASE WHEN seq % 1000 <> 9 THEN 'c' || room || '-' || seq END, 'text ' || seq
        FROM (
            SELECT 0 AS room, seq FROM generate_series(1, \(size)) AS seq
            UNION ALL SELECT room, seq FROM generate_series(1, 1199) AS room, generate_series(1, 20) AS seq) AS plan
        """,
        """
        INSERT INTO events (thread_id, seq, log_seq, epoch, date_ms, n, kind, user_id, user_name)
        SELECT thread_id, 20 + n, 20 + n, 'e', \(start) + 20000, 20, 'joined', user_id, 'name'
        FROM (
            SELECT thread_id, user_id, row_number() OVER (PARTITION BY thread_id ORDER BY user_id) AS n
            FROM members WHERE thread_id <> 'big') AS plan
        """,
        """
        UPDATE threads SET epoch = 'e', head_seq = head.seq, head_n = head.seq, head_ms = head.date_ms,
            last_message_seq = head.seq
        FROM (SELECT DISTINCT ON (thread_id) thread_id, seq, date_ms FROM messages ORDER BY thread_id, seq DESC) AS head
        WHERE head.thread_id = threads.id
        """,
        """
        INSERT INTO attachments (id, owner_id, name, type, size, created_ms, is_complete, due_ms)
        SELECT 'f' || n, 'u' || n % 1000 + 1, 'n', 'image/png', 9, 0, true, CASE WHEN n % 100 = 0 THEN n END
        FROM generate_series(1, 20000) AS n
        """,
        """
        INSERT INTO attachment_uses (attachment_id, thread_id, message_id, created_ms, check_ms)
        SELECT 'f' || n, 'r' || n % 1199 + 1, 'm' || n % 20 + 1, 0, CASE WHEN n % 100 = 0 THEN n END
        FROM generate_series(1, 20000) AS n
        """,
        """
        INSERT INTO blocks (user_id, blocked_id, thread_id, since_ms)
        SELECT 'u' || one, 'u' || other, 'direct.' || one || '.' || other, 0
        FROM (
            SELECT one, (one + step * 7) % 1000 + 1 AS other
            FROM generate_series(1, 1000) AS one, generate_series(1, 10) AS step) AS plan
        """,
        "INSERT INTO sessions SELECT 'h' || n, 'u' || n % 1000 + 1, n FROM generate_series(1, 20000) AS n",
        """
        INSERT INTO devices (id, user_id, session_hash, kind, token, digest, created_ms, last_used_ms)
        SELECT 'd' || n, 'u' || n % 1000 + 1, CASE WHEN n % 2 = 0 THEN 'h' || n END, 'fcm', 't' || n, 'g' || n, 0, n
        FROM generate_series(1, 10000) AS n
        """,
        """
        INSERT INTO notification_settings (user_id, direct_level, group_level, room_level)
        SELECT 'u' || n, 'all', 'all', 'all' FROM generate_series(1, 1000) AS n
        """,
        """
        INSERT INTO thread_notifications (thread_id, user_id, level)
        SELECT thread_id, user_id, 'all' FROM members LIMIT 5000
        """,
        "INSERT INTO event_batches SELECT n % 2, n, '1 1 e big' FROM generate_series(1, 50000) AS n",
        "INSERT INTO audit (at_ms, actor_kind, action) SELECT n, 'command', 'erased' FROM generate_series(1, 5000) AS n",
        "INSERT INTO ingest_checkpoints SELECT n, 'i', '1' FROM generate_series(0, 63) AS n",
        """
        INSERT INTO ingest_rejects (partition, incarnation, stream_offset, reason, bytes, rejected_ms)
        SELECT n % 64, 'i', n, 'why', '', 0 FROM generate_series(1, 2000) AS n
        """,
    ]
}
