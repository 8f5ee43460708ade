import ParleyModel

/// The state that a thread's events add up to: its members and its title.
struct FoldedLog: Hashable {
    var roles: [UserID: Membership.Role] = [:]
    var title: String?

    /// - Parameter events: of a room created by the first user who joined.
    init(_ events: [LogEvent]) {
        for (index, event) in events.enumerated() {
            switch event.body {
            case .joined(let user, _): roles[user.id] = index == 0 ? .owner : .member
            case .left(let user, _): roles[user.id] = nil
            case .role(let user, let role, _): roles[user] = role
            case .renamed(let title, _): self.title = title
            case .message, .edited, .deleted, .reaction: break
            }
        }
    }

    /// The state in the tables.
    init(_ members: [Member], title: String?) {
        roles = Dictionary(members.map { ($0.user.id, $0.role) }) { first, _ in first }
        self.title = title
    }
}
