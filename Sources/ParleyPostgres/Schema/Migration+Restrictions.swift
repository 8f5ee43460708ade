extension Migration {
    /// What outlasts a membership (`Restrictions`).
    ///
    /// - A user has rows only in threads they are not a member of. Triggers see to that, whatever writes `members`: the
    ///   end of a membership as `read_only` adds a row, a new membership deletes all, and so does an erasure.
    /// - Nodes of an older version let those who were removed join; whoever leaves as `read_only` is restricted all the
    ///   same.
    /// - `since_ms` is the node's time, or the database's for a row that a trigger adds.
    static let restrictions = Migration(
        number: 13, name: "restrictions", oldestNode: 4,
        statements: [
            """
            CREATE TABLE restrictions (
                thread_id text COLLATE "C" NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
                user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
                kind text COLLATE "C" NOT NULL CHECK (kind IN ('removed', 'read_only')),
                since_ms bigint NOT NULL,
                PRIMARY KEY (thread_id, user_id, kind)
            )
            """,
            "CREATE INDEX restrictions_by_user ON restrictions (user_id)",
            """
            CREATE FUNCTION keep_restriction() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                -- Neither a deleted thread nor an erased user keeps any.
                INSERT INTO restrictions (thread_id, user_id, kind, since_ms)
                SELECT threads.id, users.id, 'read_only', (extract(epoch FROM clock_timestamp()) * 1000)::bigint
                FROM threads, users
                WHERE threads.id = OLD.thread_id AND users.id = OLD.user_id AND users.erased_ms IS NULL
                ON CONFLICT DO NOTHING;
                RETURN NULL;
            END $$
            """,
            """
            CREATE TRIGGER members_delete_keeps_restriction AFTER DELETE ON members
            FOR EACH ROW WHEN (OLD.role = 'read_only') EXECUTE FUNCTION keep_restriction()
            """,
            """
            CREATE FUNCTION end_restrictions() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF TG_TABLE_NAME = 'users' THEN
                    DELETE FROM restrictions WHERE user_id = NEW.id;
                ELSE
                    DELETE FROM restrictions WHERE thread_id = NEW.thread_id AND user_id = NEW.user_id;
                END IF;
                RETURN NULL;
            END $$
            """,
            """
            CREATE TRIGGER members_insert_ends_restrictions AFTER INSERT ON members
            FOR EACH ROW EXECUTE FUNCTION end_restrictions()
            """,
            """
            CREATE TRIGGER users_erase_restrictions AFTER UPDATE OF erased_ms ON users
            FOR EACH ROW WHEN (OLD.erased_ms IS NULL AND NEW.erased_ms IS NOT NULL)
            EXECUTE FUNCTION end_restrictions()
            """,
        ])
}
