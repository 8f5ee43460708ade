import ParleyAccounts
package import ParleyModel
import Synchronization

extension StateChanges {
    /// Gives a room another title, which is its owner's right; the same one again does nothing.
    /// - Throws: `invalid`, `notFound`, `notAMember`, `forbidden`, `unavailable`; `conflict` if another room has it.
    package func rename(
        _ thread: ThreadID, to title: String, by asker: User
    ) async throws(MessagingError) {
        let title = try roomTitle(title)
        let old = Mutex<ThreadInfo?>(nil)
        let change = try await commit { () async throws -> StateChange<ThreadInfo?> in
            do {
                return try await store.rename(thread, to: title.text, by: asker.id, at: clock.milliseconds) { roles in
                    let membership = try Self.changer(roles)
                    old.withLock { $0 = membership.thread }
                }
            } catch StoreError.taken {
                throw MessagingError.conflict("another room has this title")
            }
        }
        guard change.value != nil else { throw Self.noThread }
        if let old = old.withLock({ $0 }) {
            directory.forget(thread: old)
            directory.forget(thread: ThreadInfo(id: thread, kind: old.kind, title: title.text))
        }
        _ = await relayedSoon(change.outbox, of: thread)
    }

    /// Who wants to change a thread as a whole, if they may.
    static func changer(_ roles: MemberRoles) throws -> Membership {
        guard let thread = roles.thread else { throw noThread }
        guard let role = roles.asker else { throw MessagingError.notAMember }
        let membership = Membership(thread: thread, role: role)
        if let flaw = ThreadRights.flaw(changingAs: membership) { throw flaw }
        return membership
    }
}
