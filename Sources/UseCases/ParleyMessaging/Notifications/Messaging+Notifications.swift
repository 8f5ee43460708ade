package import ParleyModel

/// The settings of users for notifications.
extension Messaging {
    /// Returns the settings of the caller, and those for threads in the byte order of the threads' IDs.
    /// - Throws: `unavailable`.
    package func notifications(
        of caller: Caller
    ) async throws(MessagingError) -> (settings: NotificationSettings, threads: [ThreadNotificationRecord]) {
        let store = try notificationStore()
        return try await read {
            (try await store.notifications(of: caller.user.id), try await store.threadNotifications(of: caller.user.id))
        }
    }

    /// Changes the settings of the caller.
    /// - Throws: `unauthorized` if the caller has been erased; `rateLimited`, `unavailable`.
    package func setNotifications(
        _ update: NotificationUpdate, by caller: Caller
    ) async throws(MessagingError) {
        try await budgets.charge(caller.user.id)
        let store = try notificationStore()
        guard try await commit({ try await store.setNotifications(update, of: caller.user.id) }) != nil else {
            throw .unauthorized("the account has ended")
        }
    }

    /// Returns the settings of the caller for a thread.
    /// - Throws: `notFound` for an unknown thread, `notAMember`, `unavailable`.
    package func threadNotifications(
        in thread: ThreadID, of caller: Caller
    ) async throws(MessagingError) -> ThreadNotifications {
        let store = try notificationStore()
        _ = try await membership(of: caller, in: thread)
        return try await read { try await store.threadNotifications(of: caller.user.id, in: thread) }
    }

    /// Changes the settings of the caller for a thread.
    /// - Returns: The settings after the change.
    /// - Throws: `notFound` for an unknown thread, `notAMember`; `conflict` with settings for `ThreadNotifications.mostOfUser`
    ///   threads; `rateLimited`, `unavailable`.
    package func setThreadNotifications(
        _ update: ThreadNotificationUpdate, in thread: ThreadID, by caller: Caller
    ) async throws(MessagingError) -> ThreadNotifications {
        try await budgets.charge(caller.user.id)
        let store = try notificationStore()
        // Tells an unknown thread from one of others; whether the caller is a member is decided by the store.
        _ = try await membership(of: caller, in: thread)
        let outcome = try await commit {
            try await store.setThreadNotifications(update, of: caller.user.id, in: thread, at: clock.milliseconds)
        }
        switch outcome {
        case .changed(let settings): return settings
        case .nonMember: throw .notAMember
        case .tooMany:
            throw .conflict(
                """
                you have settings for \(ThreadNotifications.mostOfUser) threads, which is the limit; \
                remove those for another thread first
                """)
        }
    }
}
