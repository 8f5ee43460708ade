/// Users and logins: changes that no log is notified of. The others are in `StateStore`.
package protocol AccountStore: AccountAdministration, ThreadAdministration {
    /// Creates a user, with the look of the name.
    /// - Throws: `StoreError.taken` if the name or the id is taken; for users who chose their name
    ///   (`AccountOrigin.isChosen`) also if people would take it for another user's. Of concurrent calls for two such
    ///   names, one succeeds. A name that others bring is never refused for its look.
    func createUser(_ user: User, passwordHash: String?, origin: AccountOrigin) async throws(StoreError)

    /// The user of exactly this name who is not erased, with the stored password hash (`nil`: no password login).
    func credentials(named name: String) async throws(StoreError) -> Credentials?

    /// Creates a session, unless the credentials it is based on have been replaced since they were checked. Of a
    /// session and a concurrent change of the credentials, either the session is not created, or the change ends it.
    /// - Parameter version: the user's credentials version, read together with what was checked (`Credentials`).
    /// - Returns: whether it was created; `false` if the user has another version, is unknown or erased.
    /// - Throws: `StoreError.taken` if the token is taken.
    func createSession(_ session: AuthSession, credentialsVersion version: Int64) async throws(StoreError) -> Bool

    /// The sessions of a user that have not expired, those that expire last first.
    /// - Parameters:
    ///   - now: Unix milliseconds.
    ///   - place: where the page begins; `nil` for the beginning.
    ///   - limit: maximum number of sessions.
    func sessions(of user: User, at now: Int64, after place: SessionPlace?, limit: Int)
        async throws(StoreError) -> [AuthSession]

    /// A session of a user, expired or not, by the beginning of its token's hash; `nil` if there is none.
    /// - Parameter prefix: hex digits.
    func session(of user: User, hashPrefix prefix: String) async throws(StoreError) -> AuthSession?

    /// The room of this title, created without members if there is none, in one atomic step.
    /// - Parameters:
    ///   - id: the id of a new room.
    ///   - milliseconds: the current time.
    func room(titled title: String, newID id: ThreadID, at milliseconds: Int64) async throws(StoreError) -> ThreadInfo
}

/// A user and the password hash to check against.
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

/// A place in the list of a user's sessions.
package struct SessionPlace: Hashable, Sendable {
    /// Of the sessions that expire at this time, in Unix milliseconds,
    package var expires: Int64
    /// those come later whose hash is greater, byte by byte.
    package var hash: String

    package init(expires: Int64, hash: String) {
        self.expires = expires
        self.hash = hash
    }

    /// Before all sessions.
    package static let beginning = SessionPlace(expires: .max, hash: "")
}

/// The result of `StateStore.join`.
package struct JoinedRoom: Hashable, Sendable {
    package var membership: Membership
    /// The user was not a member before.
    package var isNewMember: Bool

    package init(membership: Membership, isNewMember: Bool) {
        self.membership = membership
        self.isNewMember = isNewMember
    }
}
