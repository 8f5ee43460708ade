import ParleyAccounts
package import ParleyModel

extension Messaging {
    /// Makes the caller a member of the room with this title. That is the caller's own room that is not public, if there is
    /// exactly one, and otherwise the public room. If there is neither, creates a room with the caller as its owner.
    ///
    /// Users who left as `read_only` return as `read_only`. A moderator must add users who were removed. Users who are banned
    /// cannot join.
    ///
    /// The log has the event when this returns. A repeat after a lost reply gets the same position while the event is not stored.
    /// - Parameters:
    ///   - visibility: The visibility of a new room. If `nil`, that of the settings.
    ///   - history: The history of a new room. If `nil`, all of it.
    /// - Throws: `invalid` for an invalid title; `forbidden` for a removed or banned user, and for a user who may not create rooms;
    ///   `rateLimited`; `unavailable` if the log does not accept the event in time. The user is a member nevertheless, and
    ///   persisters relay the event.
    package func join(
        roomTitled title: String, visibility: RoomVisibility? = nil, history: RoomHistory? = nil, by caller: Caller
    ) async throws(MessagingError) -> RoomEntrance {
        let title = try await joinedTitle(title, caller.user)
        let user = caller.user
        try await budgets.charge(user.id)
        let new = NewRoomSettings(visibility: visibility ?? rooms.visibility, history: history ?? .all)
        let change: StateChange<JoinedRoom>
        do throws(MessagingError) {
            change = try await enter(title, new, user, isMaker: rooms.makers == .everyone)
        } catch {
            guard error == .forbidden(Self.noMaker), try await mayMakeRooms(caller) else { throw error }
            change = try await enter(title, new, user, isMaker: true)
        }
        let (joined, room) = (change.value, change.value.membership.thread)
        if joined.isNewMember { ports.directory.forget(thread: room) }
        let receipt = try await relayJoin(of: user, to: joined.membership, change.outbox)
        return RoomEntrance(membership: joined.membership, isNew: joined.isNewMember, receipt: receipt)
    }

    private static let noMaker = "there is no room of this title that you can join, and you may not create rooms"

    private func enter(
        _ title: RoomTitle, _ new: NewRoomSettings, _ user: User, isMaker: Bool
    ) async throws(MessagingError) -> StateChange<JoinedRoom> {
        try await commit {
            try await ports.state.join(
                user, roomTitled: title.text, newID: ThreadID(UUIDv7(clock)), visibility: new.visibility,
                history: new.history, at: clock.milliseconds
            ) { [self] roles in
                if roles.thread == nil, !isMaker { throw MessagingError.forbidden(Self.noMaker) }
                try roles.checkJoining(as: nil, at: clock.milliseconds)
            }
        }
    }

    /// Relays the `joined` event of a member, and notifies the nodes so that their sockets see the log from that event on.
    /// - Parameter entries: The outbox entries of the change. If empty, nothing was changed, and the event of an earlier change
    ///   is looked up.
    /// - Returns: The event's position; `nil` if the user already was a member and everything has been relayed.
    func relayJoin(
        of user: User, to membership: Membership, _ entries: [OutboxEntry]
    ) async throws(MessagingError) -> Receipt? {
        let thread = membership.thread.id
        let position = try await ownPlace(entries, in: thread) {
            if case .joined(let member, _) = $0 { member.id == user.id } else { false }
        }
        guard let receipt = position else { return nil }
        let entry = entries.last { $0.isJoining(thread) }?.id
        notify(.added(membership.begun(at: receipt.position, entry), after: receipt.position.seq - 1), user.id)
        return receipt
    }

    /// Returns the title of a room to join. The room exists, or its creator may choose this title.
    private func joinedTitle(_ text: String, _ user: User) async throws(MessagingError) -> RoomTitle {
        do {
            return try RoomTitle(chosen: text)
        } catch .misleading(let violation) {
            let title = try roomTitle(text)
            if try await room(titled: text) != nil { return title }
            let own = try await read { try await ports.directory.memberships(of: user.id) }
            let isOwn = own.contains { $0.thread.kind == .room && $0.thread.title.utf8.elementsEqual(title.text.utf8) }
            if isOwn { return title }
            throw .invalid(RoomTitle.Violation.misleading(violation).explanation)
        } catch {
            throw .invalid(error.explanation)
        }
    }

    /// Returns a title that a user chose for a room.
    func chosenTitle(_ text: String) throws(MessagingError) -> RoomTitle {
        do {
            return try RoomTitle(chosen: text)
        } catch {
            throw .invalid(error.explanation)
        }
    }

    func roomTitle(_ text: String) throws(MessagingError) -> RoomTitle {
        do {
            return try RoomTitle(text)
        } catch {
            throw .invalid(error.explanation)
        }
    }
}

/// The settings of a room that is created if there is none.
private struct NewRoomSettings {
    let visibility: RoomVisibility
    let history: RoomHistory
}

extension Membership {
    /// Returns the membership with the position of its `joined` event, if the log begins there and it was not known yet.
    /// - Parameter entry: The outbox entry of the event; `nil` if the membership has it.
    func begun(at position: Position, _ entry: Int64?) -> Membership {
        guard case .joining(let known)? = start else { return self }
        return with(start: .joined(position, entry: entry ?? known))
    }
}

extension MemberRoles {
    /// Checks that the affected user may become a member by themselves.
    /// - Parameter role: The role that the user wants; `nil` for any.
    /// - Throws: `forbidden` for a ban in force, which the user may read; `RightsViolation`.
    func checkJoining(as role: Membership.Role?, at now: Int64) throws {
        if let ban = sanctions.ban, ban.isInForce(at: now) { throw MessagingError(ban) }
        if let violation = restrictions.violation(joiningAs: role) { throw violation }
    }
}

/// The result of a join.
package struct RoomEntrance: Hashable, Sendable {
    package var membership: Membership
    /// Whether the user was not a member before.
    package var isNew: Bool
    /// The position of the `joined` event; `nil` if the user already was a member and the event was relayed earlier.
    package var receipt: Receipt?
}
