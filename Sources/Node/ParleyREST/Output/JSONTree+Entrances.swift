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
        self = .ordered([("thread", .ordered(Self.seen(record.thread)))] + Self.terms(of: record))
    }

    private static func terms(of record: InvitationRecord) -> [(String, JSONTree)] {
        var members: [(String, JSONTree)] = [("by", JSONTree(record.author))]
        if let text = record.invitation.text { members.append(("text", .text(text))) }
        members.append(("since_ms", .integer(record.invitation.since)))
        if let until = record.invitation.until { members.append(("until_ms", .integer(until))) }
        return members
    }

    /// Returns what users who are not members need in order to decide.
    private static func seen(_ thread: ThreadInfo) -> [(String, JSONTree)] {
        [
            ("id", .text(thread.id.text)), ("title", .text(thread.title)), ("kind", .text(thread.kind.rawValue)),
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
}
