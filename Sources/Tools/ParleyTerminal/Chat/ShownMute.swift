/// A mute of the user in a conversation. The reason is unchanged from the server.
package struct ShownMute: Hashable, Sendable {
    /// The end in milliseconds since 1970; `nil` for a mute that lasts until a moderator ends it.
    package var milliseconds: Int64?
    /// The same in the user's time zone.
    package var until: LocalTime?
    package var reason: String?

    package init(milliseconds: Int64? = nil, until: LocalTime? = nil, reason: String? = nil) {
        self.milliseconds = milliseconds
        self.until = until
        self.reason = reason
    }

    /// `muted until 2026-11-27 14:05`
    package var label: String { "muted\(end)" }

    private var end: String { until.map { " until \($0.date) \($0.clock)" } ?? "" }

    /// Returns the notice for a mute that has begun or changed, or for one that has ended. It is not safe to print.
    /// - Parameters:
    ///   - mute: The mute; `nil` if it has ended.
    ///   - place: The conversation in a sentence, for example its title.
    package static func notice(_ mute: ShownMute?, in place: String) -> String {
        guard let mute else { return "Your mute in \(place) has ended." }
        let reason = mute.reason.map { ": \($0)" } ?? "."
        return "You are muted in \(place)\(mute.end)\(reason)"
    }
}
