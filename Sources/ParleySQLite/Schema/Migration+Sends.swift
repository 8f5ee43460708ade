extension Migration {
    /// The meaning of a `client_id` that was used twice or whose message is gone.
    ///
    /// - `messages.client_id` is that of the first use, and unique. A later use by another message, which was accepted
    ///   while the database could not be queried, is in `later_client_id` and indexed by `later_sends`.
    /// - `messages.content_digest`: a digest of the content of a message with a `client_id` whose text is gone; see
    ///   `ContentKey`.
    /// - `repeats`: seqs that the log has used for content already stored at `first_seq` (`NULL` for an outbox event).
    ///   With `messages` and `events` they account for every seq that was stored.
    /// - `members.read_ms`, `read_back_ms`: when the latest mark was made, and the latest one that moved the cursor
    ///   back, in Unix milliseconds; `NULL` if unknown.
    /// - `ingest_rejects`: the user and the message of a rejected entry, so that its text is removed with that of the
    ///   user, the message or the thread.
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
