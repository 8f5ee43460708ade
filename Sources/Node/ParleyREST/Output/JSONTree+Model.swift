import ParleyJSON
import ParleyMessaging
import ParleyModel

extension JSONTree {
    init(_ user: User) {
        self = .ordered([("id", .text(user.id.text)), ("username", .text(user.name))])
    }

    /// Makes the object of a user with their profile.
    init(_ user: User, _ profile: Profile?) {
        var members: [(String, JSONTree)] = [("id", .text(user.id.text)), ("username", .text(user.name))]
        if let name = profile?.displayName { members.append(("display_name", .text(name))) }
        if let url = profile?.avatarURL { members.append(("avatar_url", .text(url))) }
        self = .ordered(members)
    }

    init(_ member: ParleyModel.Member, of thread: ThreadID) {
        var members: [(String, JSONTree)] = [
            ("thread_id", .text(thread.text)), ("user", JSONTree(member.user, member.profile)),
            ("role", .text(member.role.rawValue)),
        ]
        if let seq = member.readSeq { members.append(("read_seq", .integer(seq))) }
        if let milliseconds = member.readMilliseconds { members.append(("read_ms", .integer(milliseconds))) }
        self = .ordered(members)
    }

    /// Returns the fields of a page of members.
    static func page(_ members: ListPage<ParleyModel.Member>, of thread: ThreadID) -> [(String, JSONTree)] {
        [
            ("members", .array(members.elements.map { JSONTree($0, of: thread) })),
            ("next_cursor", members.last.map { .text($0.user.id.text) } ?? .null),
        ]
    }

    init(_ record: SanctionRecord, in thread: ThreadID) {
        var members: [(String, JSONTree)] = [
            ("thread_id", .text(thread.text)), ("user", JSONTree(record.user)),
            ("kind", .text(record.sanction.kind.rawValue)), ("since_ms", .integer(record.since)),
        ]
        if let until = record.sanction.until { members.append(("until_ms", .integer(until))) }
        if let reason = record.sanction.reason { members.append(("reason", .text(reason))) }
        if let author = record.author { members.append(("by_id", .text(author.text))) }
        self = .ordered(members)
    }

    /// Returns the fields of a page of sanctions.
    static func page(_ sanctions: ListPage<SanctionRecord>, in thread: ThreadID) -> [(String, JSONTree)] {
        [
            ("sanctions", .array(sanctions.elements.map { JSONTree($0, in: thread) })),
            ("next_cursor", sanctions.last.map { .text(SanctionPlace($0).text) } ?? .null),
        ]
    }

    /// Makes the object of a thread as seen by users who are not members.
    init(_ thread: ThreadInfo, _ history: RoomHistory?, _ details: RoomDetails?, head: Position?) {
        self = .ordered(
            [
                ("id", .text(thread.id.text)), ("title", .text(thread.title)),
                ("kind", .text(thread.kind.rawValue)), ("visibility", .text(thread.visibility.rawValue)),
            ] + Self.members(of: history) + Self.members(of: details) + [
                ("epoch", head.map { .text($0.epoch.text) } ?? .null), ("seq", .integer(head?.seq ?? 0)),
            ])
    }

    /// Makes the members with the details of a room that differ from their default.
    static func members(of details: RoomDetails?) -> [(String, JSONTree)] {
        guard let details, details != RoomDetails(), case .members(let members) = details.options.tree else {
            return []
        }
        return members.map { ($0.key, $0.value) }
            + [("description", details.description), ("rules", details.rules)].compactMap { name, text in
                text.map { (name, .text($0)) }
            }
    }

    init(_ block: BlockRecord) {
        self = .ordered([("user", JSONTree(block.user)), ("since_ms", .integer(block.since))])
    }

    /// Makes the member with the history of a room.
    static func members(of history: RoomHistory?) -> [(String, JSONTree)] {
        history.map { [("history", .text($0.rawValue))] } ?? []
    }
}
