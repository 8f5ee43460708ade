extension Migration {
    /// What commits together with a change of state: the outbox, and the versions of those concerned.
    ///
    /// - `outbox`: `OutboxEntry`, an entry a row; `kind` and `payload` are those of `OutboxEntry.Content.stored`.
    ///   The ids of a thread rise in the order of the commits, since who writes one holds `Locks.stateOfThread`.
    /// - `versions`: `u:` and a user's id, or `k:` and the hash of an API key. `changed` is the transaction that raised
    ///   it last, of the change feed (`FeedQueries`). Values of another server, in a restored copy, do no harm: they
    ///   are never in the feed's range, or tell of a change once more.
    /// - `raised_versions` gathers whose versions a transaction raises; `apply_raised_versions` raises them when it
    ///   commits, in the order of the subjects and after everything else. So a transaction that holds a row of
    ///   `versions` waits for nothing but rows further on, and no two transactions wait for each other because of
    ///   versions, whatever else they do in whatever order. It is empty outside of transactions, so it needs no log.
    /// - Triggers raise versions, so that whatever is written counts, by old versions of Parley too. Updates of
    ///   `members` are seen only if they set `role`: nothing happens for a read cursor, not even the call of a trigger.
    /// - `users.credentials_version` rises with each new password and with erasure, whoever writes them.
    /// - `deleted_epochs`: of threads that were deleted; no event of these epochs is stored again. `''`: of the thread
    ///   nothing was stored. An epoch that the log began and nobody stored comes with `Outbox.completeForgotten`.
    /// - `cleanups`: users and threads whose erasure or deletion is committed, and of which rows have still to go, a
    ///   bounded number in each transaction. Whoever works on one keeps `due_ms` ahead of the server's clock. A thread is
    ///   made again under its id only when few rows are left, and begins without them (`forget_remains`).
    /// - Dates of `outbox` and `cleanups` are of the server's clock, `0` in the outbox: nobody but persisters relays it.
    static let state = Migration(
        number: 5, name: "state changes", oldestNode: 4,
        statements: [
            // In the order of the writer of batches, which takes threads first.
            "LOCK TABLE threads, users, members, sessions, api_keys IN ACCESS EXCLUSIVE MODE",
            "ALTER TABLE users ADD COLUMN credentials_version bigint NOT NULL DEFAULT 0",
            """
            CREATE TABLE outbox (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                thread_id text COLLATE "C" NOT NULL,
                kind text COLLATE "C" NOT NULL,
                payload text COLLATE "C" NOT NULL,
                created_ms bigint NOT NULL
            )
            """,
            "CREATE INDEX outbox_by_thread ON outbox (thread_id, id)",
            """
            CREATE TABLE versions (
                subject text COLLATE "C" PRIMARY KEY,
                version bigint NOT NULL,
                changed xid8 NOT NULL
            )
            """,
            "CREATE INDEX versions_by_change ON versions (changed, subject)",
            // `is_first` marks one row of each statement, so that a statement of many rows costs one trigger's call.
            """
            CREATE UNLOGGED TABLE raised_versions (
                changed xid8 NOT NULL,
                subject text COLLATE "C" NOT NULL,
                is_first boolean NOT NULL,
                PRIMARY KEY (changed, subject)
            )
            """,
            """
            CREATE TABLE deleted_epochs (
                thread_id text COLLATE "C" NOT NULL,
                epoch text COLLATE "C" NOT NULL,
                deleted_ms bigint NOT NULL,
                PRIMARY KEY (thread_id, epoch)
            )
            """,
            """
            CREATE TABLE cleanups (
                kind text COLLATE "C" NOT NULL CHECK (kind IN ('user', 'thread')),
                id text COLLATE "C" NOT NULL,
                due_ms bigint NOT NULL,
                PRIMARY KEY (kind, id)
            )
            """,
        ] + functions + triggers)

    // MARK: Functions

    private static func function(_ name: String, _ body: String) -> String {
        """
        CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        BEGIN
            \(body)
        END $$
        """
    }

    /// For a trigger with the rows of a statement.
    private static func raise(_ subject: String) -> String {
        """
        INSERT INTO raised_versions (changed, subject, is_first)
        SELECT pg_current_xact_id(), subject, row_number() OVER () = 1
        FROM (SELECT DISTINCT \(subject) AS subject FROM changed_rows) AS subjects
        ON CONFLICT DO NOTHING;
        RETURN NULL;
        """
    }

    private static func raiseRow(_ subject: String) -> String {
        """
        INSERT INTO raised_versions (changed, subject, is_first) VALUES (pg_current_xact_id(), \(subject), true)
        ON CONFLICT DO NOTHING;
        RETURN NULL;
        """
    }

    private static let functions = [
        function(
            "apply_raised_versions",
            """
            WITH raised AS (DELETE FROM raised_versions WHERE changed = pg_current_xact_id() RETURNING subject)
            INSERT INTO versions (subject, version, changed)
            SELECT subject, 1, pg_current_xact_id() FROM raised ORDER BY subject
            ON CONFLICT (subject) DO UPDATE SET version = versions.version + 1, changed = excluded.changed;
            RETURN NULL;
            """),
        function("raise_users_of_rows", raise("'u:' || user_id")),
        function("raise_keys_of_rows", raise("'k:' || hash")),
        function("raise_member", raiseRow("'u:' || NEW.user_id")),
        function("raise_user", raiseRow("'u:' || NEW.id")),
        function(
            "void_credentials",
            """
            IF NEW.credentials_version = OLD.credentials_version THEN
                NEW.credentials_version := OLD.credentials_version + 1;
            END IF;
            RETURN NEW;
            """),
        function(
            "forget_remains",
            """
            PERFORM FROM cleanups WHERE kind = 'thread' AND id = NEW.id FOR UPDATE;
            IF FOUND THEN
                DELETE FROM messages WHERE thread_id = NEW.id AND seq = ANY (ARRAY(
                    SELECT seq FROM messages WHERE thread_id = NEW.id ORDER BY seq LIMIT 2000));
                DELETE FROM events WHERE thread_id = NEW.id AND seq = ANY (ARRAY(
                    SELECT seq FROM events WHERE thread_id = NEW.id ORDER BY seq LIMIT 2000));
                DELETE FROM reactions WHERE ctid = ANY (ARRAY(
                    SELECT ctid FROM reactions WHERE thread_id = NEW.id LIMIT 2000));
                IF EXISTS (SELECT FROM messages WHERE thread_id = NEW.id)
                    OR EXISTS (SELECT FROM events WHERE thread_id = NEW.id)
                    OR EXISTS (SELECT FROM reactions WHERE thread_id = NEW.id)
                THEN
                    RAISE EXCEPTION 'rows of a deleted thread of this id are still there' USING ERRCODE = '55P03';
                END IF;
                DELETE FROM cleanups WHERE kind = 'thread' AND id = NEW.id;
            END IF;
            RETURN NEW;
            """),
    ]

    // MARK: Triggers

    private static let triggers = [
        """
        CREATE CONSTRAINT TRIGGER raised_versions_apply AFTER INSERT ON raised_versions
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.is_first) EXECUTE FUNCTION apply_raised_versions()
        """,
        """
        CREATE TRIGGER members_insert_raises AFTER INSERT ON members REFERENCING NEW TABLE AS changed_rows
        FOR EACH STATEMENT EXECUTE FUNCTION raise_users_of_rows()
        """,
        """
        CREATE TRIGGER members_delete_raises AFTER DELETE ON members REFERENCING OLD TABLE AS changed_rows
        FOR EACH STATEMENT EXECUTE FUNCTION raise_users_of_rows()
        """,
        """
        CREATE TRIGGER members_role_raises AFTER UPDATE OF role ON members
        FOR EACH ROW WHEN (OLD.role <> NEW.role) EXECUTE FUNCTION raise_member()
        """,
        """
        CREATE TRIGGER sessions_delete_raises AFTER DELETE ON sessions REFERENCING OLD TABLE AS changed_rows
        FOR EACH STATEMENT EXECUTE FUNCTION raise_users_of_rows()
        """,
        """
        CREATE TRIGGER users_void_credentials BEFORE UPDATE OF password_hash, erased_ms ON users
        FOR EACH ROW WHEN (
            OLD.password_hash IS DISTINCT FROM NEW.password_hash OR OLD.erased_ms IS DISTINCT FROM NEW.erased_ms)
        EXECUTE FUNCTION void_credentials()
        """,
        """
        CREATE TRIGGER users_raise AFTER UPDATE OF name, password_hash, erased_ms, credentials_version ON users
        FOR EACH ROW WHEN (
            OLD.name <> NEW.name OR OLD.password_hash IS DISTINCT FROM NEW.password_hash
            OR OLD.erased_ms IS DISTINCT FROM NEW.erased_ms OR OLD.credentials_version <> NEW.credentials_version)
        EXECUTE FUNCTION raise_user()
        """,
        """
        CREATE TRIGGER api_keys_insert_raises AFTER INSERT ON api_keys REFERENCING NEW TABLE AS changed_rows
        FOR EACH STATEMENT EXECUTE FUNCTION raise_keys_of_rows()
        """,
        """
        CREATE TRIGGER api_keys_delete_raises AFTER DELETE ON api_keys REFERENCING OLD TABLE AS changed_rows
        FOR EACH STATEMENT EXECUTE FUNCTION raise_keys_of_rows()
        """,
        """
        CREATE TRIGGER threads_forget_remains BEFORE INSERT ON threads
        FOR EACH ROW EXECUTE FUNCTION forget_remains()
        """,
    ]
}
