/// Statements for the settings of notifications. Each statement is prepared once per connection.
package enum NotificationQueries {
    /// The columns that `Row.settings` reads.
    private static let columns = """
        notification_settings.direct_level, notification_settings.group_level, notification_settings.room_level,
        notification_settings.quiet_from, notification_settings.quiet_to, notification_settings.quiet_zone,
        notification_settings.muted_until_ms
        """

    package static let ofUser = "SELECT \(columns) FROM notification_settings WHERE user_id = ?"
    package static let put = """
        INSERT INTO notification_settings (user_id, direct_level, group_level, room_level, quiet_from, quiet_to, quiet_zone,
            muted_until_ms)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (user_id) DO UPDATE SET direct_level = excluded.direct_level, group_level = excluded.group_level,
            room_level = excluded.room_level, quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to,
            quiet_zone = excluded.quiet_zone, muted_until_ms = excluded.muted_until_ms
        """

    package static let threadsOfUser = """
        SELECT thread_id, level, muted_until_ms FROM thread_notifications WHERE user_id = ? ORDER BY thread_id LIMIT ?
        """
    package static let ofThread = """
        SELECT level, muted_until_ms FROM thread_notifications WHERE thread_id = ? AND user_id = ?
        """

    /// Returns the settings of users. Takes the users as a JSON array.
    package static let ofUsers = """
        SELECT user_id, \(columns) FROM notification_settings WHERE user_id IN (SELECT value FROM json_each(?1))
        """
    /// Returns the settings of users for thread `?2`. Takes the users as a JSON array.
    package static let ofUsersInThread = """
        SELECT user_id, level, muted_until_ms FROM thread_notifications
        WHERE thread_id = ?2 AND user_id IN (SELECT value FROM json_each(?1))
        """

    package static let member = "SELECT 1 FROM members WHERE thread_id = ? AND user_id = ?"
    /// Removes settings for threads other than `?2` that have no effect at `?3`.
    package static let removeVoid = """
        DELETE FROM thread_notifications
        WHERE user_id = ?1 AND thread_id <> ?2 AND level IS NULL AND muted_until_ms <= ?3
        """
    /// Counts the other threads for which a user has settings.
    package static let countOthers = """
        SELECT count(*) FROM thread_notifications WHERE user_id = ? AND thread_id <> ?
        """
    package static let putThread = """
        INSERT INTO thread_notifications (thread_id, user_id, level, muted_until_ms) VALUES (?, ?, ?, ?)
        ON CONFLICT (thread_id, user_id) DO UPDATE SET level = excluded.level, muted_until_ms = excluded.muted_until_ms
        """
    package static let removeThread = "DELETE FROM thread_notifications WHERE thread_id = ? AND user_id = ?"
}
