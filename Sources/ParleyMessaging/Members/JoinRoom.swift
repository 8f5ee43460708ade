import ParleyAccounts
package import ParleyModel

extension StateChanges {
    /// Makes a user a member of the room of this title, which is made if there is none; its maker is the owner.
    ///
    /// When it returns, the log has the event. A repeat whose first answer was lost gets the same place, as long as the
    /// event is not stored.
    /// - Throws: `invalid` for a title that is none; `rateLimited`; `unavailable` if the log has not taken the event
    ///   in time: the user is a member all the same, and everybody will be told.
    package func join(_ user: User, roomTitled title: String) async throws(MessagingError) -> RoomEntrance {
        let title = try roomTitle(title)
        try await charge(user.id)
        let change = try await commit {
            try await store.join(
                user, roomTitled: title.text, newID: ThreadID(UUIDv7(clock)), at: clock.milliseconds)
        }
        let (joined, room) = (change.value, change.value.membership.thread)
        if joined.isNewMember { directory.forget(thread: room) }
        let receipt = try await relayJoin(of: user, to: joined.membership, change.outbox)
        return RoomEntrance(membership: joined.membership, isNew: joined.isNewMember, receipt: receipt)
    }

    /// Relays the `joined` event of a member, and lets their sockets in below it.
    /// - Parameter entries: of the change; none if it changed nothing, and then the event of an earlier one is looked for.
    /// - Returns: where it stands; `nil` if the user was a member before, and all is told.
    func relayJoin(
        of user: User, to membership: Membership, _ entries: [OutboxEntry]
    ) async throws(MessagingError) -> Receipt? {
        let thread = membership.thread.id
        let told = try await ownPlace(entries, in: thread) {
            if case .joined(let member, _) = $0 { member.id == user.id } else { false }
        }
        guard let receipt = told else { return nil }
        tell(.added(membership, after: receipt.position.seq - 1), user.id)
        return receipt
    }

    func roomTitle(_ text: String) throws(MessagingError) -> RoomTitle {
        do {
            return try RoomTitle(text)
        } catch {
            throw .invalid(error.explanation)
        }
    }
}

/// The answer to a join.
package struct RoomEntrance: Hashable, Sendable {
    package var membership: Membership
    /// The user was no member before.
    package var isNew: Bool
    /// Where the log says so; `nil` if the user was a member before, and the log has told so long ago.
    package var receipt: Receipt?

    package init(membership: Membership, isNew: Bool, receipt: Receipt?) {
        self.membership = membership
        self.isNew = isNew
        self.receipt = receipt
    }
}
