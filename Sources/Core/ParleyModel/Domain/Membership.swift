/// A user's membership in a thread.
package struct Membership: Hashable, Sendable {
    /// The role of a member. `MessageRights` and `ThreadRights` define its rights.
    package enum Role: String, Hashable, Sendable {
        /// The creator of the thread.
        case owner
        case moderator
        case member
        case readOnly = "read_only"
    }

    package let thread: ThreadInfo
    package let role: Role
    /// The other member of a direct thread.
    package let peer: User?
    /// The member's mute in the thread, which may have ended.
    package let mute: Sanction?
    /// Where the log begins for the member; `nil` if they see all of it.
    package let start: HistoryStart?
    /// The rights, the slow mode and the topic of the room.
    package let options: RoomOptions
    /// Whether one of the two members of a direct thread blocks the other, so that neither may write.
    package let isBlocked: Bool

    package init(
        thread: ThreadInfo, role: Role, peer: User? = nil, mute: Sanction? = nil, start: HistoryStart? = nil,
        options: RoomOptions = .standard, isBlocked: Bool = false
    ) {
        self.thread = thread
        self.role = role
        self.peer = peer
        self.mute = mute
        self.start = start
        self.options = options
        self.isBlocked = isBlocked
    }

    /// The seq of the first event that the member sees; above every seq while it is unknown.
    package var firstSeq: Int64 { start?.firstSeq ?? 1 }

    /// Returns the membership with another start of the log.
    package func with(start: HistoryStart?) -> Membership {
        Membership(
            thread: thread, role: role, peer: peer, mute: mute, start: start, options: options, isBlocked: isBlocked)
    }

    /// Returns the membership with other options of its room.
    package func with(options: RoomOptions) -> Membership {
        Membership(
            thread: thread, role: role, peer: peer, mute: mute, start: start, options: options, isBlocked: isBlocked)
    }

    /// The membership with a block between the two members of its direct thread.
    package var blocked: Membership {
        Membership(
            thread: thread, role: role, peer: peer, mute: mute, start: start, options: options, isBlocked: true)
    }

    /// Whether the member has a right of the room that not everyone may have.
    package func has(_ right: RoomRight) -> Bool {
        switch role {
        case .owner, .moderator: true
        case .member, .readOnly: options.rights[right] == .everyone
        }
    }

    /// Returns the member's mute, unless it has ended.
    /// - Parameter now: Unix milliseconds by the database's clock.
    package func mute(at now: Int64) -> Sanction? {
        guard let mute, mute.isInForce(at: now) else { return nil }
        return mute
    }

    /// Returns a user's membership in the direct thread with `peer`, whether or not the thread exists yet.
    /// - Parameter isBlocked: Whether one of the two blocks the other.
    package static func direct(of user: UserID, with peer: User, isBlocked: Bool = false) -> Membership {
        let thread = ThreadInfo(id: ThreadInfo.directID(user, peer.id), kind: .direct, title: peer.name)
        return Membership(thread: thread, role: .member, peer: peer, isBlocked: isBlocked)
    }
}
