package import ParleyModel

extension PostgresStore: NotificationStore {
    package func notifications(of user: UserID) async throws(StoreError) -> NotificationSettings {
        try await rows(.list, NotificationQueries.ofUser(.text(user.text))).first ?? .standard
    }

    package func threadNotifications(of user: UserID) async throws(StoreError) -> [ThreadNotificationRecord] {
        try await rows(
            .list, NotificationQueries.threadsOfUser(.text(user.text), .int(Int64(ThreadNotifications.mostOfUser))))
    }

    package func threadNotifications(
        of user: UserID, in thread: ThreadID
    ) async throws(StoreError) -> ThreadNotifications {
        try await rows(.list, NotificationQueries.ofThread(.text(thread.text), .text(user.text))).first ?? .none
    }

    package func notifications(
        of users: [UserID], in thread: ThreadID
    ) async throws(StoreError) -> [UserID: RecipientSettings] {
        let users = Set(users.prefix(PushDevice.mostUsers)).map(\.text)
        guard !users.isEmpty else { return [:] }
        let found = try await rows(.lookUp, NotificationQueries.ofRecipients(.texts(users), .text(thread.text)))
        return found.reduce(into: [:]) { $0[$1.user] = $1.settings }
    }

    package func setNotifications(
        _ update: NotificationUpdate, of user: UserID
    ) async throws(StoreError) -> NotificationSettings? {
        try await change { transaction in
            let id = Parameter.text(user.text)
            // One change of a user's settings at a time.
            var pipeline = Pipeline(Statement.begin())
            let held = pipeline.add(DeviceQueries.holdUser(id, .int(nil)))
            let present = pipeline.add(NotificationQueries.ofUser(id))
            let replies = try transaction.connection.run(pipeline)
            guard replies.count(held) == 1 else {
                try transaction.connection.run(Pipeline(Statement.commit()))
                return nil
            }
            let settings = update.applied(to: try replies.first(present) ?? .standard)
            try transaction.connection.run(
                Pipeline(
                    NotificationQueries.put(
                        id, .text(settings.direct.rawValue), .text(settings.group.rawValue),
                        .text(settings.room.rawValue), .int(settings.quiet?.from), .int(settings.quiet?.to),
                        .text(settings.quiet?.timeZone), .int(settings.mutedUntil)),
                    Statement.commit()))
            return settings
        }
    }

    package func setThreadNotifications(
        _ update: ThreadNotificationUpdate, of user: UserID, in thread: ThreadID, at now: Int64
    ) async throws(StoreError) -> ThreadNotificationOutcome {
        try await change { transaction in
            let (id, place) = (Parameter.text(user.text), Parameter.text(thread.text))
            var pipeline = Pipeline(Statement.begin())
            let held = pipeline.add(DeviceQueries.holdUser(id, .int(nil)))
            let member = pipeline.add(NotificationQueries.holdMember(place, id))
            pipeline.add(NotificationQueries.removeVoid(id, place, .int(now)))
            let present = pipeline.add(NotificationQueries.ofThread(place, id))
            let others = pipeline.add(NotificationQueries.countOthers(id, place))
            let replies = try transaction.connection.run(pipeline)
            let outcome = ThreadNotificationOutcome(
                of: update, to: try replies.first(present),
                isMember: replies.count(held) == 1 && replies.count(member) == 1,
                others: try replies.first(others) ?? 0, at: now)
            pipeline = Pipeline()
            if case .changed(let settings) = outcome {
                pipeline.add(
                    settings == .none
                        ? NotificationQueries.removeThread(place, id)
                        : NotificationQueries.putThread(
                            place, id, .text(settings.level?.rawValue), .int(settings.mutedUntil)))
            }
            pipeline.add(Statement.commit())
            try transaction.connection.run(pipeline)
            return outcome
        }
    }
}
