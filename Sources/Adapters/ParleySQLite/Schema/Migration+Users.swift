extension Migration {
    /// Users, their auth sessions, and API keys.
    ///
    /// - `users.erased_ms`: the time of the user's erasure. The row stays, without personal data.
    /// - `users.credentials_version` rises with each new password and with an erasure, regardless of the program that
    ///   writes them.
    /// - `users.suspended_ms`: the time of the user's suspension, with its end, reason and author in the columns after it;
    ///   `NULL` if there is none. A suspension whose `suspended_until_ms` has passed has no effect.
    /// - `users.operator_ms`: the time at which the user became an operator; `NULL` if this table does not make the
    ///   user one.
    /// - `users.origin`: an `AccountOrigin`; `NULL` if unknown.
    /// - `users.look`, `users.second_look`: the keys of the name's `NameLook`; `NULL` for erased users.
    static let users = """
        CREATE TABLE users (
            id TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            password_hash TEXT,
            created_ms INTEGER NOT NULL,
            erased_ms INTEGER,
            display_name TEXT,
            avatar_url TEXT,
            credentials_version INTEGER NOT NULL DEFAULT 0,
            operator_ms INTEGER,
            suspended_ms INTEGER,
            suspended_until_ms INTEGER,
            suspension_reason TEXT,
            suspended_by TEXT,
            origin TEXT,
            look TEXT,
            second_look TEXT
        ) STRICT;
        CREATE INDEX users_by_operator ON users (name) WHERE operator_ms IS NOT NULL;
        CREATE INDEX users_suspended ON users (id) WHERE suspended_ms IS NOT NULL;
        CREATE INDEX users_by_look ON users (look) WHERE look IS NOT NULL;
        CREATE INDEX users_by_second_look ON users (second_look) WHERE second_look IS NOT NULL;
        CREATE TRIGGER users_void_credentials AFTER UPDATE OF password_hash, erased_ms ON users
        WHEN old.credentials_version = new.credentials_version
            AND (old.password_hash IS NOT new.password_hash OR old.erased_ms IS NOT new.erased_ms)
        BEGIN
            UPDATE users SET credentials_version = credentials_version + 1 WHERE id = new.id;
        END;

        CREATE TABLE sessions (
            token_hash TEXT NOT NULL PRIMARY KEY,
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            expires_ms INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX sessions_by_user ON sessions (user_id);
        CREATE INDEX sessions_by_expiry ON sessions (expires_ms);

        CREATE TABLE api_keys (
            hash TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            created_ms INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        """
}
