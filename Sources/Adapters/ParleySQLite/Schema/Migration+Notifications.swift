extension Migration {
    /// The devices that receive push notifications, and what notifies users.
    ///
    /// - `devices.digest` identifies a device for all users (`PushAddress.identity`); `token` is a token or an endpoint.
    /// - `devices.session_hash`: the session that the device ends with. Without one, the device ends when
    ///   `users.credentials_version` rises. An erasure deletes all rows of the user.
    /// - `notification_settings`: the row of a user who has changed something. `quiet_from` and `quiet_to` are minutes of the day
    ///   in the time zone `quiet_zone`. An erasure deletes it.
    /// - `thread_notifications`: a user's settings for a thread. The end of a membership deletes the row.
    static let notifications = """
        CREATE TABLE devices (
            id TEXT NOT NULL PRIMARY KEY,
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            session_hash TEXT REFERENCES sessions (token_hash) ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('apns', 'fcm', 'web')),
            token TEXT NOT NULL,
            topic TEXT,
            environment TEXT CHECK (environment IN ('production', 'sandbox')),
            p256dh TEXT,
            auth TEXT,
            digest TEXT NOT NULL UNIQUE,
            created_ms INTEGER NOT NULL,
            last_used_ms INTEGER NOT NULL,
            CHECK ((kind = 'apns') = (topic IS NOT NULL AND environment IS NOT NULL)),
            CHECK ((kind = 'web') = (p256dh IS NOT NULL AND auth IS NOT NULL))
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX devices_by_user ON devices (user_id, last_used_ms);
        CREATE INDEX devices_by_session ON devices (session_hash) WHERE session_hash IS NOT NULL;

        CREATE TABLE notification_settings (
            user_id TEXT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
            direct_level TEXT NOT NULL CHECK (direct_level IN ('all', 'mentions', 'none')),
            group_level TEXT NOT NULL CHECK (group_level IN ('all', 'mentions', 'none')),
            room_level TEXT NOT NULL CHECK (room_level IN ('all', 'mentions', 'none')),
            quiet_from INTEGER CHECK (quiet_from BETWEEN 0 AND 1439),
            quiet_to INTEGER CHECK (quiet_to BETWEEN 0 AND 1439),
            quiet_zone TEXT,
            muted_until_ms INTEGER,
            CHECK ((quiet_from IS NULL) = (quiet_to IS NULL) AND (quiet_from IS NULL) = (quiet_zone IS NULL)),
            CHECK (quiet_from <> quiet_to)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE thread_notifications (
            thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
            user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            level TEXT CHECK (level IN ('all', 'mentions', 'none')),
            muted_until_ms INTEGER,
            PRIMARY KEY (thread_id, user_id),
            CHECK (level IS NOT NULL OR muted_until_ms IS NOT NULL)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX thread_notifications_by_user ON thread_notifications (user_id, thread_id);

        CREATE TRIGGER members_delete_ends_notifications AFTER DELETE ON members BEGIN
            DELETE FROM thread_notifications WHERE thread_id = old.thread_id AND user_id = old.user_id;
        END;
        CREATE TRIGGER users_end_notifications AFTER UPDATE OF credentials_version ON users
        WHEN old.credentials_version <> new.credentials_version BEGIN
            DELETE FROM devices WHERE user_id = new.id AND (session_hash IS NULL OR new.erased_ms IS NOT NULL);
            DELETE FROM notification_settings WHERE user_id = new.id AND new.erased_ms IS NOT NULL;
        END;

        """
}
