/// Users and their logins: what is written without telling any log. The other changes are those of `StateStore`.
package protocol AccountStore: AccountAdministration, ThreadAdministration {
    /// - Throws: `StoreError.taken` if the name or the id is.
    func createUser(_ user: User, passwordHash: String?, origin: AccountOrigin) async throws(StoreError)

    /// The user of exactly this name who is not erased, with the stored password hash (`nil`: no password, so no login by one).
    func credentials(named name: String) async throws(StoreError) -> Credentials?

    /// Makes a session, unless what it was asked for with is void: a password that was right when it was checked may have
    /// been replaced since. Of a session and a change of the credentials at the same moment either the session is not
    /// made, or the change ends it.
    /// - Parameter version: the user's credentials version, read together with what was checked (`Credentials`).
    /// - Returns: whether it was made; `false` if the user has another version, is unknown or erased.
    /// - Throws: `StoreError.taken` if the token is.
    func createSession(_ session: AuthSession, credentialsVersion version: Int64) async throws(StoreError) -> Bool

    /// The room of this title, made without members if there is none, as one atomic step.
    /// - Parameters:
    ///   - id: the id of the room if it is new.
    ///   - milliseconds: now.
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

/// The answer to `StateStore.join`.
package struct JoinedRoom: Hashable, Sendable {
    package var membership: Membership
    /// The user was no member before.
    package var isNewMember: Bool

    package init(membership: Membership, isNewMember: Bool) {
        self.membership = membership
        self.isNewMember = isNewMember
    }
}
