/// Users and logins: changes that enter no log. `StateStore` has the other changes.
package protocol AccountStore: AccountAdministration, ThreadAdministration {
    /// Creates a user, and stores the look of the name. A sign-up adds a row to the audit log.
    /// - Throws: `StoreError.taken` if the name or the id is taken. For users who choose their name (`AccountOrigin.isChosen`),
    ///   also if people would mistake it for another user's name; of concurrent calls with two such names, one succeeds. Names
    ///   of other origins are never refused for their look.
    func createUser(_ user: User, passwordHash: String?, origin: AccountOrigin) async throws(StoreError)

    /// The user with exactly this name, unless erased, and the stored password hash (`nil` if password login is impossible).
    func credentials(named name: String) async throws(StoreError) -> Credentials?

    /// Creates a session, unless the credentials behind it were replaced after they were checked. If credentials change
    /// concurrently, the session is either not created or ended by the change.
    /// - Parameter version: The user's credentials version, read together with the checked credentials (`Credentials`).
    /// - Returns: Whether the session was created; `false` if the user has another version, is unknown, or is erased.
    /// - Throws: `StoreError.taken` if the token is taken.
    func createSession(_ session: AuthSession, credentialsVersion version: Int64) async throws(StoreError) -> Bool

    /// The unexpired sessions of a user, in descending order of expiry.
    /// - Parameters:
    ///   - now: The current time in Unix milliseconds.
    ///   - place: The position to start from; `nil` for the beginning.
    ///   - limit: The maximum number of sessions.
    func sessions(of user: User, at now: Int64, after place: SessionPlace?, limit: Int)
        async throws(StoreError) -> [AuthSession]

    /// A session of a user, expired or not, by a prefix of its token's hash; `nil` if there is none.
    /// - Parameter prefix: hex digits.
    func session(of user: User, hashPrefix prefix: String) async throws(StoreError) -> AuthSession?

    /// The room with this title, created without members if it does not exist, in one atomic step.
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
    /// The user's `UserSnapshot.credentialsVersion`, read together with the hash.
    package var credentialsVersion: Int64
    /// The suspension of the user, which may have ended.
    package var suspension: Suspension?

    package init(
        user: User, passwordHash: String?, credentialsVersion: Int64 = 0, suspension: Suspension? = nil
    ) {
        self.suspension = suspension
        self.user = user
        self.passwordHash = passwordHash
        self.credentialsVersion = credentialsVersion
    }
}

/// A position in the list of a user's sessions, which is ordered by descending expiry, then by ascending hash.
package struct SessionPlace: Hashable, Sendable {
    /// The expiry of the session at this position, in Unix milliseconds.
    package var expires: Int64
    /// The hash of the session's token, compared byte by byte.
    package var hash: String

    package init(expires: Int64, hash: String) {
        self.expires = expires
        self.hash = hash
    }

    /// The position before all sessions.
    package static let beginning = SessionPlace(expires: .max, hash: "")
}

/// The result of `StateStore.join`.
package struct JoinedRoom: Hashable, Sendable {
    package var membership: Membership
    /// Whether the user was not a member before.
    package var isNewMember: Bool

    package init(membership: Membership, isNewMember: Bool) {
        self.membership = membership
        self.isNewMember = isNewMember
    }
}
