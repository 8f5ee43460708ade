/// Changes of threads, members and profiles that take effect at once; what the log says of them is the caller's affair.
///
/// The events of the log have the same effects when they are stored (`MessageStore.write`), in the log's order: what a
/// caller has changed here and put into the log ends as the log says, whatever happens in between.
package protocol ThreadAdministration: Sendable {
    /// Makes the direct thread of two users, who may be one, and makes both of them members.
    /// - Parameter milliseconds: now.
    /// - Returns: whether the asker was no member before; `nil` if one of the users is unknown or erased.
    func openDirect(_ thread: ThreadID, of user: UserID, with other: UserID, at milliseconds: Int64)
        async throws(StoreError) -> Bool?

    /// Gives a room another title.
    /// - Returns: whether there is such a room.
    /// - Throws: `StoreError.taken` if another room has the title.
    func rename(_ thread: ThreadID, to title: String) async throws(StoreError) -> Bool

    /// Deletes a thread with everything in it: members, messages, events, reactions. What of it is still on its way
    /// into the store is set aside there.
    ///
    /// One that broke off can be called again, and goes on.
    /// - Returns: whether there was such a thread.
    func deleteThread(_ thread: ThreadID) async throws(StoreError) -> Bool

    /// The members of a thread in the order of their ids' bytes.
    /// - Parameters:
    ///   - user: the list goes on after them; `nil`: from the beginning.
    ///   - limit: the most members.
    func members(of thread: ThreadID, after user: UserID?, limit: Int) async throws(StoreError) -> [Member]

    /// - Returns: whether the user was a member with another role.
    func setRole(_ role: Membership.Role, of user: UserID, in thread: ThreadID) async throws(StoreError) -> Bool

    /// Ends a membership.
    /// - Returns: whether there was one.
    func removeMember(_ user: UserID, from thread: ThreadID) async throws(StoreError) -> Bool

    /// Rooms whose title begins with `prefix` and that `user` is no member of, at most `limit`, in the order of their
    /// titles' bytes.
    func joinableRooms(prefix: String, for user: UserID, limit: Int) async throws(StoreError) -> [ThreadInfo]

    /// A user without an entry has shown nothing, or is unknown.
    func profiles(of users: [UserID]) async throws(StoreError) -> [UserID: Profile]

    /// Replaces a profile.
    func setProfile(_ profile: Profile, of user: UserID) async throws(StoreError)

    /// Ends all sessions of a user but one.
    /// - Returns: those that were ended.
    func revokeSessions(of user: UserID, except kept: TokenHash?) async throws(StoreError) -> [TokenHash]
}

/// A member of a thread, as others see them.
package struct Member: Hashable, Sendable {
    package let user: User
    package let role: Membership.Role

    package init(user: User, role: Membership.Role) {
        self.user = user
        self.role = role
    }
}
