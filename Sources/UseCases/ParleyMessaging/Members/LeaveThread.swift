package import ParleyModel

extension Messaging {
    /// Ends the caller's membership, whatever their role.
    ///
    /// A `read_only` user remains `read_only` in the thread, even while not a member. All other roles end.
    /// The log has the event when this returns, and the user's sockets receive it before access ends. A repeat after a lost
    /// reply gets the same position while the event is not stored.
    /// - Returns: The position of the `left` event; `nil` if the user was not a member.
    /// - Throws: `notFound` for an unknown thread, and for a hidden one, unless the leave is a repeat; `rateLimited`;
    ///   `unavailable` if the log does not accept the event in time. The membership has ended nevertheless, and persisters
    ///   relay the event.
    package func leave(_ thread: ThreadID, by caller: Caller) async throws(MessagingError) -> Receipt? {
        let user = caller.user
        try await budgets.charge(user.id)
        var change: StateChange<MemberChange>?
        do throws(MessagingError) {
            change = try await commit {
                try await ports.state.removeMember(
                    user, from: thread, by: user.id, isRemoval: false, at: clock.milliseconds
                ) { roles in
                    if (try? roles.thread(for: user.id)) != nil { return }
                    // The `left` event that waits in the outbox may be that of a removal or a ban.
                    let isPutOut = roles.restrictions.isRemoved || roles.sanctions.ban != nil
                    throw isPutOut ? MessagingError.noThread : MessagingError.notAMember
                }
            }
        } catch {
            guard error == .notAMember else { throw error }
        }
        let receipt = try await ownPlace(change?.outbox ?? [], in: thread) {
            if case .left(let member, _) = $0 { member.id == user.id } else { false }
        }
        // The thread is hidden from all users who do not repeat a leave.
        guard change != nil || receipt != nil else { throw .noThread }
        if receipt != nil || change?.value.before != nil { notify(.removed(thread, left: receipt?.position), user.id) }
        return receipt
    }
}
