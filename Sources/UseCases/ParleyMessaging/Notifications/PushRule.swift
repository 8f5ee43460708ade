package import ParleyModel

/// Whether a message notifies a user.
package enum PushDecision: Hashable, Sendable {
    case notify
    /// The message counts as unread, and nothing is sent.
    case silent(Reason)

    package enum Reason: String, CaseIterable, Hashable, Sendable {
        /// The user has muted everything.
        case muted
        /// The user has muted the thread.
        case threadMuted = "thread_muted"
        /// The level of the thread does not include the message.
        case level
        case quietHours = "quiet_hours"
    }
}

/// Decides whether a message notifies a user. The sender of a message is never asked about.
package enum PushRule {
    /// - Parameters:
    ///   - recipient: The settings of the user, and those for the thread.
    ///   - kind: The kind of the thread.
    ///   - isMention: Whether the message mentions the user or everyone.
    ///   - now: The current time in Unix milliseconds.
    package static func decide(
        _ recipient: RecipientSettings, in kind: ThreadInfo.Kind, isMention: Bool, at now: Int64
    ) -> PushDecision {
        let (settings, thread) = (recipient.settings, recipient.thread)
        if let until = settings.mutedUntil, now < until { return .silent(.muted) }
        if let until = thread.mutedUntil, now < until { return .silent(.threadMuted) }
        switch thread.level ?? settings.level(of: kind) {
        case .all: break
        case .mentions: guard isMention else { return .silent(.level) }
        case .none: return .silent(.level)
        }
        if let quiet = settings.quiet, isQuiet(quiet, at: now) { return .silent(.quietHours) }
        return .notify
    }

    /// Whether a time is within quiet hours. A zone whose name is no longer known has none.
    private static func isQuiet(_ quiet: QuietHours, at now: Int64) -> Bool {
        guard let minute = TimeZones.minuteOfDay(at: now, in: quiet.timeZone) else { return false }
        return quiet.contains(minute: minute)
    }
}
