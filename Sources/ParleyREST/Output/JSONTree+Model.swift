import ParleyJSON
import ParleyModel

extension JSONTree {
    init(_ user: User) {
        self = .object([("id", .text(user.id.text)), ("username", .text(user.name))])
    }

    /// A user with what they show of themselves.
    init(_ user: User, _ profile: Profile?) {
        self = .object([
            "id": .text(user.id.text), "username": .text(user.name),
            "display_name": profile?.displayName.map { .text($0) }, "avatar_url": profile?.avatarURL.map { .text($0) },
        ])
    }

    init(_ member: ParleyModel.Member, of thread: ThreadID) {
        self = .object([
            ("thread_id", .text(thread.text)), ("user", JSONTree(member.user)), ("role", .text(member.role.rawValue)),
        ])
    }

    /// A thread as somebody sees it who is no member.
    init(_ thread: ThreadInfo, head: Position?) {
        self = .object([
            ("id", .text(thread.id.text)), ("title", .text(thread.title)),
            ("kind", .text(thread.kind.rawValue)), ("epoch", head.map { .text($0.epoch.text) } ?? .null),
            ("seq", .integer(head?.seq ?? 0)),
        ])
    }
}
