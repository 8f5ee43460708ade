extension Migration {
    /// The devices that receive push notifications.
    ///
    /// - `devices.digest` identifies a device for all users (`PushAddress.identity`); `token` is a token or an endpoint.
    /// - `devices.session_hash`: the session that the device ends with. Without one, the device ends when
    ///   `users.credentials_version` rises. An erasure deletes all rows of the user.
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
        CREATE TRIGGER users_end_devices AFTER UPDATE OF credentials_version ON users
        WHEN old.credentials_version <> new.credentials_version BEGIN
            DELETE FROM devices WHERE user_id = new.id AND (session_hash IS NULL OR new.erased_ms IS NOT NULL);
        END;

        """
}
