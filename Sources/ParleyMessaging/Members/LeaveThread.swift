package import ParleyModel

extension StateChanges {
    /// Ends the membership of a user who wants that, whatever their role.
    ///
    /// When it returns, the log has the event, and the user's sockets get it before they are out. A repeat whose first
    /// answer was lost gets the same place, as long as the event is not stored.
    /// - Returns: where the log says so; `nil` if the user was no member.
    /// - Throws: `notFound` for an unknown thread; `rateLimited`; `unavailable` if the log has not taken the event in
    ///   time: the user is no member any more all the same, and everybody will be told.
    package func leave(_ thread: ThreadID, _ user: User) async throws(MessagingError) -> Receipt? {
        try await charge(user.id)
        let change = try await commit {
            try await store.removeMember(user, from: thread, by: user.id, at: clock.milliseconds) { roles in
                guard roles.thread != nil else { throw Self.noThread }
            }
        }
        let receipt = try await ownPlace(change.outbox, in: thread) {
            if case .left(let member, _) = $0 { member.id == user.id } else { false }
        }
        if receipt != nil || change.value.before != nil { tell(.removed(thread, left: receipt?.position), user.id) }
        return receipt
    }
}
