package import ParleyModel

/// Statements for the settings of notifications.
package enum NotificationQueries {
    /// The columns that `Row.settings` reads.
    private static let columns = """
        notification_settings.direct_level, notification_settings.group_level, notification_settings.room_level,
        notification_settings.quiet_from, notification_settings.quiet_to, notification_settings.quiet_zone,
        notification_settings.muted_until_ms
        """

    package static let ofUser = Query("SELECT \(columns) FROM notification_settings WHERE user_id = $1") {
        try $0.settings(0)
    }
    package static let put = Statement(
        """
        INSERT INTO notification_settings (user_id, direct_level, group_level, room_level, quiet_from, quiet_to, quiet_zone,
            muted_until_ms)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (user_id) DO UPDATE SET direct_level = excluded.direct_level, group_level = excluded.group_level,
            room_level = excluded.room_level, quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to,
            quiet_zone = excluded.quiet_zone, muted_until_ms = excluded.muted_until_ms
        """)

    package static let threadsOfUser = Query(
        """
        SELECT thread_id, level, muted_until_ms FROM thread_notifications WHERE user_id = $1 ORDER BY thread_id LIMIT $2
        """
    ) { row in ThreadNotificationRecord(thread: try row.thread(0), settings: try row.threadSettings(1)) }
    package static let ofThread = Query(
        "SELECT level, muted_until_ms FROM thread_notifications WHERE thread_id = $1 AND user_id = $2"
    ) { try $0.threadSettings(0) }

    /// Returns the settings of users, and their settings for thread `$2`, for users who have any. The limits make the server look
    /// each user up, rather than read a whole table.
    package static let ofRecipients = Query(
        """
        SELECT recipients.id, \(columns), thread_notifications.level, thread_notifications.muted_until_ms
        FROM unnest($1::text[]) AS recipients (id)
        LEFT JOIN LATERAL (
            SELECT * FROM notification_settings WHERE user_id = recipients.id LIMIT 1) AS notification_settings ON true
        LEFT JOIN LATERAL (
            SELECT * FROM thread_notifications WHERE thread_id = $2 AND user_id = recipients.id LIMIT 1)
            AS thread_notifications ON true
        WHERE notification_settings.user_id IS NOT NULL OR thread_notifications.user_id IS NOT NULL
        """
    ) { row in
        let settings = try row.optionalText(1) == nil ? .standard : row.settings(1)
        return (
            user: UserID(trusted: try row.text(0)),
            settings: RecipientSettings(settings: settings, thread: try row.threadSettings(8))
        )
    }

    /// Holds the membership of user `$2` in thread `$1`.
    static let holdMember = Query<Void>(
        "SELECT 1 FROM members WHERE thread_id = $1 AND user_id = $2 FOR KEY SHARE")
    /// Removes settings for threads other than `$2` that have no effect at `$3`.
    package static let removeVoid = Statement(
        """
        DELETE FROM thread_notifications
        WHERE user_id = $1 AND thread_id <> $2 AND level IS NULL AND muted_until_ms <= $3
        """)
    /// Counts the other threads for which a user has settings.
    package static let countOthers = Query(
        "SELECT count(*) FROM thread_notifications WHERE user_id = $1 AND thread_id <> $2"
    ) { try $0.int(0) }
    package static let putThread = Statement(
        """
        INSERT INTO thread_notifications (thread_id, user_id, level, muted_until_ms) VALUES ($1, $2, $3, $4)
        ON CONFLICT (thread_id, user_id) DO UPDATE SET level = excluded.level, muted_until_ms = excluded.muted_until_ms
        """)
    package static let removeThread = Statement(
        "DELETE FROM thread_notifications WHERE thread_id = $1 AND user_id = $2")
}

extension Row {
    /// Decodes the columns of `NotificationQueries.columns`.
    fileprivate func settings(_ column: Int) throws -> NotificationSettings {
        let hours = (
            from: try optionalInt(column + 3), to: try optionalInt(column + 4), zone: try optionalText(column + 5)
        )
        return NotificationSettings(
            direct: try NotificationLevel(stored: text(column)), group: try NotificationLevel(stored: text(column + 1)),
            room: try NotificationLevel(stored: text(column + 2)),
            quiet: try QuietHours.stored(from: hours.from, to: hours.to, timeZone: hours.zone),
            mutedUntil: try optionalInt(column + 6))
    }

    /// Decodes the columns level and end of a mute, which are `NULL` without a row.
    fileprivate func threadSettings(_ column: Int) throws -> ThreadNotifications {
        let level = try optionalText(column).map { text throws(StoreError) in try NotificationLevel(stored: text) }
        return ThreadNotifications(level: level, mutedUntil: try optionalInt(column + 1))
    }
}
