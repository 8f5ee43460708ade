import ParleyAccounts
package import ParleyModel

extension Messaging {
    /// Renames a room. Only the owner may do this. Setting the same title again has no effect.
    /// - Throws: `invalid`, `notFound`, `notAMember`, `forbidden`, `rateLimited`, `unavailable`; `conflict` if the room is
    ///   public and another public room has the title.
    package func rename(
        _ thread: ThreadID, to title: String, by caller: Caller
    ) async throws(MessagingError) {
        let title = try chosenTitle(title)
        try await budgets.charge(caller.user.id)
        let change = try await commit { () async throws -> StateChange<RoomChange?> in
            do {
                return try await ports.state.rename(thread, to: title.text, by: caller.user.id, at: clock.milliseconds)
                {
                    roles in
                    try Self.checkChanger(roles, caller.user.id)
                }
            } catch StoreError.taken {
                throw MessagingError.conflict("another public room has this title")
            }
        }
        guard let renamed = change.value else { throw MessagingError.noThread }
        for thread in [renamed.before, renamed.after] { ports.directory.forget(thread: thread) }
        _ = await relayedSoon(change.outbox, of: thread)
    }

    /// Checks the right to change a thread as a whole.
    static func checkChanger(_ roles: MemberRoles, _ requester: UserID) throws {
        let thread = try roles.thread(for: requester)
        guard let role = roles.requester else { throw MessagingError.notAMember }
        if let violation = ThreadRights.violation(changingAs: Membership(thread: thread, role: role)) {
            throw violation
        }
    }
}
