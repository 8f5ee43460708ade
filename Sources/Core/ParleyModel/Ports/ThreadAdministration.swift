/// Lists of threads and members, and changes of threads, members and profiles that enter no log.
package protocol ThreadAdministration: ProfileReader {
    /// Creates the direct thread of two users, who may be the same, with both as members. If the thread exists, makes `user` a
    /// member. If `other` has left it, only a message makes them a member again.
    /// - Parameter milliseconds: The current time.
    /// - Returns: The users who were not members before; `nil` if one of the users is unknown or erased.
    func openDirect(_ thread: ThreadID, of user: UserID, with other: UserID, at milliseconds: Int64)
        async throws(StoreError) -> Set<UserID>?

    /// The members of a thread in the byte order of their ids.
    /// - Parameters:
    ///   - user: The user to continue after; `nil` starts at the beginning.
    ///   - limit: The maximum number of members.
    func members(of thread: ThreadID, after user: UserID?, limit: Int) async throws(StoreError) -> [Member]

    /// The sanctions in a thread that have not ended, in the byte order of the users' ids, then of the kinds.
    /// - Parameters:
    ///   - now: The current time in Unix milliseconds.
    ///   - place: The position to continue after; `nil` starts at the beginning.
    ///   - limit: The maximum number of sanctions.
    func sanctions(in thread: ThreadID, at now: Int64, after place: SanctionPlace?, limit: Int)
        async throws(StoreError) -> [SanctionRecord]

    /// The links of a thread that are in force, at most `RoomLink.mostInForce`, in the descending order of the times at which
    /// they were made, then of their ids.
    /// - Parameter now: The current time in Unix milliseconds.
    func links(of thread: ThreadID, at now: Int64) async throws(StoreError) -> [RoomLink]

    /// The room that a link leads into, as a user sees it.
    /// - Parameter code: The hash of the link's code.
    /// - Returns: `nil` if there is no such link. The link may have ended.
    func linkedRoom(_ code: TokenHash, for user: UserID) async throws(StoreError) -> LinkedRoom?

    /// Public rooms whose title begins with `prefix`, except rooms that `user` belongs to, was removed from, or is banned from,
    /// at most `limit`, in the byte order of their titles.
    /// - Parameter now: The current time in Unix milliseconds.
    func joinableRooms(prefix: String, for user: UserID, at now: Int64, limit: Int)
        async throws(StoreError) -> [ThreadInfo]

    /// The history of a room for new members; `nil` if there is no such room.
    func history(of thread: ThreadID) async throws(StoreError) -> RoomHistory?

    /// The details of a room; `nil` if there is no such room.
    func details(of thread: ThreadID) async throws(StoreError) -> RoomDetails?

    /// The users that a user blocks, in the byte order of their ids, at most `UserBlocks.most`.
    func blocks(of user: UserID) async throws(StoreError) -> [BlockRecord]

    /// The users among `others` that each of `users` blocks. A user who blocks none of them has no entry.
    func blocks(of users: [UserID], against others: [UserID]) async throws(StoreError) -> [UserID: Set<UserID>]

    /// Whether one of two users blocks the other.
    func isBlocked(_ one: UserID, _ other: UserID) async throws(StoreError) -> Bool

    /// Replaces a profile. An attachment that was the picture becomes due, unless something else uses it.
    /// - Returns: `false` if the user is unknown or erased, or the new picture is not a complete attachment of theirs.
    func setProfile(_ profile: Profile, of user: UserID) async throws(StoreError) -> Bool
}

/// The profiles of users.
package protocol ProfileReader: Sendable {
    /// Returns profiles. A user without an entry has no profile, or is unknown.
    func profiles(of users: [UserID]) async throws(StoreError) -> [UserID: Profile]
}

/// A member of a thread, as others see them.
package struct Member: Hashable, Sendable {
    package let user: User
    package let role: Membership.Role
    package let profile: Profile
    /// The position up to which the member has read; `nil` if it was not requested.
    package let readSeq: Int64?
    /// The time at which the latest read mark was made, in Unix milliseconds; `nil` if unknown.
    package let readMilliseconds: Int64?

    package init(
        user: User, role: Membership.Role, profile: Profile = Profile(), readSeq: Int64? = nil,
        readMilliseconds: Int64? = nil
    ) {
        self.user = user
        self.role = role
        self.profile = profile
        self.readSeq = readSeq
        self.readMilliseconds = readMilliseconds
    }
}
