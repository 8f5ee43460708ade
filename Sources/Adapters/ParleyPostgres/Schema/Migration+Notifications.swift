extension Migration {
    /// The devices that receive push notifications, and what notifies users.
    ///
    /// - `devices.digest` identifies a device for all users (`PushAddress.identity`); `token` is a token or an endpoint.
    /// - `devices.session_hash`: the session that the device ends with. Without one, the device ends when
    ///   `users.credentials_version` rises. An erasure deletes all rows of the user.
    /// - `notification_settings`: the row of a user who has changed something. `quiet_from` and `quiet_to` are minutes of the day
    ///   in the time zone `quiet_zone`. An erasure deletes it.
    /// - `thread_notifications`: a user's settings for a thread. The end of a membership deletes the row by a trigger: a foreign
    ///   key to `members` would be compared at each move of a read cursor.
    static let notifications = [
        """
        CREATE TABLE devices (
            id text COLLATE "C" PRIMARY KEY,
            user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            session_hash text COLLATE "C" REFERENCES sessions (token_hash) ON DELETE CASCADE,
            kind text COLLATE "C" NOT NULL CHECK (kind IN ('apns', 'fcm', 'web')),
            token text COLLATE "C" NOT NULL,
            topic text COLLATE "C",
            environment text COLLATE "C" CHECK (environment IN ('production', 'sandbox')),
            p256dh text COLLATE "C",
            auth text COLLATE "C",
            digest text COLLATE "C" NOT NULL UNIQUE,
            created_ms bigint NOT NULL,
            last_used_ms bigint NOT NULL,
            CHECK ((kind = 'apns') = (topic IS NOT NULL AND environment IS NOT NULL)),
            CHECK ((kind = 'web') = (p256dh IS NOT NULL AND auth IS NOT NULL))
        )
        """,
        "CREATE INDEX devices_by_user ON devices (user_id, last_used_ms)",
        "CREATE INDEX devices_by_session ON devices (session_hash) WHERE session_hash IS NOT NULL",
        """
        CREATE TABLE notification_settings (
            user_id text COLLATE "C" PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
            direct_level text COLLATE "C" NOT NULL CHECK (direct_level IN ('all', 'mentions', 'none')),
            group_level text COLLATE "C" NOT NULL CHECK (group_level IN ('all', 'mentions', 'none')),
            room_level text COLLATE "C" NOT NULL CHECK (room_level IN ('all', 'mentions', 'none')),
            quiet_from bigint CHECK (quiet_from BETWEEN 0 AND 1439),
            quiet_to bigint CHECK (quiet_to BETWEEN 0 AND 1439),
            quiet_zone text COLLATE "C",
            muted_until_ms bigint,
            CHECK (num_nulls(quiet_from, quiet_to, quiet_zone) IN (0, 3) AND quiet_from <> quiet_to)
        )
        """,
        """
        CREATE TABLE thread_notifications (
            thread_id text COLLATE "C" NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
            user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            level text COLLATE "C" CHECK (level IN ('all', 'mentions', 'none')),
            muted_until_ms bigint,
            PRIMARY KEY (thread_id, user_id),
            CHECK (level IS NOT NULL OR muted_until_ms IS NOT NULL)
        )
        """,
        "CREATE INDEX thread_notifications_by_user ON thread_notifications (user_id, thread_id)",
        """
        CREATE FUNCTION end_thread_notifications() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        BEGIN
            DELETE FROM thread_notifications USING changed_rows
            WHERE thread_notifications.thread_id = changed_rows.thread_id
                AND thread_notifications.user_id = changed_rows.user_id;
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER members_delete_ends_notifications AFTER DELETE ON members REFERENCING OLD TABLE AS changed_rows
        FOR EACH STATEMENT EXECUTE FUNCTION end_thread_notifications()
        """,
        """
        CREATE FUNCTION end_notifications() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        BEGIN
            DELETE FROM devices WHERE user_id = NEW.id AND (session_hash IS NULL OR NEW.erased_ms IS NOT NULL);
            IF NEW.erased_ms IS NOT NULL THEN
                DELETE FROM notification_settings WHERE user_id = NEW.id;
            END IF;
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER users_end_notifications AFTER UPDATE OF password_hash, erased_ms, credentials_version ON users
        FOR EACH ROW WHEN (OLD.credentials_version <> NEW.credentials_version) EXECUTE FUNCTION end_notifications()
        """,
    ]
}
