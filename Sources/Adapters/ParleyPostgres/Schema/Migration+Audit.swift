extension Migration {
    /// The audit log, one row for each `AuditNote`.
    ///
    /// - `actor_id` is the ID of a user or the name of an API key, depending on `actor_kind`; `NULL` for `command`.
    /// - The IDs refer to no rows: they stay when a thread is deleted or a user erased. An erasure removes the reasons of
    ///   the rows about the user.
    /// - `stamp`: the place of the row in the stream of stored events: the server's time in microseconds, raised if it is not
    ///   above the last stamp. It is `NULL` until the commit, and 0 while the commit waits for `audit_head`.
    /// - `audit_head` has one row: the last stamp, and the greatest one of a row that has expired.
    ///
    /// The lock of `audit_head` is held from the assignment of stamps until the commit, so stamps become visible in ascending
    /// order. The first trigger only leads to the second one, which runs after all other triggers of the commit: the lock is the
    /// last one that a transaction takes, so it can be part of no deadlock, and is held for the commit alone.
    static let audit = [
        """
        CREATE TABLE audit (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            at_ms bigint NOT NULL,
            actor_kind text COLLATE "C" NOT NULL CHECK (actor_kind IN ('user', 'operator', 'key', 'command')),
            actor_id text COLLATE "C",
            action text COLLATE "C" NOT NULL,
            thread_id text COLLATE "C",
            user_id text COLLATE "C",
            reason text COLLATE "C",
            before_json text COLLATE "C",
            after_json text COLLATE "C",
            stamp bigint,
            CHECK ((actor_kind = 'command') = (actor_id IS NULL))
        )
        """,
        "CREATE INDEX audit_by_thread ON audit (thread_id, id) WHERE thread_id IS NOT NULL",
        "CREATE INDEX audit_by_user ON audit (user_id, id) WHERE user_id IS NOT NULL",
        "CREATE INDEX audit_by_actor ON audit (actor_id, id) WHERE actor_id IS NOT NULL",
        "CREATE INDEX audit_by_time ON audit (at_ms)",
        "CREATE INDEX audit_by_stamp ON audit (stamp)",
        """
        CREATE TABLE audit_head (
            id bigint PRIMARY KEY CHECK (id = 0),
            stamp bigint NOT NULL,
            expired bigint NOT NULL
        )
        """,
        "INSERT INTO audit_head (id, stamp, expired) VALUES (0, 0, 0)",
        """
        CREATE FUNCTION await_audit_stamp() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        BEGIN
            UPDATE audit SET stamp = 0 WHERE id = NEW.id;
            RETURN NULL;
        END $$
        """,
        """
        CREATE FUNCTION stamp_audit() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        DECLARE
            last bigint;
        BEGIN
            -- Other transactions never leave a row with 0, so these are all rows of this one.
            PERFORM FROM audit WHERE id = NEW.id AND stamp = 0;
            IF NOT FOUND THEN
                RETURN NULL;
            END IF;
            SELECT greatest((extract(epoch FROM clock_timestamp()) * 1000000)::bigint, stamp) INTO last
                FROM audit_head WHERE id = 0 FOR UPDATE;
            WITH rows AS (SELECT id, row_number() OVER (ORDER BY id) AS place FROM audit WHERE stamp = 0)
            UPDATE audit SET stamp = last + rows.place FROM rows WHERE audit.id = rows.id;
            UPDATE audit_head SET stamp = (SELECT max(stamp) FROM audit WHERE stamp > 0) WHERE id = 0;
            RETURN NULL;
        END $$
        """,
        """
        CREATE CONSTRAINT TRIGGER audit_awaits_stamp AFTER INSERT ON audit
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION await_audit_stamp()
        """,
        """
        CREATE CONSTRAINT TRIGGER audit_is_stamped AFTER UPDATE OF stamp ON audit
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.stamp = 0) EXECUTE FUNCTION stamp_audit()
        """,
        """
        CREATE FUNCTION note_expired_audit() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        BEGIN
            UPDATE audit_head SET expired = greatest(expired, (SELECT max(stamp) FROM gone_rows)) WHERE id = 0;
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER audit_delete_notes AFTER DELETE ON audit REFERENCING OLD TABLE AS gone_rows
        FOR EACH STATEMENT EXECUTE FUNCTION note_expired_audit()
        """,
    ]
}
