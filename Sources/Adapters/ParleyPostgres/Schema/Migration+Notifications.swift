extension Migration {
    /// The devices that receive push notifications.
    ///
    /// - `devices.digest` identifies a device for all users (`PushAddress.identity`); `token` is a token or an endpoint.
    /// - `devices.session_hash`: the session that the device ends with. Without one, the device ends when
    ///   `users.credentials_version` rises. An erasure deletes all rows of the user.
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
        CREATE FUNCTION end_devices() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
        BEGIN
            DELETE FROM devices WHERE user_id = NEW.id AND (session_hash IS NULL OR NEW.erased_ms IS NOT NULL);
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER users_end_devices AFTER UPDATE OF password_hash, erased_ms, credentials_version ON users
        FOR EACH ROW WHEN (OLD.credentials_version <> NEW.credentials_version) EXECUTE FUNCTION end_devices()
        """,
    ]
}
