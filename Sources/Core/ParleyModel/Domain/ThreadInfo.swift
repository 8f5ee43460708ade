/// A thread's properties, without its log.
package struct ThreadInfo: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        /// A thread that is found and joined according to its `RoomVisibility`.
        case room
        /// A thread between two users.
        case direct
        /// A private thread that is not found by its title.
        case group
    }

    package let id: ThreadID
    package let kind: Kind
    /// The title of a room or group. Each member of a direct thread sees the name of the other one instead. A group that has no
    /// title of its own has the names of its first `namesInTitle` members, in the byte order of their ids.
    package let title: String
    /// The visibility, which is `private` for every direct thread and group.
    package let visibility: RoomVisibility

    /// The number of names in the title of a group without a title of its own, and the text between them.
    package static let (namesInTitle, nameSeparator) = (5, ", ")

    /// - Parameter visibility: The visibility of a room; ignored for other threads.
    package init(id: ThreadID, kind: Kind, title: String, visibility: RoomVisibility = .public) {
        self.id = id
        self.kind = kind
        self.title = title
        self.visibility = kind == .room ? visibility : .private
    }

    /// Returns this thread with another title or visibility.
    package func with(title: String? = nil, visibility: RoomVisibility? = nil) -> ThreadInfo {
        ThreadInfo(id: id, kind: kind, title: title ?? self.title, visibility: visibility ?? self.visibility)
    }

    /// Whether this thread must appear not to exist to a user who is not a member, because it is a private room, a group, or
    /// a direct thread of other users.
    package func isHidden(fromNonMember user: UserID) -> Bool {
        switch kind {
        case .room, .group: visibility == .private
        case .direct: Self.isHidden(id, fromNonMember: user)
        }
    }

    /// Returns the id of the only direct thread of two users. It is symmetric, and every node computes the same id.
    ///
    /// The id contains both user ids and the length of the first, so that no two pairs share an id. If the user ids are too
    /// long for that, or end like no thread id may, the id is a hash. That never happens with user ids made by Parley.
    package static func directID(_ one: UserID, _ other: UserID) -> ThreadID {
        let pair = [one.text, other.text].sorted()
        if let id = ThreadID("\(directPrefix)\(pair[0].count).\(pair[0]).\(pair[1])"), !id.text.hasSuffix(eventsSuffix)
        {
            return id
        }
        return ThreadID(trusted: "\(directPrefix)\(FNV1a128.hex(of: "\(pair[0])\n\(pair[1])"))")
    }

    /// Whether the thread must appear not to exist to a user who is not a member, because it is a direct thread of other users.
    ///
    /// The id alone decides, so the reply and its duration are the same whether the thread exists or not.
    /// A hashed id does not name its users, so the thread is also hidden from a participant who has left.
    package static func isHidden(_ thread: ThreadID, fromNonMember user: UserID) -> Bool {
        guard thread.text.hasPrefix(directPrefix) else { return false }
        let parts = thread.text.dropFirst(directPrefix.count).split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let length = Int(parts[0]), length > 0, length < parts[1].count else { return true }
        let first = UserID(trusted: String(parts[1].prefix(length)))
        let second = UserID(trusted: String(parts[1].dropFirst(length + 1)))
        return ![first, second].contains(user) || directID(first, second) != thread
    }

    /// Whether an id belongs to a direct thread.
    package static func isDirect(_ thread: ThreadID) -> Bool { thread.text.hasPrefix(directPrefix) }

    /// The prefix of direct thread ids, which no room id may have.
    private static let directPrefix = "direct."
    /// A suffix that thread ids must not have. It marks the Redis channel of a thread's events.
    private static let eventsSuffix = ".events"

    /// Returns the reason that a back end may not use an id for a room, as an error text; `nil` if it may.
    package static func violation(inRoomID id: ThreadID) -> String? {
        if id.text.hasPrefix(directPrefix) { return "ids that begin with \(directPrefix) are those of direct threads" }
        if id.text.hasSuffix(eventsSuffix) { return "ids that end with \(eventsSuffix) are not allowed" }
        return nil
    }
}
