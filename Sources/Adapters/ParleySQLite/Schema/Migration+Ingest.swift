extension Migration {
    /// The stored position in each partition of the ingest stream, the entries that could not be stored, and the
    /// progress of the log's hosts (`LogHistory.progress(ofHost:)`).
    ///
    /// - `ingest_rejects`: includes the user and the message of an entry, so that its text is removed together with the
    ///   user, the message or the thread.
    /// - `event_batches`: the events that each transaction has stored, for readers of the whole log (`EventFeed`). `runs` has
    ///   places of `messages` and `events` (`EventRun`), and no content. `stamp` is the time in microseconds, raised if it
    ///   is not above the last stamp. Since SQLite has one writer, all batches are in lane 0.
    /// - `event_groups`: the places of groups of readers (`EventGroups`).
    static let ingest = """
        CREATE TABLE log_hosts (host INTEGER NOT NULL PRIMARY KEY, progress INTEGER NOT NULL) STRICT;

        CREATE TABLE ingest_checkpoints (
            partition INTEGER NOT NULL PRIMARY KEY,
            incarnation TEXT NOT NULL,
            stream_offset TEXT NOT NULL
        ) STRICT;

        CREATE TABLE event_batches (stamp INTEGER NOT NULL PRIMARY KEY, runs TEXT NOT NULL) STRICT;

        CREATE TABLE event_groups (
            name TEXT NOT NULL PRIMARY KEY,
            place TEXT NOT NULL,
            reader TEXT NOT NULL,
            token TEXT NOT NULL,
            until_ms INTEGER NOT NULL,
            acknowledged_ms INTEGER
        ) STRICT;

        CREATE TABLE ingest_rejects (
            id INTEGER PRIMARY KEY,
            partition INTEGER NOT NULL,
            incarnation TEXT NOT NULL,
            stream_offset TEXT NOT NULL,
            reason TEXT NOT NULL,
            bytes BLOB NOT NULL,
            rejected_ms INTEGER NOT NULL,
            thread_id TEXT,
            user_id TEXT,
            message_id TEXT,
            UNIQUE (partition, incarnation, stream_offset)
        ) STRICT;
        CREATE INDEX ingest_rejects_by_message ON ingest_rejects (thread_id, message_id);
        CREATE INDEX ingest_rejects_by_user ON ingest_rejects (user_id);
        CREATE TRIGGER users_redact_rejects AFTER UPDATE OF erased_ms ON users WHEN new.erased_ms IS NOT NULL BEGIN
            UPDATE ingest_rejects SET bytes = x'' WHERE user_id = new.id;
        END;
        CREATE TRIGGER threads_redact_rejects AFTER DELETE ON threads BEGIN
            UPDATE ingest_rejects SET bytes = x'' WHERE thread_id = old.id;
        END;

        """
}
