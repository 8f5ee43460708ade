package import ParleyModel

/// A thread as its member sees it.
package struct V1Thread: Hashable, Sendable {
    /// The title is what this user sees; for a direct thread, the other's name.
    package var thread: ThreadInfo
    package var role: Membership.Role
    /// The client receives every later event; `nil` for a thread without events.
    package var head: Position?
    package var unread: Int64
    package var readSeq: Int64
    /// The log cannot be reached at the moment, so that `head` is not known; an unasked `resumed` follows when it can.
    package var isUnavailable: Bool
    /// The mute of this user; `nil` for a user who may write, or who may not for another reason.
    package var mute: Sanction?
    /// The topic, the rights and the slow mode of the room.
    package var options: RoomOptions
    /// One of the two members of the direct thread blocks the other.
    package var isBlocked: Bool
    /// The seq of the first event that this user sees; `nil` if they see all.
    package private(set) var visibleFrom: Int64?

    package init(
        thread: ThreadInfo, role: Membership.Role, head: Position? = nil, unread: Int64 = 0, readSeq: Int64 = 0,
        isUnavailable: Bool = false, mute: Sanction? = nil, options: RoomOptions = .standard, isBlocked: Bool = false
    ) {
        self.options = options
        self.isBlocked = isBlocked
        self.thread = thread
        self.role = role
        self.head = head
        self.unread = unread
        self.readSeq = readSeq
        self.isUnavailable = isUnavailable
        self.mute = mute
    }

    /// - Parameter now: Unix milliseconds by the database's clock.
    package init(_ membership: Membership, at now: Int64) {
        self.init(
            thread: membership.thread, role: membership.role, mute: membership.mute(at: now),
            options: membership.options, isBlocked: membership.isBlocked)
    }

    /// Lets the log begin for this user. The client gets nothing below, so a lower `head` is moved up to the start.
    package mutating func begin(at start: HistoryStart?) {
        guard let start else { return }
        // While the start is unknown, nothing that is stored is visible.
        let first = start.isKnown ? start.firstSeq : (head?.seq ?? 0) + 1
        visibleFrom = first
        guard head?.seq ?? 0 < first - 1, let epoch = head?.epoch ?? start.epoch else { return }
        head = Position(epoch: epoch, seq: first - 1)
    }
}
