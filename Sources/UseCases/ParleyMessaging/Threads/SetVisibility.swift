import ParleyAccounts
package import ParleyModel

extension Messaging {
    /// Changes the title of a room, its visibility, its history, its details, or several of them, one after the other.
    ///
    /// The title is changed while the room is not public, if it is not public before or after the change. So only the title
    /// that the public room has in the end must be free. If it is not, the room has its new title, but is not public.
    /// - Throws: The same errors as `rename`, `setVisibility`, `setHistory` and `setRoom`.
    package func change(
        _ thread: ThreadID, title: String?, visibility: RoomVisibility?, history: RoomHistory? = nil,
        _ update: RoomUpdate = RoomUpdate(), by caller: Caller
    ) async throws(MessagingError) {
        if let title { _ = try chosenTitle(title) }
        let update = try update.checked()
        // Before the room may become public.
        if let history { try await setHistory(history, of: thread, by: caller) }
        if let visibility, visibility != .public { try await setVisibility(visibility, of: thread, by: caller) }
        if let title { try await rename(thread, to: title, by: caller) }
        if visibility == .public { try await setVisibility(.public, of: thread, by: caller) }
        if !update.isEmpty { try await setRoom(update, of: thread, by: caller) }
    }

    /// Changes who finds and enters a room. Only the owner may do this. Setting the same visibility again has no effect.
    /// - Throws: `notFound`, `notAMember`, `forbidden`, `rateLimited`, `unavailable`; `conflict` if the room becomes public
    ///   and another public room has its title.
    package func setVisibility(
        _ visibility: RoomVisibility, of thread: ThreadID, by caller: Caller
    ) async throws(MessagingError) {
        try await budgets.charge(caller.user.id)
        _ = try await set(visibility, of: thread, by: caller.user.id, as: .user(caller.user.id)) { roles in
            try Self.checkChanger(roles, caller.user.id)
            try Self.checkNoGroup(roles)
        }
    }

    /// Changes the visibility of any room at an operator's request.
    /// - Returns: The room after the change.
    package func setVisibility(
        _ visibility: RoomVisibility, of thread: ThreadID, by requester: Operator
    ) async throws(MessagingError) -> ThreadInfo {
        try await charge(requester)
        return try await set(
            visibility, of: thread, by: requester.author ?? LogEvent.operatorID, as: requester.actor
        ) { roles in
            guard let info = roles.thread else { throw MessagingError.noThread }
            if info.kind == .direct { throw RightsViolation.directThread }
            try Self.checkNoGroup(roles)
        }
    }

    private static func checkNoGroup(_ roles: MemberRoles) throws(MessagingError) {
        if roles.thread?.kind == .group { throw .invalid("a group is always private") }
    }

    private func set(
        _ visibility: RoomVisibility, of thread: ThreadID, by author: UserID, as actor: AuditActor,
        authorize: @escaping Authorization
    ) async throws(MessagingError) -> ThreadInfo {
        let change = try await commit { () async throws -> StateChange<RoomChange?> in
            do {
                return try await ports.state.setVisibility(
                    visibility, of: thread, by: author, as: actor, authorize: authorize)
            } catch StoreError.taken {
                throw MessagingError.conflict("another public room has this title")
            }
        }
        guard let changed = change.value else { throw MessagingError.noThread }
        ports.directory.forget(thread: changed.after)
        _ = await relayedSoon(change.outbox, of: thread)
        return changed.after
    }
}
