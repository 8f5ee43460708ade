import GRDB
package import ParleyModel
import ParleyStorage

extension SQLiteStore: NotificationStore {
    package func notifications(of user: UserID) async throws(StoreError) -> NotificationSettings {
        try await read(.reading) { db in try Self.settings(of: user, db) }
    }

    package func threadNotifications(of user: UserID) async throws(StoreError) -> [ThreadNotificationRecord] {
        try await read(.reading) { db in
            try db.all(NotificationQueries.threadsOfUser, [user.text, ThreadNotifications.mostOfUser]) { row in
                ThreadNotificationRecord(thread: ThreadID(trusted: row[0]), settings: try row.threadSettings(1))
            }
        }
    }

    package func threadNotifications(
        of user: UserID, in thread: ThreadID
    ) async throws(StoreError) -> ThreadNotifications {
        try await read(.reading) { db in try Self.settings(of: user, in: thread, db) ?? .none }
    }

    package func notifications(
        of users: [UserID], in thread: ThreadID
    ) async throws(StoreError) -> [UserID: RecipientSettings] {
        let users = users.prefix(PushDevice.mostUsers).map(\.text)
        guard !users.isEmpty else { return [:] }
        return try await read { db in
            let keys = Self.json(users)
            var found: [UserID: RecipientSettings] = [:]
            for (user, settings) in try db.all(
                NotificationQueries.ofUsers, [keys],
                { row in
                    (UserID(trusted: row[0]), try row.settings(1))
                })
            {
                found[user] = RecipientSettings(settings: settings)
            }
            for (user, settings) in try db.all(
                NotificationQueries.ofUsersInThread, [keys, thread.text],
                { row in
                    (UserID(trusted: row[0]), try row.threadSettings(1))
                })
            {
                found[user, default: .standard].thread = settings
            }
            return found
        }
    }

    package func setNotifications(
        _ update: NotificationUpdate, of user: UserID
    ) async throws(StoreError) -> NotificationSettings? {
        try await change { transaction in
            guard try transaction.isPresent(user) else { return nil }
            let settings = update.applied(to: try Self.settings(of: user, transaction.db))
            try transaction.run(
                NotificationQueries.put,
                [
                    user.text, settings.direct.rawValue, settings.group.rawValue, settings.room.rawValue,
                    settings.quiet?.from, settings.quiet?.to, settings.quiet?.timeZone, settings.mutedUntil,
                ])
            return settings
        }
    }

    package func setThreadNotifications(
        _ update: ThreadNotificationUpdate, of user: UserID, in thread: ThreadID, at now: Int64
    ) async throws(StoreError) -> ThreadNotificationOutcome {
        try await write { db in
            try db.run(NotificationQueries.removeVoid, [user.text, thread.text, now])
            let others = try db.first(NotificationQueries.countOthers, [user.text, thread.text]) { row in
                let count: Int64 = row[0]
                return count
            }
            let outcome = ThreadNotificationOutcome(
                of: update, to: try Self.settings(of: user, in: thread, db),
                isMember: try db.first(NotificationQueries.member, [thread.text, user.text]) { _ in true } == true,
                others: others ?? 0, at: now)
            guard case .changed(let settings) = outcome else { return outcome }
            if settings == .none {
                try db.run(NotificationQueries.removeThread, [thread.text, user.text])
            } else {
                try db.run(
                    NotificationQueries.putThread,
                    [thread.text, user.text, settings.level?.rawValue, settings.mutedUntil])
            }
            return outcome
        }
    }

    private static func settings(of user: UserID, _ db: Database) throws -> NotificationSettings {
        try db.first(NotificationQueries.ofUser, [user.text]) { try $0.settings(0) } ?? .standard
    }

    private static func settings(
        of user: UserID, in thread: ThreadID, _ db: Database
    ) throws -> ThreadNotifications? {
        try db.first(NotificationQueries.ofThread, [thread.text, user.text]) { try $0.threadSettings(0) }
    }
}

extension Row {
    /// Decodes the columns of `NotificationQueries.columns`.
    fileprivate func settings(_ column: Int) throws -> NotificationSettings {
        NotificationSettings(
            direct: try NotificationLevel(stored: self[column]), group: try NotificationLevel(stored: self[column + 1]),
            room: try NotificationLevel(stored: self[column + 2]),
            quiet: try QuietHours.stored(from: self[column + 3], to: self[column + 4], timeZone: self[column + 5]),
            mutedUntil: self[column + 6])
    }

    /// Decodes the columns level and end of a mute.
    fileprivate func threadSettings(_ column: Int) throws -> ThreadNotifications {
        let level: String? = self[column]
        return ThreadNotifications(
            level: try level.map { text throws(StoreError) in try NotificationLevel(stored: text) },
            mutedUntil: self[column + 1])
    }
}
