package import ParleyModel

extension ModelDatabase: NotificationStore {
    package func notifications(of user: UserID) async throws(StoreError) -> NotificationSettings {
        try await read(.page) { $0.notificationSettings[user] ?? .standard }
    }

    package func threadNotifications(of user: UserID) async throws(StoreError) -> [ThreadNotificationRecord] {
        try await read(.page) { tables in
            tables.threadNotifications.filter { $0.key.user == user }
                .map { ThreadNotificationRecord(thread: $0.key.thread, settings: $0.value) }
                .sorted { $0.thread.text < $1.thread.text }
        }
    }

    package func threadNotifications(
        of user: UserID, in thread: ThreadID
    ) async throws(StoreError) -> ThreadNotifications {
        try await read(.page) { $0.threadNotifications[MemberPlace(user: user, thread: thread)] ?? .none }
    }

    package func notifications(
        of users: [UserID], in thread: ThreadID
    ) async throws(StoreError) -> [UserID: RecipientSettings] {
        try await read(.lookUp) { tables in
            users.prefix(PushDevice.mostUsers).reduce(into: [:]) { found, user in
                let settings = tables.notificationSettings[user]
                let own = tables.threadNotifications[MemberPlace(user: user, thread: thread)]
                guard settings != nil || own != nil else { return }
                found[user] = RecipientSettings(settings: settings ?? .standard, thread: own ?? .none)
            }
        }
    }

    package func setNotifications(
        _ update: NotificationUpdate, of user: UserID
    ) async throws(StoreError) -> NotificationSettings? {
        try await write(.account) { tables, _ in
            guard tables.isPresent(user) else { return nil }
            let settings = update.applied(to: tables.notificationSettings[user] ?? .standard)
            tables.notificationSettings[user] = settings
            return settings
        }
    }

    package func setThreadNotifications(
        _ update: ThreadNotificationUpdate, of user: UserID, in thread: ThreadID, at now: Int64
    ) async throws(StoreError) -> ThreadNotificationOutcome {
        try await write(.account) { tables, _ in
            let place = MemberPlace(user: user, thread: thread)
            for (other, settings) in tables.threadNotifications
            where other.user == user && other != place && settings.isVoid(at: now) {
                tables.threadNotifications[other] = nil
            }
            let others = tables.threadNotifications.keys.filter { $0.user == user && $0 != place }.count
            let outcome = ThreadNotificationOutcome(
                of: update, to: tables.threadNotifications[place],
                isMember: tables.isPresent(user) && tables.isMember(user, of: thread), others: Int64(others), at: now)
            if case .changed(let settings) = outcome {
                tables.threadNotifications[place] = settings == .none ? nil : settings
            }
            return outcome
        }
    }
}
