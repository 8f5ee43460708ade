public import ParleyClient

/// The ways into rooms: groups, links, invitations and requests.
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

    /// Invites a user to a room. The invitation replaces an earlier one; members and banned users are not invited.
    /// - Parameters:
    ///   - user: The user.
    ///   - threadID: The ID of the room.
    ///   - by: The user who invites them.
    ///   - duration: The time until the invitation expires by the server's ``clock``, rounded up to whole seconds; `nil` for
    ///     one that does not expire.
    ///   - text: The text for the invited user.
    public func invite(
        _ user: ChatUser, to threadID: ChatThread.ID, by: ChatUser, for duration: Duration? = nil, text: String? = nil
    ) {
        let seconds = duration.map { max(1, min($0.wholeSeconds, FakeInvitation.seconds.upperBound)) }
        state.withLock { state in
            guard let room = state.rooms[threadID.rawValue], room.members[user.id.rawValue] == nil,
                state.sanction(.ban, of: user.id.rawValue, in: room) == nil
            else { return }
            state.invite(
                user.id.rawValue, to: room.id, seconds: seconds, text: text, by: by.id.rawValue)
        }
    }

    /// Asks for a user to be let into a room.
    /// - Parameters:
    ///   - user: The user, who is not a member.
    ///   - threadID: The ID of the room.
    ///   - text: The text for the moderators.
    public func requestEntrance(of user: ChatUser, to threadID: ChatThread.ID, text: String? = nil) {
        state.withLock { state in
            guard state.rooms[threadID.rawValue]?.members[user.id.rawValue] == nil else { return }
            state.addRequest(of: user.id.rawValue, to: threadID.rawValue, text: text)
        }
    }
}

/// Details of rooms, and blocks of users.
extension FakeChatServer {
    /// Changes details of a room, as its owner does. Values that the server does not allow change nothing.
    /// - Parameters:
    ///   - threadID: The ID of the room.
    ///   - change: The change.
    public func changeRoom(_ threadID: ChatThread.ID, _ change: ChatRoomChange) {
        state.withLock { state in
            guard var options = state.rooms[threadID.rawValue]?.options, options.change(change.json) == nil else {
                return
            }
            state.set(options, of: threadID.rawValue)
        }
    }

    /// Blocks a user for another one.
    /// - Parameters:
    ///   - user: The blocked user.
    ///   - by: The user who blocks them.
    public func block(_ user: ChatUser, by: ChatUser) {
        state.withLock { $0.setBlock(true, of: user.id.rawValue, by: by.id.rawValue) }
    }

    /// Ends a block.
    /// - Parameters:
    ///   - user: The blocked user.
    ///   - by: The user who blocks them.
    public func unblock(_ user: ChatUser, by: ChatUser) {
        state.withLock { $0.setBlock(false, of: user.id.rawValue, by: by.id.rawValue) }
    }
}
