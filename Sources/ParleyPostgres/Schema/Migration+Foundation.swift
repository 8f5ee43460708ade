extension Migration {
    /// Users, threads, the log, and the ingest tables.
    ///
    /// - All `_ms` columns are Unix milliseconds. The `seq`s of a thread are shared by `messages` and `events`.
    /// - `threads.head_seq` is the highest seq that the log is known to have used, `head_n` the number of messages,
    ///   `head_ms` the date of the newest event; `epoch` is `NULL` until there is an event.
    /// - `n` of a row is the number of the thread's messages up to and including that row.
    /// - `members.read_n` is the number of messages up to `read_seq`. It is `NULL` if `read_seq` was ahead of
    ///   `head_seq` when it was set, so that the number is not known yet.
    /// - `events.log_seq` is the seq that the log assigned, `seq` the one in this store.
    /// - Authors need not be users: guests of the line listener have no account.
    /// - Texts are compared byte by byte (collation "C"), regardless of the locale of the database.
    /// - `messages` and `events` have no foreign key to `threads`: their writer locks the row of their thread, and a
    ///   check for each row would cost as much as the row.
    static let foundation = Migration(
        number: 1, name: "foundation", oldestNode: 1,
        statements: [
            """
            CREATE TABLE users (
                id text COLLATE "C" PRIMARY KEY,
                name text COLLATE "C" NOT NULL UNIQUE,
                password_hash text COLLATE "C",
                created_ms bigint NOT NULL
            )
            """,
            """
            CREATE TABLE sessions (
                token_hash text COLLATE "C" PRIMARY KEY,
                user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                expires_ms bigint NOT NULL
            )
            """,
            "CREATE INDEX sessions_by_user ON sessions (user_id)",
            "CREATE INDEX sessions_by_expiry ON sessions (expires_ms)",
            // Free space in each page, so that updates of heads and cursors need no new index entries.
            """
            CREATE TABLE threads (
                id text COLLATE "C" PRIMARY KEY,
                kind text COLLATE "C" NOT NULL CHECK (kind IN ('room', 'direct')),
                title text COLLATE "C" UNIQUE,
                first_user_id text COLLATE "C" REFERENCES users (id),
                second_user_id text COLLATE "C" REFERENCES users (id),
                epoch text COLLATE "C",
                head_seq bigint NOT NULL DEFAULT 0,
                head_n bigint NOT NULL DEFAULT 0,
                head_ms bigint NOT NULL DEFAULT 0,
                last_message_seq bigint,
                created_ms bigint NOT NULL,
                CHECK ((kind = 'room') = (title IS NOT NULL)),
                CHECK ((kind = 'direct') = (first_user_id IS NOT NULL AND second_user_id IS NOT NULL))
            ) WITH (fillfactor = 80)
            """,
            "CREATE INDEX threads_by_first_user ON threads (first_user_id) WHERE first_user_id IS NOT NULL",
            "CREATE INDEX threads_by_second_user ON threads (second_user_id) WHERE second_user_id IS NOT NULL",
            """
            CREATE TABLE members (
                thread_id text COLLATE "C" NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
                user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                role text COLLATE "C" NOT NULL CHECK (role IN ('owner', 'moderator', 'member', 'read_only')),
                read_seq bigint NOT NULL,
                read_n bigint,
                joined_ms bigint NOT NULL,
                PRIMARY KEY (thread_id, user_id)
            ) WITH (fillfactor = 80)
            """,
            "CREATE INDEX members_by_user ON members (user_id)",
            """
            CREATE TABLE messages (
                thread_id text COLLATE "C" NOT NULL,
                seq bigint NOT NULL CHECK (seq > 0),
                id text COLLATE "C" NOT NULL,
                epoch text COLLATE "C" NOT NULL,
                date_ms bigint NOT NULL,
                n bigint NOT NULL,
                sender_id text COLLATE "C" NOT NULL,
                sender_name text COLLATE "C" NOT NULL,
                client_id text COLLATE "C",
                text text COLLATE "C" NOT NULL,
                PRIMARY KEY (thread_id, seq)
            )
            """,
            "CREATE UNIQUE INDEX messages_by_id ON messages (thread_id, id)",
            """
            CREATE UNIQUE INDEX messages_by_client_id ON messages (sender_id, client_id)
            WHERE client_id IS NOT NULL
            """,
            "CREATE INDEX messages_by_date ON messages (thread_id, date_ms, seq)",
            """
            CREATE TABLE events (
                thread_id text COLLATE "C" NOT NULL,
                seq bigint NOT NULL CHECK (seq > 0),
                log_seq bigint NOT NULL,
                epoch text COLLATE "C" NOT NULL,
                date_ms bigint NOT NULL,
                n bigint NOT NULL,
                kind text COLLATE "C" NOT NULL,
                user_id text COLLATE "C" NOT NULL,
                user_name text COLLATE "C" NOT NULL,
                PRIMARY KEY (thread_id, seq)
            )
            """,
            """
            CREATE TABLE ingest_checkpoints (
                partition bigint PRIMARY KEY,
                incarnation text COLLATE "C" NOT NULL,
                stream_offset text COLLATE "C" NOT NULL
            )
            """,
            """
            CREATE TABLE ingest_rejects (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                partition bigint NOT NULL,
                incarnation text COLLATE "C" NOT NULL,
                stream_offset text COLLATE "C" NOT NULL,
                reason text COLLATE "C" NOT NULL,
                bytes bytea NOT NULL,
                rejected_ms bigint NOT NULL,
                UNIQUE (partition, incarnation, stream_offset)
            )
            """,
        ])
}
