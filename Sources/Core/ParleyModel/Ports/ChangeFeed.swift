/// A feed of changed users and API keys. Nodes learn from it about changes that they were not notified of.
///
/// Every user has a version. Each change of their sessions, memberships, roles, password, operator rights or account raises it
/// in the same transaction, including changes by other programs (through triggers). API keys also have one. Names and
/// profiles, which do not affect rights, have a version of their own.
package protocol ChangeFeed: Sendable {
    /// Returns changes committed since `mark`, including changes of transactions that began before the mark and committed after
    /// it. A change may be reported twice, and is never missed.
    /// - Parameters:
    ///   - mark: The mark of the last page; `nil` starts now, without changes.
    ///   - limit: The maximum number of subjects in a page, at least 1.
    func changes(since mark: ChangeMark?, limit: Int) async throws(StoreError) -> ChangePage

    /// The state of each user, read at one instant. A user without an entry is unknown or erased.
    func snapshots(of users: [UserID]) async throws(StoreError) -> [UserID: UserSnapshot]

    /// The options of rooms. A room without an entry has the standard ones, or does not exist.
    func options(of rooms: [ThreadID]) async throws(StoreError) -> [ThreadID: RoomOptions]
}

/// A position in a change feed, meaningful only to the store that issued it.
package struct ChangeMark: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}

/// One page of a change feed.
package struct ChangePage: Hashable, Sendable {
    /// Users whose version was raised.
    package var users: [UserID]
    /// API keys that were deleted from or added to the database.
    package var apiKeys: [TokenHash]
    /// Users whose name, display name or picture has changed.
    package var profiles: [UserID]
    /// Users whose invitations, and threads whose invitations or requests have changed.
    package var entrances: [EntranceTopic]
    /// Rooms whose details have changed.
    package var rooms: [ThreadID]
    package var mark: ChangeMark
    /// Whether more changes are available. If so, call again at once.
    package var hasMore: Bool
    /// Whether the store did not know the mark, for example after a restore from a backup. Anything may have changed.
    package var isReset: Bool

    package init(
        users: [UserID], apiKeys: [TokenHash], profiles: [UserID] = [], entrances: [EntranceTopic] = [],
        rooms: [ThreadID] = [], mark: ChangeMark, hasMore: Bool = false, isReset: Bool = false
    ) {
        self.rooms = rooms
        self.users = users
        self.apiKeys = apiKeys
        self.profiles = profiles
        self.entrances = entrances
        self.mark = mark
        self.hasMore = hasMore
        self.isReset = isReset
    }
}

/// A user or a thread with another list of invitations or requests.
package enum EntranceTopic: Hashable, Sendable {
    /// The invitations of a user.
    case user(UserID)
    /// The invitations and requests of a thread.
    case thread(ThreadID)
}

/// All facts that determine a socket's rights, read at one instant.
package struct UserSnapshot: Hashable, Sendable {
    package var user: User
    /// The version, which every change raises; 0 for a user who never changed.
    package var version: Int64
    /// The credentials version. It rises when all credentials without a session become invalid: by a new password, a revocation
    /// or an erasure. Sockets and tickets keep the version that they were opened with.
    package var credentialsVersion: Int64
    package var memberships: [Membership]
    /// The display name; `nil` if it equals the username. Changes of it do not raise the version.
    package var displayName: String?
    /// The suspension of the user, which may have ended.
    package var suspension: Suspension?
    package var blocks: UserBlocks

    package init(
        user: User, displayName: String? = nil, version: Int64, credentialsVersion: Int64, memberships: [Membership],
        suspension: Suspension? = nil, blocks: UserBlocks = .none
    ) {
        self.blocks = blocks
        self.suspension = suspension
        self.user = user
        self.displayName = displayName
        self.version = version
        self.credentialsVersion = credentialsVersion
        self.memberships = memberships
    }
}

extension ChangePage {
    /// Adds a subject in the notation of the stores' triggers: `u:` and a user id, `p:` and the id of a user with another
    /// name or profile, `k:` and the hash of an API key, `i:` and the id of a user with other invitations, `e:` and the id of a
    /// thread with other invitations or requests, or `t:` and the id of a room with other details.
    package mutating func add(subject: String) {
        if subject.hasPrefix("u:") { users.append(UserID(trusted: String(subject.dropFirst(2)))) }
        if subject.hasPrefix("p:") { profiles.append(UserID(trusted: String(subject.dropFirst(2)))) }
        if subject.hasPrefix("i:") { entrances.append(.user(UserID(trusted: String(subject.dropFirst(2))))) }
        if subject.hasPrefix("e:") { entrances.append(.thread(ThreadID(trusted: String(subject.dropFirst(2))))) }
        if subject.hasPrefix("t:") { rooms.append(ThreadID(trusted: String(subject.dropFirst(2)))) }
        if subject.hasPrefix("k:") { apiKeys.append(TokenHash(String(subject.dropFirst(2)))) }
    }
}
