extension Migration {
    /// Records that commit together with a change of state: the outbox, and the versions of the affected users and
    /// keys.
    ///
    /// - `outbox`: one `OutboxEntry` per row, with `kind` and `payload` from `OutboxEntry.Content.stored`. The IDs of a
    ///   thread's entries rise in commit order, since their writer holds `Locks.stateOfThread`.
    /// - `versions`: keyed by `u:` and the ID of a user, by `i:` and `e:` as in `ChangePage`, by `p:` and the ID of a user for
    ///   their name and profile, by `k:` and the hash of an API key, or by `t:` and the ID of a room for its details. `changed` is the
    ///   transaction that last raised the version, for the change feed (`FeedQueries`). In a restored copy, the
    ///   transaction IDs of the other server are harmless: they are outside the feed's range, or report a change once
    ///   more.
    /// - `raised_versions` collects the versions that a transaction raises. `apply_raised_versions` raises them at
    ///   commit, after everything else and in the order of the subjects. A transaction that holds a row of `versions`
    ///   thus only waits for later rows, so versions cannot cause a deadlock, regardless of what else the transactions
    ///   do and in which order. The table is empty outside transactions, so it is unlogged.
    /// - Triggers raise the versions, so that every write counts, including writes by other programs. Updates of
    ///   `members` only fire them if they set `role` or `visible_from`; moving a read cursor does not call a trigger.
    /// - `deleted_epochs`: the epochs of deleted threads; no event of these epochs is stored again. `''` means that
    ///   nothing of the thread was stored. `Outbox.completeForgotten` adds epochs that the log began but that were
    ///   never stored.
    /// - `cleanups`: users whose erasure and threads whose deletion is committed, but whose rows remain. Each
    ///   transaction removes a limited number of these rows. The worker keeps `due_ms` ahead of the server's clock. A
    ///   thread can only be created again under the same ID when few rows are left, and begins without them
    ///   (`forget_remains`).
    /// - Dates in `outbox` and `cleanups` come from the server's clock. A date of `0` in the outbox marks an entry that
    ///   only persisters relay.
    static let stateChanges = stateTables + versionFunctions + versionTriggers

    private static let stateTables = [
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
        // `is_first` marks one row per statement, so that a statement that raises many rows only calls the trigger
        // once.
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
    ]

    // MARK: Functions

    private static func function(_ name: String, _ body: String) -> String {
        """
        CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        BEGIN
            \(body)
        END $$
        """
    }

    /// The body of a statement-level trigger.
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

    private static let versionFunctions = [
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
        function("raise_users_of_blocks", raise("'u:' || unnest(ARRAY[user_id, blocked_id])")),
        function("raise_room", raiseRow("'t:' || NEW.id")),
        function("raise_member", raiseRow("'u:' || NEW.user_id")),
        function("raise_user", raiseRow("'u:' || NEW.id")),
        function("raise_profile", raiseRow("'p:' || NEW.id")),
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

    private static let versionTriggers = [
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
        CREATE TRIGGER members_start_raises AFTER UPDATE OF visible_from ON members
        FOR EACH ROW WHEN (OLD.visible_from <> NEW.visible_from) EXECUTE FUNCTION raise_member()
        """,
        """
        CREATE TRIGGER sanctions_write_raises AFTER INSERT OR UPDATE ON sanctions
        FOR EACH ROW EXECUTE FUNCTION raise_member()
        """,
        """
        CREATE TRIGGER sanctions_delete_raises AFTER DELETE ON sanctions REFERENCING OLD TABLE AS changed_rows
        FOR EACH STATEMENT EXECUTE FUNCTION raise_users_of_rows()
        """,
        """
        CREATE TRIGGER blocks_insert_raises AFTER INSERT ON blocks REFERENCING NEW TABLE AS changed_rows
        FOR EACH STATEMENT EXECUTE FUNCTION raise_users_of_blocks()
        """,
        """
        CREATE TRIGGER blocks_delete_raises AFTER DELETE ON blocks REFERENCING OLD TABLE AS changed_rows
        FOR EACH STATEMENT EXECUTE FUNCTION raise_users_of_blocks()
        """,
        """
        CREATE TRIGGER threads_details_raise AFTER UPDATE OF options, description, rules ON threads
        FOR EACH ROW WHEN (
            OLD.options IS DISTINCT FROM NEW.options OR OLD.description IS DISTINCT FROM NEW.description
            OR OLD.rules IS DISTINCT FROM NEW.rules)
        EXECUTE FUNCTION raise_room()
        """,
        """
        CREATE TRIGGER sessions_delete_raises AFTER DELETE ON sessions REFERENCING OLD TABLE AS changed_rows
        FOR EACH STATEMENT EXECUTE FUNCTION raise_users_of_rows()
        """,
        """
        CREATE TRIGGER users_raise AFTER UPDATE OF name, password_hash, erased_ms, credentials_version ON users
        FOR EACH ROW WHEN (
            OLD.name <> NEW.name OR OLD.password_hash IS DISTINCT FROM NEW.password_hash
            OR OLD.erased_ms IS DISTINCT FROM NEW.erased_ms OR OLD.credentials_version <> NEW.credentials_version)
        EXECUTE FUNCTION raise_user()
        """,
        """
        CREATE TRIGGER users_profile_raises AFTER UPDATE OF name, display_name, avatar_url ON users
        FOR EACH ROW WHEN (
            NEW.erased_ms IS NULL AND (OLD.name <> NEW.name OR OLD.display_name IS DISTINCT FROM NEW.display_name
                OR OLD.avatar_url IS DISTINCT FROM NEW.avatar_url))
        EXECUTE FUNCTION raise_profile()
        """,
        """
        CREATE TRIGGER users_operator_raises AFTER UPDATE OF operator_ms ON users
        FOR EACH ROW WHEN (OLD.operator_ms IS DISTINCT FROM NEW.operator_ms) EXECUTE FUNCTION raise_user()
        """,
        """
        CREATE TRIGGER users_suspension_raises AFTER UPDATE OF suspended_ms, suspended_until_ms, suspension_reason ON users
        FOR EACH ROW WHEN (
            OLD.suspended_ms IS DISTINCT FROM NEW.suspended_ms
            OR OLD.suspended_until_ms IS DISTINCT FROM NEW.suspended_until_ms
            OR OLD.suspension_reason IS DISTINCT FROM NEW.suspension_reason)
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
