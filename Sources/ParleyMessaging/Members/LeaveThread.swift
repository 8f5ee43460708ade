package import ParleyModel

extension StateChanges {
    /// Ends a membership at the user's own request, regardless of their role.
    ///
    /// A `read_only` user remains so in the thread, whether a member or not; all other roles end.
    /// The log has the event when this returns, and the user's sockets get it before access ends. A repeat after a lost
    /// reply gets the same position, as long as the event is not stored.
    /// - Returns: the position of the `left` event; `nil` if the user was not a member.
    /// - Throws: `notFound` for an unknown thread; `rateLimited`; `unavailable` if the log does not accept the event in
    ///   time: the membership has ended nevertheless, and persisters relay the event.
    package func leave(_ thread: ThreadID, _ user: User) async throws(MessagingError) -> Receipt? {
        try await charge(user.id)
        let change = try await commit {
            try await store.removeMember(user, from: thread, by: user.id, isRemoval: false, at: clock.milliseconds) {
                roles in
                guard roles.thread != nil else { throw Self.noThread }
            }
        }
        let receipt = try await ownPlace(change.outbox, in: thread) {
            if case .left(let member, _) = $0 { member.id == user.id } else { false }
        }
        if receipt != nil || change.value.before != nil { notify(.removed(thread, left: receipt?.position), user.id) }
        return receipt
    }
}
