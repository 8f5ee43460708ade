package import ParleyModel

/// What a session reads from its owner while it decides: the client's identity, and what the event loop knows of it.
package protocol SessionClient {
    var user: User { get }
    func membership(of thread: ThreadID) -> Membership?
    /// The existing direct thread of this user with the user whom a text names, an id or a name; `nil` also if that must
    /// be looked up first.
    func directMembership(withUser text: String) -> Membership?
    /// Takes one token of a budget of the user.
    /// - Parameter now: microseconds by a monotonic clock.
    func take(_ kind: BudgetKind, at now: Int64) -> Permit
}

extension SessionClient {
    /// The direct thread with `peer`, whether it exists yet or not.
    package func directMembership(with peer: User) -> Membership {
        let thread = ThreadInfo(id: ThreadInfo.directID(user.id, peer.id), kind: .direct, title: peer.name)
        return Membership(thread: thread, role: .member, peer: peer)
    }
}
