package import ParleyModel

/// What a session asks of its surroundings while it decides: who the client is, and what is known of it on this loop.
package protocol SessionClient {
    var user: User { get }
    func membership(of thread: ThreadID) -> Membership?
    /// The direct thread that this user already has with the user of that name.
    func directMembership(withUserNamed name: String) -> Membership?
    /// Takes one of a budget of the user.
    /// - Parameter now: microseconds by a clock that never goes back.
    func take(_ kind: BudgetKind, at now: Int64) -> Permit
}

extension SessionClient {
    /// The direct thread with `peer`, whether there is one yet or not.
    package func directMembership(with peer: User) -> Membership {
        let thread = ThreadInfo(id: ThreadInfo.directID(user.id, peer.id), kind: .direct, title: peer.name)
        return Membership(thread: thread, role: .member, peer: peer)
    }
}
