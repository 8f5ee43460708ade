public import ParleyClient

/// The ways into rooms: groups and links.
extension FakeChatServer {
    /// Makes a group.
    /// - Parameters:
    ///   - users: The members, at least one; the first one owns the group.
    ///   - title: The title; `nil` for a group that is named after its members.
    /// - Returns: The ID of the group, such as `t1`.
    @discardableResult
    public func addGroup(of users: [ChatUser], title: String? = nil) -> ChatThread.ID {
        ChatThread.ID(state.withLock { $0.addGroup(of: users.map(\.id.rawValue), title: title) })
    }

    /// Makes a link into a room.
    /// - Parameters:
    ///   - threadID: The ID of the room.
    ///   - duration: The time until the link ends by the server's ``clock``, rounded up to whole seconds; `nil` for a link
    ///     that lasts until it is revoked.
    ///   - uses: The number of users who may join; `nil` for any number.
    /// - Returns: The code of the link.
    @discardableResult
    public func addLink(to threadID: ChatThread.ID, for duration: Duration? = nil, uses: Int? = nil) -> String {
        let seconds = duration.map { max(1, min($0.wholeSeconds, FakeSanction.longestSeconds)) }
        return state.withLock { state in
            state.addLink(to: threadID.rawValue, seconds: seconds, uses: uses.map { Int64($0) }, by: nil).code
        }
    }
}
