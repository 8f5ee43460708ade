/// A moderator's invitation of a user to a room or group.
///
/// It belongs to the thread and the user, and ends with the user's membership, a ban, the deletion of the thread, or the erasure
/// of the user or the author.
package struct Invitation: Hashable, Sendable {
    /// The maximum number of open invitations to a thread, and to a user.
    package static let (limitOfThread, limitOfUser): (Int64, Int64) = (1000, 100)
    /// The maximum number of invitations that a user makes in a day.
    package static let limitOfDay = 100

    package let author: UserID
    /// The author's words to the user, at most `EntranceText.scalars`.
    package let text: String?
    /// When it was made, in Unix milliseconds by the database's clock.
    package let since: Int64
    /// The end in Unix milliseconds; `nil` for none.
    package let until: Int64?

    package init(by author: UserID, text: String? = nil, since: Int64, until: Int64? = nil) {
        self.author = author
        self.text = text
        self.since = since
        self.until = until
    }

    /// Whether the invitation has not expired.
    /// - Parameter now: Unix milliseconds by the database's clock.
    package func isOpen(at now: Int64) -> Bool { until.map { now < $0 } ?? true }
}

/// A user's request to be let into a thread.
///
/// Its row exists whether or not the thread does, and stays when it is refused, so that the user cannot tell a private room from
/// none.
package struct JoinRequest: Hashable, Sendable {
    /// The name of a state in the stores.
    package enum State: String, CaseIterable, Hashable, Sendable {
        /// Moderators see it.
        case open
        /// Only the user sees it.
        case refused
        /// It was refused, and then withdrawn. It is seen by no user, and keeps another request from being shown to moderators.
        case withdrawn
    }

    /// The duration of a request in milliseconds: 30 days.
    package static let lifetime: Int64 = 2_592_000_000
    /// The maximum number of requests of a user.
    package static let limitOfUser: Int64 = 20
    /// The maximum number of open requests in a thread. Further ones are not shown to its moderators.
    package static let limitOfThread: Int64 = 200

    package let text: String?
    /// When it was made, in Unix milliseconds by the database's clock.
    package let since: Int64
    package let state: State

    package init(text: String? = nil, since: Int64, state: State = .open) {
        self.text = text
        self.since = since
        self.state = state
    }

    /// The end in Unix milliseconds.
    package var until: Int64 { since + Self.lifetime }
    /// Requests made before this time have ended before a time, both in Unix milliseconds.
    package static func oldest(endedBefore milliseconds: Int64) -> Int64 {
        let (oldest, isBeyond) = milliseconds.subtractingReportingOverflow(lifetime)
        return isBeyond ? .min : oldest
    }
    /// Whether the request has not expired.
    package func isCurrent(at now: Int64) -> Bool { now < until }

    /// Returns this request in another state.
    package func with(_ state: State) -> JoinRequest { JoinRequest(text: text, since: since, state: state) }
}

/// The limits of what users write in invitations and requests, and of their duration.
package enum EntranceText {
    /// The maximum length of a text, in Unicode scalars.
    package static let scalars = 500
    /// The allowed duration of an invitation, in seconds: a minute to a year.
    package static let seconds: ClosedRange<Int64> = 60...31_536_000
}
