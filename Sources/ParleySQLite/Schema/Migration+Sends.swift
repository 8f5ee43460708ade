extension Migration {
    /// What a `client_id` stands for once it has been used twice, or its message is gone.
    ///
    /// - `messages.client_id` is that of the first use, and unique. A later use by another message, which was let through
    ///   while nobody could ask the database, has it in `later_client_id` and is found by `later_sends`.
    /// - `messages.content_digest`: what a message with a `client_id` said, once its text is gone; see `ContentKey`.
    /// - `repeats`: seqs that the log has used for what was there already, under `first_seq` (`NULL`: an event of the outbox).
    ///   With `messages` and `events` they account for every seq that was stored.
    /// - `members.read_ms`, `read_back_ms`: when the latest mark was made, and the latest that moved the cursor
    ///   back, Unix milliseconds; `NULL` if it is not known.
    /// - `ingest_rejects`: whose and of which message a reject is, so that its text goes with the user's, the message's and
    ///   the thread's.
    static let sends = Migration(
        number: 6, name: "sends",
        sql: """
            ALTER TABLE messages ADD COLUMN later_client_id TEXT;
            ALTER TABLE messages ADD COLUMN content_digest BLOB;
            ALTER TABLE members ADD COLUMN read_ms INTEGER;
            ALTER TABLE members ADD COLUMN read_back_ms INTEGER;
            ALTER TABLE ingest_rejects ADD COLUMN thread_id TEXT;
            ALTER TABLE ingest_rejects ADD COLUMN user_id TEXT;
            ALTER TABLE ingest_rejects ADD COLUMN message_id TEXT;
            CREATE INDEX ingest_rejects_by_message ON ingest_rejects (thread_id, message_id);
            CREATE INDEX ingest_rejects_by_user ON ingest_rejects (user_id);

            CREATE TABLE later_sends (
                sender_id TEXT NOT NULL,
                client_id TEXT NOT NULL,
                thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
                seq INTEGER NOT NULL,
                PRIMARY KEY (sender_id, client_id, thread_id, seq)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX later_sends_by_thread ON later_sends (thread_id, seq);

            CREATE TABLE repeats (
                thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
                seq INTEGER NOT NULL CHECK (seq > 0),
                epoch TEXT NOT NULL,
                message_id TEXT,
                first_seq INTEGER,
                PRIMARY KEY (thread_id, seq)
            ) STRICT, WITHOUT ROWID;

            CREATE TRIGGER users_redact_rejects AFTER UPDATE OF erased_ms ON users WHEN new.erased_ms IS NOT NULL BEGIN
                UPDATE ingest_rejects SET bytes = x'' WHERE user_id = new.id;
            END;
            CREATE TRIGGER threads_redact_rejects AFTER DELETE ON threads BEGIN
                UPDATE ingest_rejects SET bytes = x'' WHERE thread_id = old.id;
            END;
            """)
}
