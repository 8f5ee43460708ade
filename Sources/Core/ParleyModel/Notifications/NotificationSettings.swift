/// The messages that notify a user. The raw value is the name in the stores and on the wire.
package enum NotificationLevel: String, CaseIterable, Hashable, Sendable {
    case all
    /// Messages that mention the user or everyone.
    case mentions
    case none
}

/// A time of the day in which nothing notifies, by the clock of a time zone. It goes past midnight if it ends before it begins.
package struct QuietHours: Hashable, Sendable {
    /// The number of minutes of a day.
    package static let minutesOfDay: Int64 = 1440

    /// The first minute, in 0..<1440.
    package let from: Int64
    /// The minute before which it ends, in 0..<1440; not `from`.
    package let to: Int64
    /// The name of the time zone, such as `Europe/Berlin`.
    package let timeZone: String

    /// Returns `nil` for minutes outside of a day, and for a beginning that is the end.
    package init?(from: Int64, to: Int64, timeZone: String) {
        guard (0..<Self.minutesOfDay).contains(from), (0..<Self.minutesOfDay).contains(to), from != to else {
            return nil
        }
        self.from = from
        self.to = to
        self.timeZone = timeZone
    }

    /// - Parameter minute: The minute of the day in the time zone.
    package func contains(minute: Int64) -> Bool {
        from < to ? (from..<to).contains(minute) : minute >= from || minute < to
    }
}

/// A user's choice of the messages that notify them, unless a thread has settings of its own.
package struct NotificationSettings: Hashable, Sendable {
    /// The settings of a user who has changed nothing.
    package static let standard = NotificationSettings()
    /// The latest end of a mute, in Unix milliseconds: the end of the year 9999.
    package static let latestMute: Int64 = 253_402_300_799_999

    package var direct = NotificationLevel.all
    package var group = NotificationLevel.all
    package var room = NotificationLevel.mentions
    package var quiet: QuietHours?
    /// Nothing notifies before this time, in Unix milliseconds. A time that has passed has no effect.
    package var mutedUntil: Int64?

    package init(
        direct: NotificationLevel = .all, group: NotificationLevel = .all, room: NotificationLevel = .mentions,
        quiet: QuietHours? = nil, mutedUntil: Int64? = nil
    ) {
        self.direct = direct
        self.group = group
        self.room = room
        self.quiet = quiet
        self.mutedUntil = mutedUntil
    }

    /// The level of a thread without one of its own.
    package func level(of kind: ThreadInfo.Kind) -> NotificationLevel {
        switch kind {
        case .direct: direct
        case .group: group
        case .room: room
        }
    }
}

/// A user's settings for a thread.
package struct ThreadNotifications: Hashable, Sendable {
    /// The maximum number of threads for which a user has settings.
    package static let mostOfUser = 1000
    package static let none = ThreadNotifications()

    /// The messages that notify; `nil` for the user's default.
    package var level: NotificationLevel?
    /// Nothing in the thread notifies before this time, in Unix milliseconds.
    package var mutedUntil: Int64?

    package init(level: NotificationLevel? = nil, mutedUntil: Int64? = nil) {
        self.level = level
        self.mutedUntil = mutedUntil
    }

    /// Whether there is nothing that could have an effect at a time in Unix milliseconds.
    package func isVoid(at now: Int64) -> Bool { level == nil && mutedUntil.map { $0 <= now } ?? true }
}

/// The settings of a user for one of their threads.
package struct ThreadNotificationRecord: Hashable, Sendable {
    package let thread: ThreadID
    package let settings: ThreadNotifications

    package init(thread: ThreadID, settings: ThreadNotifications) {
        self.thread = thread
        self.settings = settings
    }
}

/// All that decides whether a message in a thread notifies a user.
package struct RecipientSettings: Hashable, Sendable {
    /// The settings of a user who has changed nothing.
    package static let standard = RecipientSettings()

    package var settings: NotificationSettings
    package var thread: ThreadNotifications

    package init(settings: NotificationSettings = .standard, thread: ThreadNotifications = .none) {
        self.settings = settings
        self.thread = thread
    }
}

// MARK: Changes

/// A change of a value, which may also remove it.
package enum SettingChange<Value: Hashable & Sendable>: Hashable, Sendable {
    case keep
    case remove
    case set(Value)

    func applied(to value: Value?) -> Value? {
        switch self {
        case .keep: value
        case .remove: nil
        case .set(let new): new
        }
    }
}

/// A change of a user's settings. Levels that are `nil` stay as they are.
package struct NotificationUpdate: Hashable, Sendable {
    package var direct: NotificationLevel?
    package var group: NotificationLevel?
    package var room: NotificationLevel?
    package var quiet: SettingChange<QuietHours>
    package var mutedUntil: SettingChange<Int64>

    package init(
        direct: NotificationLevel? = nil, group: NotificationLevel? = nil, room: NotificationLevel? = nil,
        quiet: SettingChange<QuietHours> = .keep, mutedUntil: SettingChange<Int64> = .keep
    ) {
        self.direct = direct
        self.group = group
        self.room = room
        self.quiet = quiet
        self.mutedUntil = mutedUntil
    }

    package func applied(to settings: NotificationSettings) -> NotificationSettings {
        NotificationSettings(
            direct: direct ?? settings.direct, group: group ?? settings.group, room: room ?? settings.room,
            quiet: quiet.applied(to: settings.quiet), mutedUntil: mutedUntil.applied(to: settings.mutedUntil))
    }
}

/// A change of a user's settings for a thread.
package struct ThreadNotificationUpdate: Hashable, Sendable {
    package var level: SettingChange<NotificationLevel>
    package var mutedUntil: SettingChange<Int64>

    package init(level: SettingChange<NotificationLevel> = .keep, mutedUntil: SettingChange<Int64> = .keep) {
        self.level = level
        self.mutedUntil = mutedUntil
    }

    package func applied(to settings: ThreadNotifications) -> ThreadNotifications {
        ThreadNotifications(
            level: level.applied(to: settings.level), mutedUntil: mutedUntil.applied(to: settings.mutedUntil))
    }
}

/// The result of a change of a user's settings for a thread.
package enum ThreadNotificationOutcome: Hashable, Sendable {
    /// The settings after the change.
    case changed(ThreadNotifications)
    /// The user is not a member of the thread.
    case nonMember
    /// The user has settings for `ThreadNotifications.mostOfUser` other threads.
    case tooMany
}

extension ThreadNotificationOutcome {
    /// Decides about a change. Settings without an effect become `none`, and the stores keep no row.
    /// - Parameters:
    ///   - present: The settings before the change; `nil` without a row.
    ///   - others: The number of other threads for which the user has settings.
    ///   - now: The current time in Unix milliseconds.
    package init(
        of update: ThreadNotificationUpdate, to present: ThreadNotifications?, isMember: Bool, others: Int64,
        at now: Int64
    ) {
        let settings = update.applied(to: present ?? .none)
        if !isMember {
            self = .nonMember
        } else if settings.isVoid(at: now) {
            self = .changed(.none)
        } else if present == nil, others >= ThreadNotifications.mostOfUser {
            self = .tooMany
        } else {
            self = .changed(settings)
        }
    }
}

// MARK: Stores

extension NotificationLevel {
    /// Decodes a column.
    /// - Throws: `StoreError.failed` for a text that is no level.
    package init(stored text: String) throws(StoreError) {
        guard let level = Self(rawValue: text) else { throw .failed("a row has an unknown level of notifications") }
        self = level
    }
}

extension QuietHours {
    /// Decodes three columns, which are `NULL` without quiet hours.
    /// - Throws: `StoreError.failed` for columns that are no time of the day.
    package static func stored(from: Int64?, to: Int64?, timeZone: String?) throws(StoreError) -> QuietHours? {
        guard let from, let to, let timeZone else { return nil }
        guard let hours = QuietHours(from: from, to: to, timeZone: timeZone) else {
            throw .failed("a row has quiet hours that are no time of the day")
        }
        return hours
    }
}
