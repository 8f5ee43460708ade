/// Statements for the devices that receive push notifications. Each statement is prepared once per connection.
package enum DeviceQueries {
    /// The columns that `Row.device` reads.
    private static let columns = """
        devices.id, devices.user_id, devices.kind, devices.token, devices.topic, devices.environment, devices.p256dh,
        devices.auth, devices.digest, devices.created_ms, devices.last_used_ms
        """

    /// Returns a row unless user `?1` is erased or has another credentials version than `?2`; `NULL` stands for any.
    package static let user = """
        SELECT 1 FROM users WHERE id = ?1 AND erased_ms IS NULL AND (?2 IS NULL OR credentials_version = ?2)
        """
    package static let session = "SELECT 1 FROM sessions WHERE token_hash = ? AND user_id = ?"
    package static let ofDigest = "SELECT \(columns) FROM devices WHERE digest = ?"

    package static let put = """
        INSERT INTO devices (id, user_id, session_hash, kind, token, topic, environment, p256dh, auth, digest, created_ms,
            last_used_ms)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    package static let removeDigest = "DELETE FROM devices WHERE digest = ?"

    /// Keeps `?3` devices of user `?1` besides the device with digest `?2`.
    package static let keepNewest = """
        DELETE FROM devices WHERE id IN (
            SELECT id FROM devices WHERE user_id = ?1 AND digest <> ?2
            ORDER BY last_used_ms DESC, id DESC LIMIT -1 OFFSET ?3)
        """

    /// Returns the devices of a user, except where the session has expired by `?2`.
    package static let ofUser = """
        SELECT \(columns) FROM devices LEFT JOIN sessions ON sessions.token_hash = devices.session_hash
        WHERE devices.user_id = ?1 AND (devices.session_hash IS NULL OR sessions.expires_ms > ?2)
        ORDER BY devices.last_used_ms DESC, devices.id DESC LIMIT ?3
        """

    /// Returns the devices of users to whom something may be sent at `?2`. Takes the users as a JSON array.
    package static let toNotify = """
        SELECT \(columns) FROM devices
        JOIN users ON users.id = devices.user_id
        LEFT JOIN sessions ON sessions.token_hash = devices.session_hash
        WHERE devices.user_id IN (SELECT value FROM json_each(?1)) AND users.erased_ms IS NULL
            AND (users.suspended_ms IS NULL OR users.suspended_until_ms <= ?2)
            AND (devices.session_hash IS NULL OR sessions.expires_ms > ?2)
        ORDER BY devices.user_id, devices.last_used_ms DESC, devices.id DESC LIMIT ?3
        """

    package static let remove = "DELETE FROM devices WHERE id = ? AND user_id = ?"

    /// Removes a device that was not registered after it was read.
    package static let removeDead = "DELETE FROM devices WHERE id = ? AND digest = ? AND last_used_ms = ?"
}
