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
    static let foundation = Migration(
        number: 1, name: "foundation",
        sql: """
            CREATE TABLE users (
                id TEXT NOT NULL PRIMARY KEY,
                name TEXT NOT NULL UNIQUE,
                password_hash TEXT,
                created_ms INTEGER NOT NULL
            ) STRICT;

            CREATE TABLE sessions (
                token_hash TEXT NOT NULL PRIMARY KEY,
                user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                expires_ms INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX sessions_by_user ON sessions (user_id);
            CREATE INDEX sessions_by_expiry ON sessions (expires_ms);

            CREATE TABLE threads (
                id TEXT NOT NULL PRIMARY KEY,
                kind TEXT NOT NULL CHECK (kind IN ('room', 'direct')),
                title TEXT UNIQUE,
                first_user_id TEXT REFERENCES users (id),
                second_user_id TEXT REFERENCES users (id),
                epoch TEXT,
                head_seq INTEGER NOT NULL DEFAULT 0,
                head_n INTEGER NOT NULL DEFAULT 0,
                head_ms INTEGER NOT NULL DEFAULT 0,
                last_message_seq INTEGER,
                created_ms INTEGER NOT NULL,
                CHECK ((kind = 'room') = (title IS NOT NULL)),
                CHECK ((kind = 'direct') = (first_user_id IS NOT NULL AND second_user_id IS NOT NULL))
            ) STRICT;
            CREATE INDEX threads_by_first_user ON threads (first_user_id) WHERE first_user_id IS NOT NULL;
            CREATE INDEX threads_by_second_user ON threads (second_user_id) WHERE second_user_id IS NOT NULL;

            CREATE TABLE members (
                thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
                user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                role TEXT NOT NULL CHECK (role IN ('owner', 'moderator', 'member', 'read_only')),
                read_seq INTEGER NOT NULL,
                read_n INTEGER,
                joined_ms INTEGER NOT NULL,
                PRIMARY KEY (thread_id, user_id)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX members_by_user ON members (user_id);

            CREATE TABLE messages (
                thread_id TEXT NOT NULL REFERENCES threads (id),
                seq INTEGER NOT NULL CHECK (seq > 0),
                id TEXT NOT NULL,
                epoch TEXT NOT NULL,
                date_ms INTEGER NOT NULL,
                n INTEGER NOT NULL,
                sender_id TEXT NOT NULL,
                sender_name TEXT NOT NULL,
                client_id TEXT,
                text TEXT NOT NULL,
                PRIMARY KEY (thread_id, seq)
            ) STRICT;
            CREATE UNIQUE INDEX messages_by_id ON messages (thread_id, id);
            CREATE UNIQUE INDEX messages_by_client_id ON messages (sender_id, client_id) WHERE client_id IS NOT NULL;
            CREATE INDEX messages_by_date ON messages (thread_id, date_ms, seq);

            CREATE TABLE events (
                thread_id TEXT NOT NULL REFERENCES threads (id),
                seq INTEGER NOT NULL CHECK (seq > 0),
                log_seq INTEGER NOT NULL,
                epoch TEXT NOT NULL,
                date_ms INTEGER NOT NULL,
                n INTEGER NOT NULL,
                kind TEXT NOT NULL,
                user_id TEXT NOT NULL,
                user_name TEXT NOT NULL,
                PRIMARY KEY (thread_id, seq)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE ingest_checkpoints (
                partition INTEGER NOT NULL PRIMARY KEY,
                incarnation TEXT NOT NULL,
                stream_offset TEXT NOT NULL
            ) STRICT;

            CREATE TABLE ingest_rejects (
                id INTEGER PRIMARY KEY,
                partition INTEGER NOT NULL,
                incarnation TEXT NOT NULL,
                stream_offset TEXT NOT NULL,
                reason TEXT NOT NULL,
                bytes BLOB NOT NULL,
                rejected_ms INTEGER NOT NULL,
                UNIQUE (partition, incarnation, stream_offset)
            ) STRICT;
            """)
}
