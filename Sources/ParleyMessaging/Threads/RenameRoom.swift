import ParleyAccounts
package import ParleyModel

extension StateChanges {
    /// Renames a room; only the owner may. The same title again has no effect.
    /// - Throws: `invalid`, `notFound`, `notAMember`, `forbidden`, `rateLimited`, `unavailable`; `conflict` if another
    ///   room has the title.
    package func rename(
        _ thread: ThreadID, to title: String, by requester: User
    ) async throws(MessagingError) {
        let title = try chosenTitle(title)
        try await charge(requester.id)
        let change = try await commit { () async throws -> StateChange<RoomRename?> in
            do {
                return try await store.rename(thread, to: title.text, by: requester.id, at: clock.milliseconds) {
                    roles in
                    try Self.checkChanger(roles)
                }
            } catch StoreError.taken {
                throw MessagingError.conflict("another room has this title")
            }
        }
        guard let renamed = change.value else { throw Self.noThread }
        for thread in [renamed.before, renamed.after] { directory.forget(thread: thread) }
        _ = await relayedSoon(change.outbox, of: thread)
    }

    /// Checks the right to change a thread as a whole.
    static func checkChanger(_ roles: MemberRoles) throws {
        guard let thread = roles.thread else { throw noThread }
        guard let role = roles.requester else { throw MessagingError.notAMember }
        if let violation = ThreadRights.violation(changingAs: Membership(thread: thread, role: role)) {
            throw violation
        }
    }
}
