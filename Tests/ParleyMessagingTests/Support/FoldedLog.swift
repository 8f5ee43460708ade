import ParleyModel

/// What the events of a thread come to: its members and its title.
struct FoldedLog: Hashable {
    var roles: [UserID: Membership.Role] = [:]
    var title: String?

    /// - Parameter events: of a room that was made by the first who joined.
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

    /// As the tables have it.
    init(_ members: [Member], title: String?) {
        roles = Dictionary(members.map { ($0.user.id, $0.role) }) { first, _ in first }
        self.title = title
    }
}
