import ParleyModel

extension Migration {
    /// The audit log, one row for each `AuditNote`.
    ///
    /// - `actor_id` is the ID of a user or the name of an API key, depending on `actor_kind`; `NULL` for `command`.
    /// - The IDs refer to no rows: they stay when a thread is deleted or a user erased. An erasure removes the reasons of
    ///   the rows about the user.
    /// - `stamp`: the place of the row in the stream of stored events (`stamps`).
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

        \(stamps(of: "audit", .audit))

        """
}
