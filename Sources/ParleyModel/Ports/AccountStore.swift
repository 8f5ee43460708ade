/// Users, their logins and their memberships: the writing side.
package protocol AccountStore: AccountAdministration, ThreadAdministration {
    /// - Throws: `StoreError.taken` if the name or the id is.
    func createUser(_ user: User, passwordHash: String?) async throws(StoreError)

    /// The user of exactly this name who is not erased, with the stored password hash (`nil`: no password, so no login by one).
    func credentials(named name: String) async throws(StoreError) -> Credentials?

    /// Replaces a password hash.
    func setPasswordHash(_ hash: String, of user: UserID) async throws(StoreError)

    /// Erases a user for good: name (which is free again), password, sessions and memberships, and the texts and parts
    /// of all messages, whose places stay. Nobody has the id again.
    ///
    /// One that broke off can be called again, and goes on. The log may hold the newest texts for a while.
    /// - Parameter milliseconds: now.
    /// - Returns: whether there was such a user, erased by this call or before.
    func erase(_ user: UserID, at milliseconds: Int64) async throws(StoreError) -> Bool

    func createSession(_ session: AuthSession) async throws(StoreError)

    /// Ends a session.
    /// - Returns: whose it was; `nil` if there is none.
    func revokeSession(_ token: TokenHash) async throws(StoreError) -> UserID?

    /// Makes `user` a member of the room of this title, creating the room if there is none, as one atomic step:
    /// however many ask at once, there is one room of a title. The creator is its owner.
    /// - Parameters:
    ///   - id: the id of the room if it is new.
    ///   - milliseconds: now.
    func joinRoom(titled title: String, user: UserID, newID id: ThreadID, at milliseconds: Int64)
        async throws(StoreError) -> JoinedRoom

    /// The room of this title, made without members if there is none; as atomic as `joinRoom`.
    func room(titled title: String, newID id: ThreadID, at milliseconds: Int64) async throws(StoreError) -> ThreadInfo
}

/// A user and what a password is checked against.
package struct Credentials: Hashable, Sendable {
    package var user: User
    /// In Django's notation, e.g. `pbkdf2_sha256$600000$salt$hash`.
    package var passwordHash: String?
    /// As `UserSnapshot.credentialsVersion`, read together with the hash.
    package var credentialsVersion: Int64

    package init(user: User, passwordHash: String?, credentialsVersion: Int64 = 0) {
        self.user = user
        self.passwordHash = passwordHash
        self.credentialsVersion = credentialsVersion
    }
}

/// The answer to `AccountStore.joinRoom`.
package struct JoinedRoom: Hashable, Sendable {
    package var membership: Membership
    /// The user was no member before.
    package var isNewMember: Bool

    package init(membership: Membership, isNewMember: Bool) {
        self.membership = membership
        self.isNewMember = isNewMember
    }
}
