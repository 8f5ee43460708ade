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
    static let users = [
        """
        CREATE TABLE users (
            id text COLLATE "C" PRIMARY KEY,
            name text COLLATE "C" NOT NULL UNIQUE,
            password_hash text COLLATE "C",
            created_ms bigint NOT NULL,
            erased_ms bigint,
            display_name text COLLATE "C",
            avatar_url text COLLATE "C",
            credentials_version bigint NOT NULL DEFAULT 0,
            operator_ms bigint,
            suspended_ms bigint,
            suspended_until_ms bigint,
            suspension_reason text COLLATE "C",
            suspended_by text COLLATE "C",
            origin text COLLATE "C",
            look text COLLATE "C",
            second_look text COLLATE "C"
        )
        """,
        "CREATE INDEX users_erased ON users (id) WHERE erased_ms IS NOT NULL",
        "CREATE INDEX users_by_operator ON users (name) WHERE operator_ms IS NOT NULL",
        "CREATE INDEX users_suspended ON users (id) WHERE suspended_ms IS NOT NULL",
        "CREATE INDEX users_by_look ON users (look)",
        "CREATE INDEX users_by_second_look ON users (second_look) WHERE second_look IS NOT NULL",
        """
        CREATE FUNCTION void_credentials() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        BEGIN
            IF NEW.credentials_version = OLD.credentials_version THEN
                NEW.credentials_version := OLD.credentials_version + 1;
            END IF;
            RETURN NEW;
        END $$
        """,
        """
        CREATE TRIGGER users_void_credentials BEFORE UPDATE OF password_hash, erased_ms ON users
        FOR EACH ROW WHEN (
            OLD.password_hash IS DISTINCT FROM NEW.password_hash OR OLD.erased_ms IS DISTINCT FROM NEW.erased_ms)
        EXECUTE FUNCTION void_credentials()
        """,
        """
        CREATE TABLE sessions (
            token_hash text COLLATE "C" PRIMARY KEY,
            user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            expires_ms bigint NOT NULL
        )
        """,
        "CREATE INDEX sessions_by_user ON sessions (user_id)",
        "CREATE INDEX sessions_by_expiry ON sessions (expires_ms)",
        """
        CREATE TABLE api_keys (
            hash text COLLATE "C" PRIMARY KEY,
            name text COLLATE "C" NOT NULL UNIQUE,
            created_ms bigint NOT NULL
        )
        """,
    ]
}
