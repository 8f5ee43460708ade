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
    /// they are too long for that, which no id that Parley makes is, a hash stands for them.
    package static func directID(_ one: UserID, _ other: UserID) -> ThreadID {
        let pair = [one.text, other.text].sorted()
        return ThreadID("direct.\(pair[0].count).\(pair[0]).\(pair[1])")
            ?? ThreadID(trusted: "direct.\(FNV1a128.hex(of: "\(pair[0])\n\(pair[1])"))")
    }
}
