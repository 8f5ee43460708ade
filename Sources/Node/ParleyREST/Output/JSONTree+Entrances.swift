import ParleyJSON
import ParleyModel

extension JSONTree {
    /// Makes the object of an invitation in the list of a thread.
    init(toThread record: InvitationRecord) {
        self = .ordered(
            [("thread_id", .text(record.thread.id.text)), ("user", JSONTree(record.user))] + Self.terms(of: record))
    }

    /// Makes the object of an invitation in the list of the invited user.
    init(toUser record: InvitationRecord) {
        self = .ordered([("thread", .ordered(Self.seen(record.thread, withID: true)))] + Self.terms(of: record))
    }

    private static func terms(of record: InvitationRecord) -> [(String, JSONTree)] {
        var members: [(String, JSONTree)] = [("by", JSONTree(record.author))]
        if let text = record.invitation.text { members.append(("text", .text(text))) }
        members.append(("since_ms", .integer(record.invitation.since)))
        if let until = record.invitation.until { members.append(("until_ms", .integer(until))) }
        return members
    }

    /// Returns what users who are not members need in order to decide.
    private static func seen(_ thread: ThreadInfo, withID: Bool) -> [(String, JSONTree)] {
        let id: [(String, JSONTree)] = withID ? [("id", .text(thread.id.text))] : []
        return id + [
            ("title", .text(thread.title)), ("kind", .text(thread.kind.rawValue)),
            ("visibility", .text(thread.visibility.rawValue)),
        ]
    }

    /// Makes the object of a request.
    /// - Parameter user: The user, in the list of moderators; `nil` in the user's own list.
    init(_ request: JoinRequest, of user: User?, in thread: ThreadID) {
        var members: [(String, JSONTree)] = [("thread_id", .text(thread.text))]
        if let user { members.append(("user", JSONTree(user))) }
        if let text = request.text { members.append(("text", .text(text))) }
        members.append(("since_ms", .integer(request.since)))
        if user == nil { members.append(("until_ms", .integer(request.until))) }
        self = .ordered(members)
    }

    /// Makes the object of a link for moderators.
    /// - Parameter code: The code of a link that has just been made.
    init(_ link: RoomLink, code: String?) {
        var members: [(String, JSONTree)] = [("id", .text(link.id)), ("thread_id", .text(link.thread.text))]
        if let code { members.append(("code", .text(code))) }
        members += [("by_id", .text(link.author.text)), ("since_ms", .integer(link.since))]
        if let until = link.until { members.append(("until_ms", .integer(until))) }
        if let uses = link.uses { members.append(("uses", .integer(uses))) }
        members.append(("used", .integer(link.used)))
        self = .ordered(members)
    }

    /// Makes the object of a link for the users who have its code.
    init(_ view: LinkView, isMember: Bool) {
        var members: [(String, JSONTree)] = [
            ("thread", .ordered(Self.seen(view.thread, withID: isMember))), ("members", .integer(view.memberCount)),
        ]
        if let until = view.link.until { members.append(("until_ms", .integer(until))) }
        members.append(("is_member", .bool(isMember)))
        self = .ordered(members)
    }
}
