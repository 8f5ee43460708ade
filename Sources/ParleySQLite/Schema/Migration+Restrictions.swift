extension Migration {
    /// What outlasts a membership (`Restrictions`).
    ///
    /// - A user has rows only in threads they are not a member of. Triggers see to that, whatever writes `members`: the
    ///   end of a membership as `read_only` adds a row, a new membership deletes all, and so does an erasure.
    /// - `since_ms` is in Unix milliseconds.
    static let restrictions = Migration(
        number: 12, name: "restrictions",
        sql: """
            CREATE TABLE restrictions (
                thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
                user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                kind TEXT NOT NULL CHECK (kind IN ('removed', 'read_only')),
                since_ms INTEGER NOT NULL,
                PRIMARY KEY (thread_id, user_id, kind)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX restrictions_by_user ON restrictions (user_id);

            CREATE TRIGGER members_delete_keeps_restriction AFTER DELETE ON members
            WHEN old.role = 'read_only' BEGIN
                INSERT INTO restrictions (thread_id, user_id, kind, since_ms)
                SELECT threads.id, users.id, 'read_only', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
                FROM threads, users
                WHERE threads.id = old.thread_id AND users.id = old.user_id AND users.erased_ms IS NULL
                ON CONFLICT DO NOTHING;
            END;
            CREATE TRIGGER members_insert_ends_restrictions AFTER INSERT ON members BEGIN
                DELETE FROM restrictions WHERE thread_id = new.thread_id AND user_id = new.user_id;
            END;
            CREATE TRIGGER users_erase_restrictions AFTER UPDATE OF erased_ms ON users
            WHEN old.erased_ms IS NULL AND new.erased_ms IS NOT NULL BEGIN
                DELETE FROM restrictions WHERE user_id = new.id;
            END;
            """)
}
