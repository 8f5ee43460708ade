package import ParleyModel

/// Statements for the devices that receive push notifications.
package enum DeviceQueries {
    /// The columns that `Row.device` reads.
    private static let columns = """
        devices.id, devices.user_id, devices.kind, devices.token, devices.topic, devices.environment, devices.p256dh,
        devices.auth, devices.digest, devices.created_ms, devices.last_used_ms
        """

    /// Holds user `$1`, unless the user is erased or has another credentials version than `$2`; `NULL` stands for any.
    static let holdUser = Query<Void>(
        """
        SELECT 1 FROM users WHERE id = $1 AND erased_ms IS NULL AND ($2 IS NULL OR credentials_version = $2)
        FOR NO KEY UPDATE
        """)
    /// Holds session `$1` of user `$2`, so that a transaction that ends it waits.
    static let holdSession = Query<Void>(
        "SELECT 1 FROM sessions WHERE token_hash = $1 AND user_id = $2 FOR KEY SHARE")

    /// Registers a device. A row of the same digest keeps its ID and date if it belongs to the same user.
    package static let put = Query(
        """
        INSERT INTO devices (id, user_id, session_hash, kind, token, topic, environment, p256dh, auth, digest, created_ms,
            last_used_ms)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
        ON CONFLICT (digest) DO UPDATE SET
            id = CASE WHEN devices.user_id = excluded.user_id THEN devices.id ELSE excluded.id END,
            created_ms = CASE WHEN devices.user_id = excluded.user_id THEN devices.created_ms ELSE excluded.created_ms END,
            last_used_ms = greatest(excluded.last_used_ms, devices.last_used_ms + 1),
            user_id = excluded.user_id, session_hash = excluded.session_hash, environment = excluded.environment,
            p256dh = excluded.p256dh, auth = excluded.auth
        RETURNING \(columns)
        """
    ) { try $0.device() }

    /// Keeps `$3` devices of user `$1` besides the device with digest `$2`. Skips a device that another user is registering.
    package static let keepNewest = Statement(
        """
        DELETE FROM devices WHERE id IN (
            SELECT id FROM devices WHERE user_id = $1 AND digest <> $2
            ORDER BY last_used_ms DESC, id DESC OFFSET $3 FOR UPDATE SKIP LOCKED)
        """)

    /// Returns the devices of a user, except where the session has expired by `$2`.
    package static let ofUser = Query(
        """
        SELECT \(columns) FROM devices LEFT JOIN sessions ON sessions.token_hash = devices.session_hash
        WHERE devices.user_id = $1 AND (devices.session_hash IS NULL OR sessions.expires_ms > $2)
        ORDER BY devices.last_used_ms DESC, devices.id DESC LIMIT $3
        """
    ) { try $0.device() }

    /// Returns the devices of users to whom something may be sent at `$2`.
    package static let toNotify = Query(
        """
        SELECT \(columns) FROM devices
        JOIN users ON users.id = devices.user_id
        LEFT JOIN sessions ON sessions.token_hash = devices.session_hash
        WHERE devices.user_id = ANY ($1) AND users.id = ANY ($1) AND users.erased_ms IS NULL
            AND (users.suspended_ms IS NULL OR users.suspended_until_ms <= $2)
            AND (devices.session_hash IS NULL OR sessions.expires_ms > $2)
        ORDER BY devices.user_id, devices.last_used_ms DESC, devices.id DESC LIMIT $3
        """
    ) { try $0.device() }

    package static let remove = Query<Void>("DELETE FROM devices WHERE id = $1 AND user_id = $2 RETURNING 1")

    /// Removes a device that was not registered after it was read.
    package static let removeDead = Query<Void>(
        "DELETE FROM devices WHERE id = $1 AND digest = $2 AND last_used_ms = $3 RETURNING 1")
}

extension Row {
    /// Decodes the columns of `DeviceQueries.columns`.
    fileprivate func device() throws -> PushDevice {
        PushDevice(
            id: DeviceID(trusted: try text(0)), user: UserID(trusted: try text(1)),
            address: try PushAddress(
                kind: text(2), token: text(3), topic: optionalText(4), environment: optionalText(5),
                publicKey: optionalText(6), secret: optionalText(7)),
            digest: TokenHash(try text(8)), created: try int(9), lastUsed: try int(10))
    }
}
