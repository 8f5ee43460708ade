/// A link that leads into a room: any user who has its code may join, whatever the room's visibility.
///
/// The stores keep a hash of the code. A link is independent of its author, ends with the room, and expires by itself: the rules
/// compare its end with the database's time.
package struct RoomLink: Hashable, Sendable {
    /// The longest time that a link with an end lasts: ten years, in seconds.
    package static let longestSeconds = Sanction.longestSeconds
    /// The maximum number of uses of a link that has a limit.
    package static let mostUses: Int64 = 10_000
    /// The maximum number of links of a room that are in force.
    package static let mostInForce = 50

    package let id: LinkID
    /// The member who made it.
    package let author: UserID
    /// When it was made, in Unix milliseconds by the database's clock.
    package let since: Int64
    /// The end in Unix milliseconds by the database's clock; `nil` for a link that lasts until it is revoked.
    package let until: Int64?
    /// The number of users who may join by it; `nil` for any number.
    package let uses: Int64?
    /// The number of users who have joined by it.
    package var used: Int64

    package init(id: LinkID, author: UserID, since: Int64, until: Int64? = nil, uses: Int64? = nil, used: Int64 = 0) {
        self.id = id
        self.author = author
        self.since = since
        self.until = until
        self.uses = uses
        self.used = used
    }

    /// Whether the link has not expired. A member may still follow one that is used up.
    /// - Parameter now: Unix milliseconds by the database's clock.
    package func isCurrent(at now: Int64) -> Bool { until.map { now < $0 } ?? true }

    /// Whether a user can join by the link: it has neither expired nor been used up.
    /// - Parameter now: Unix milliseconds by the database's clock.
    package func isInForce(at now: Int64) -> Bool { isCurrent(at: now) && uses.map { used < $0 } ?? true }
}

/// A room as the holder of a link's code sees it before joining.
package struct LinkedRoom: Hashable, Sendable {
    package let link: RoomLink
    package let thread: ThreadInfo
    /// The number of members.
    package let members: Int64
    /// Whether the holder is a member.
    package let isMember: Bool

    package init(link: RoomLink, thread: ThreadInfo, members: Int64, isMember: Bool) {
        self.link = link
        self.thread = thread
        self.members = members
        self.isMember = isMember
    }
}
