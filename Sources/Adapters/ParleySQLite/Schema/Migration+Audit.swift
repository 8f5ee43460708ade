extension Migration {
    /// The audit log, one row for each `AuditNote`.
    ///
    /// - `actor_id` is the ID of a user or the name of an API key, depending on `actor_kind`; `NULL` for `command`.
    /// - The IDs refer to no rows: they stay when a thread is deleted or a user erased. An erasure removes the reasons of
    ///   the rows about the user.
    /// - `stamp`: the place of the row in the stream of stored events, set by a trigger: the time in microseconds, raised if it
    ///   is not above the last stamp.
    /// - `audit_head` has one row: the last stamp, and the greatest one of a row that has expired.
    static let audit = """
        CREATE TABLE audit (
            id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
            at_ms INTEGER NOT NULL,
            actor_kind TEXT NOT NULL CHECK (actor_kind IN ('user', 'operator', 'key', 'command')),
            actor_id TEXT,
            action TEXT NOT NULL,
            thread_id TEXT,
            user_id TEXT,
            reason TEXT,
            before_json TEXT,
            after_json TEXT,
            stamp INTEGER,
            CHECK ((actor_kind = 'command') = (actor_id IS NULL))
        ) STRICT;
        CREATE INDEX audit_by_thread ON audit (thread_id, id) WHERE thread_id IS NOT NULL;
        CREATE INDEX audit_by_user ON audit (user_id, id) WHERE user_id IS NOT NULL;
        CREATE INDEX audit_by_actor ON audit (actor_id, id) WHERE actor_id IS NOT NULL;
        CREATE INDEX audit_by_time ON audit (at_ms);
        CREATE UNIQUE INDEX audit_by_stamp ON audit (stamp);

        CREATE TABLE audit_head (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 0),
            stamp INTEGER NOT NULL,
            expired INTEGER NOT NULL
        ) STRICT;
        INSERT INTO audit_head (id, stamp, expired) VALUES (0, 0, 0);
        CREATE TRIGGER audit_insert_stamps AFTER INSERT ON audit BEGIN
            UPDATE audit_head SET stamp = max(new.at_ms * 1000, stamp + 1) WHERE id = 0;
            UPDATE audit SET stamp = (SELECT stamp FROM audit_head WHERE id = 0) WHERE id = new.id;
        END;
        CREATE TRIGGER audit_delete_notes AFTER DELETE ON audit BEGIN
            UPDATE audit_head SET expired = max(expired, old.stamp) WHERE id = 0;
        END;

        """
}
