/// What a thread is, apart from its log.
package struct ThreadInfo: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// Found and joined by its title, which no other room has.
        case room
        /// Between two users.
        case direct
    }

    package let id: ThreadID
    package let kind: Kind
    /// The title of a room. A direct thread has none of its own: each of the two sees the other's name.
    package let title: String

    package init(id: ThreadID, kind: Kind, title: String) {
        self.id = id
        self.kind = kind
        self.title = title
    }

    /// The one direct thread of two users, whoever writes first; every node arrives at the same id without asking.
    ///
    /// Both ids stand in it, so that two pairs never share one; the length of the first tells where it ends. Only when
    /// they are too long for that or end as no thread's id may, which no id that Parley makes does, a hash stands for
    /// them.
    package static func directID(_ one: UserID, _ other: UserID) -> ThreadID {
        let pair = [one.text, other.text].sorted()
        if let id = ThreadID("\(directPrefix)\(pair[0].count).\(pair[0]).\(pair[1])"), !id.text.hasSuffix(eventsSuffix)
        {
            return id
        }
        return ThreadID(trusted: "\(directPrefix)\(FNV1a128.hex(of: "\(pair[0])\n\(pair[1])"))")
    }

    /// What the ids of direct threads begin with, and of no room.
    private static let directPrefix = "direct."
    /// What no thread's id ends with: it names the Redis channel of another thread's events.
    private static let eventsSuffix = ".events"

    /// Why a back end may not give this id to a room, for whoever reads it; `nil` if it may.
    package static func violation(inRoomID id: ThreadID) -> String? {
        if id.text.hasPrefix(directPrefix) { return "ids that begin with \(directPrefix) are those of direct threads" }
        if id.text.hasSuffix(eventsSuffix) { return "ids that end with \(eventsSuffix) are not allowed" }
        return nil
    }
}
