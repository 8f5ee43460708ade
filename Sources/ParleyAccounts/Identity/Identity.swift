package import ParleyModel

/// A user, and by what we know.
package struct Identity: Hashable, Sendable {
    /// How the user proved it. Times are Unix milliseconds.
    package enum Credential: Hashable, Sendable {
        /// A session, and when it ends if that is known beforehand.
        case session(TokenHash, expires: Int64?)
        case jwt(expires: Int64?)
        case password
        /// An API key, which can be deleted or leave the configuration.
        case apiKey(name: String, hash: TokenHash)
        /// A ticket; with the session, the API key and the expiry of the credential that it was made with, if that
        /// had them.
        case ticket(session: TokenHash?, apiKey: TokenHash? = nil, expires: Int64?)
    }

    package var user: User
    package var credential: Credential
    /// The user's `UserSnapshot.credentialsVersion` when the credential was proved: when it rises, the identity is void.
    /// `nil` if it hangs on a session of Parley's own instead (`hangsOnVersion`), or the version has not been read yet.
    package var credentialsVersion: Int64?
    /// The credential itself makes its bearer an operator, whoever it is: a JWT with the claim that a setting names.
    /// Tickets do not hand it on.
    package var isOperatorByCredential: Bool

    package init(
        user: User, credential: Credential, credentialsVersion: Int64? = nil, isOperatorByCredential: Bool = false
    ) {
        self.user = user
        self.credential = credential
        self.credentialsVersion = credentialsVersion
        self.isOperatorByCredential = isOperatorByCredential
    }

    /// The session this hangs on: when it is revoked, the identity is void.
    package var session: TokenHash? {
        switch credential {
        case .session(let session, _): session
        case .ticket(let session, _, _): session
        case .jwt, .password, .apiKey: nil
        }
    }

    /// The API key this hangs on: when it is gone, the identity is void.
    package var apiKey: TokenHash? {
        switch credential {
        case .apiKey(_, let hash): hash
        case .ticket(_, let hash, _): hash
        case .session, .jwt, .password: nil
        }
    }

    /// Whether it is void when the credentials version rises. Parley's own sessions are ended one by one instead; those
    /// of another system live on, but what was opened with them ends.
    package var hangsOnVersion: Bool {
        guard let session else { return true }
        return session.isForeign
    }

    /// The identity as the store knows its user now; `nil` if it is void.
    package func confirmed(by snapshot: UserSnapshot) -> Identity? {
        guard snapshot.user.id == user.id else { return nil }
        if let credentialsVersion, credentialsVersion != snapshot.credentialsVersion { return nil }
        var confirmed = self
        confirmed.user = snapshot.user
        confirmed.credentialsVersion = hangsOnVersion ? snapshot.credentialsVersion : nil
        return confirmed
    }

    /// It hangs on a session of another system: what outlives that session is not the user's to have here.
    package var isForeign: Bool { session?.isForeign ?? false }

    /// When the credential ends, Unix milliseconds; `nil`: by itself never.
    package var expires: Int64? {
        switch credential {
        case .session(_, let expires): expires
        case .jwt(let expires), .ticket(_, _, let expires): expires
        case .password, .apiKey: nil
        }
    }
}
