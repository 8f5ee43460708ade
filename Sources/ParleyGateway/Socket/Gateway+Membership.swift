import ParleyModel

extension Gateway {
    /// The first message of a direct thread was accepted: both users are members from now on, and see it.
    ///
    /// Said after the acceptance and not before, with a position below the message: whoever has a socket by now gets
    /// the message from the log, and whoever opens one later finds the membership in the store.
    func announce(_ membership: Membership, of user: User, at receipt: Receipt) {
        guard let peer = membership.peer else { return }
        let before = receipt.position.seq - 1
        let thread = membership.thread.id
        let theirs = Membership(
            thread: ThreadInfo(id: thread, kind: .direct, title: user.name), role: .member, peer: user)
        bus.publish(.added(membership, after: before), to: user.id)
        bus.publish(.added(theirs, after: before), to: peer.id)
    }
}
