extension Migration {
    /// Records that commit together with a change of state: the outbox, and the versions of the affected users and
    /// keys.
    ///
    /// - `outbox`: one `OutboxEntry` per row, with `kind` and `payload` from `OutboxEntry.Content.stored`. IDs rise in
    ///   commit order, since there is one writer at a time, and are never reused.
    /// - `versions`: keyed by `u:` and the ID of a user, by `i:` and `e:` as in `ChangePage`, by `k:` and the hash of an API key,
    ///   or by `t:` and the ID of a room for its details. `changed` is the value
    ///   of `changes` at the latest change, for the change feed; each change has its own value.
    /// - Triggers raise the versions, so that every write counts, including writes by other programs. Updates of
    ///   `members` only fire them if they set `role` or `visible_from`; moving a read cursor does not.
    /// - `deleted_epochs`: the epochs of deleted threads; no event of these epochs is stored again. `''` means that
    ///   nothing of the thread was stored. `Outbox.completeForgotten` adds epochs that the log began but that were
    ///   never stored.
    /// - `cleanups`: users whose erasure is committed, but whose texts remain. Each transaction removes some of these
    ///   texts. The worker keeps `due_ms` ahead of the clock.
    static let stateChanges = """
        CREATE TABLE outbox (
            id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
            thread_id TEXT NOT NULL,
            kind TEXT NOT NULL,
            payload TEXT NOT NULL,
            created_ms INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX outbox_by_thread ON outbox (thread_id, id);

        CREATE TABLE changes (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            store TEXT NOT NULL,
            value INTEGER NOT NULL
        ) STRICT;
        INSERT INTO changes (id, store, value) VALUES (1, lower(hex(randomblob(8))), 0);

        CREATE TABLE versions (
            subject TEXT NOT NULL PRIMARY KEY,
            version INTEGER NOT NULL,
            changed INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX versions_by_change ON versions (changed);

        CREATE TABLE deleted_epochs (
            thread_id TEXT NOT NULL,
            epoch TEXT NOT NULL,
            deleted_ms INTEGER NOT NULL,
            PRIMARY KEY (thread_id, epoch)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE cleanups (
            kind TEXT NOT NULL CHECK (kind IN ('user', 'thread')),
            id TEXT NOT NULL,
            due_ms INTEGER NOT NULL,
            PRIMARY KEY (kind, id)
        ) STRICT, WITHOUT ROWID;

        """

    static let versionTriggers = [
        trigger("members_insert_raises", "AFTER INSERT ON members", "'u:' || new.user_id"),
        trigger("members_delete_raises", "AFTER DELETE ON members", "'u:' || old.user_id"),
        trigger(
            "members_role_raises", "AFTER UPDATE OF role ON members WHEN old.role <> new.role", "'u:' || new.user_id"),
        trigger(
            "members_start_raises",
            "AFTER UPDATE OF visible_from ON members WHEN old.visible_from <> new.visible_from", "'u:' || new.user_id"),
        trigger("sanctions_insert_raises", "AFTER INSERT ON sanctions", "'u:' || new.user_id"),
        trigger("sanctions_update_raises", "AFTER UPDATE ON sanctions", "'u:' || new.user_id"),
        trigger("sanctions_delete_raises", "AFTER DELETE ON sanctions", "'u:' || old.user_id"),
        entranceTriggers("invitations", "e", "thread_id"), entranceTriggers("invitations", "i", "user_id"),
        entranceTriggers("join_requests", "e", "thread_id"),
        trigger("blocks_insert_raises", "AFTER INSERT ON blocks", "'u:' || new.user_id"),
        trigger("blocks_insert_raises_blocked", "AFTER INSERT ON blocks", "'u:' || new.blocked_id"),
        trigger("blocks_delete_raises", "AFTER DELETE ON blocks", "'u:' || old.user_id"),
        trigger("blocks_delete_raises_blocked", "AFTER DELETE ON blocks", "'u:' || old.blocked_id"),
        trigger(
            "threads_details_raise",
            """
            AFTER UPDATE OF options, description, rules ON threads
            WHEN old.options IS NOT new.options OR old.description IS NOT new.description
                OR old.rules IS NOT new.rules
            """, "'t:' || new.id"),
        trigger("sessions_delete_raises", "AFTER DELETE ON sessions", "'u:' || old.user_id"),
        trigger(
            "users_raise",
            """
            AFTER UPDATE OF name, password_hash, erased_ms, credentials_version ON users
            WHEN old.name <> new.name OR old.password_hash IS NOT new.password_hash
                OR old.erased_ms IS NOT new.erased_ms OR old.credentials_version <> new.credentials_version
            """, "'u:' || new.id"),
        trigger(
            "users_operator_raises", "AFTER UPDATE OF operator_ms ON users WHEN old.operator_ms IS NOT new.operator_ms",
            "'u:' || new.id"),
        trigger(
            "users_suspension_raises",
            """
            AFTER UPDATE OF suspended_ms, suspended_until_ms, suspension_reason ON users
            WHEN old.suspended_ms IS NOT new.suspended_ms OR old.suspended_until_ms IS NOT new.suspended_until_ms
                OR old.suspension_reason IS NOT new.suspension_reason
            """, "'u:' || new.id"),
        trigger(
            "users_profile_raises",
            """
            AFTER UPDATE OF name, display_name, avatar_url ON users
            WHEN new.erased_ms IS NULL AND (old.name <> new.name OR old.display_name IS NOT new.display_name
                OR old.avatar_url IS NOT new.avatar_url)
            """, "'p:' || new.id"),
        trigger("api_keys_insert_raises", "AFTER INSERT ON api_keys", "'k:' || new.hash"),
        trigger("api_keys_delete_raises", "AFTER DELETE ON api_keys", "'k:' || old.hash"),
    ].joined()

    /// Returns the triggers that raise the version of the thread or the user of an invitation or a request.
    private static func entranceTriggers(_ table: String, _ prefix: String, _ column: String) -> String {
        [("INSERT", "new"), ("UPDATE", "new"), ("DELETE", "old")].map { event, row in
            trigger(
                "\(table)_\(event.lowercased())_raises_\(prefix)", "AFTER \(event) ON \(table)",
                "'\(prefix):' || \(row).\(column)")
        }.joined()
    }

    /// Returns a trigger that raises the version of a subject.
    private static func trigger(_ name: String, _ event: String, _ subject: String) -> String {
        """
        CREATE TRIGGER \(name) \(event) BEGIN
            UPDATE changes SET value = value + 1;
            INSERT INTO versions (subject, version, changed) VALUES (\(subject), 1, (SELECT value FROM changes))
            ON CONFLICT (subject) DO UPDATE SET version = version + 1, changed = excluded.changed;
        END;

        """
    }
}
