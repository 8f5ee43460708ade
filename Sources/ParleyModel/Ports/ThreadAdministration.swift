/// Lists of threads and members, and the changes of them and of profiles that no log is told of.
package protocol ThreadAdministration: Sendable {
    /// Makes the direct thread of two users, who may be one, and makes both of them members.
    /// - Parameter milliseconds: now.
    /// - Returns: whether the asker was no member before; `nil` if one of the users is unknown or erased.
    func openDirect(_ thread: ThreadID, of user: UserID, with other: UserID, at milliseconds: Int64)
        async throws(StoreError) -> Bool?

    /// The members of a thread in the order of their ids' bytes.
    /// - Parameters:
    ///   - user: the list goes on after them; `nil`: from the beginning.
    ///   - limit: the most members.
    func members(of thread: ThreadID, after user: UserID?, limit: Int) async throws(StoreError) -> [Member]

    /// Rooms whose title begins with `prefix` and that `user` is no member of, at most `limit`, in the order of their
    /// titles' bytes.
    func joinableRooms(prefix: String, for user: UserID, limit: Int) async throws(StoreError) -> [ThreadInfo]

    /// A user without an entry has shown nothing, or is unknown.
    func profiles(of users: [UserID]) async throws(StoreError) -> [UserID: Profile]

    /// Replaces a profile.
    func setProfile(_ profile: Profile, of user: UserID) async throws(StoreError)
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
