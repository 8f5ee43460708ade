extension Migration {
    /// The stored position in each partition of the ingest stream, the entries that could not be stored, and the
    /// progress of the log's hosts (`LogHistory.progress(ofHost:)`).
    ///
    /// - `ingest_rejects`: includes the user and the message of an entry, so that its text is removed together with the
    ///   user, the message or the thread.
    /// - `event_batches`: the events that each transaction has stored, for readers of the whole log (`EventFeed`). `runs` has
    ///   places of `messages` and `events` (`EventRun`), and no content. `stamp` is the server's time in microseconds,
    ///   raised if a stamp of any lane is not below it. A writer holds the lock of its lane until it has committed, so
    ///   stamps of a lane become visible in ascending order.
    /// - `event_groups`: the places of groups of readers (`EventGroups`).
    static let ingest = [
        "CREATE TABLE log_hosts (host bigint PRIMARY KEY, progress bigint NOT NULL)",
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
            thread_id text COLLATE "C",
            user_id text COLLATE "C",
            message_id text COLLATE "C",
            UNIQUE (partition, incarnation, stream_offset)
        )
        """,
        """
        CREATE TABLE event_batches (
            lane bigint NOT NULL,
            stamp bigint NOT NULL,
            runs text COLLATE "C" NOT NULL,
            PRIMARY KEY (lane, stamp)
        )
        """,
        """
        CREATE TABLE event_groups (
            name text COLLATE "C" PRIMARY KEY,
            place text COLLATE "C" NOT NULL,
            reader text COLLATE "C" NOT NULL,
            token text COLLATE "C" NOT NULL,
            until_ms bigint NOT NULL,
            acknowledged_ms bigint
        )
        """,
        "CREATE INDEX ingest_rejects_by_message ON ingest_rejects (thread_id, message_id)",
        "CREATE INDEX ingest_rejects_by_user ON ingest_rejects (user_id)",
        """
        CREATE FUNCTION redact_rejects_of_user() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        BEGIN
            UPDATE ingest_rejects SET bytes = '' WHERE user_id = NEW.id;
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER users_redact_rejects AFTER UPDATE OF erased_ms ON users FOR EACH ROW
        WHEN (NEW.erased_ms IS NOT NULL) EXECUTE FUNCTION redact_rejects_of_user()
        """,
        """
        CREATE FUNCTION redact_rejects_of_thread() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        BEGIN
            UPDATE ingest_rejects SET bytes = '' WHERE thread_id = OLD.id;
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER threads_redact_rejects AFTER DELETE ON threads
        FOR EACH ROW EXECUTE FUNCTION redact_rejects_of_thread()
        """,
    ]
}
