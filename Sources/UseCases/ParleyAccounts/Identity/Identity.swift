package import ParleyModel

/// An authenticated user and the credential that was used.
package struct Identity: Hashable, Sendable {
    /// The kind of credential. Times are Unix milliseconds.
    package enum Credential: Hashable, Sendable {
        /// A session, and its expiry if known in advance.
        case session(TokenHash, expires: Int64?)
        case jwt(expires: Int64?)
        case password
        /// An API key, which can be deleted or removed from the configuration.
        case apiKey(name: String, hash: TokenHash)
        /// A ticket, with the session, API key and expiry of the credential it was issued for, if any.
        case ticket(session: TokenHash?, apiKey: TokenHash? = nil, expires: Int64?)
    }

    package var user: User
    package var credential: Credential
    /// The user's `UserSnapshot.credentialsVersion` at authentication: the identity is invalid once it rises. `nil` if
    /// the identity depends on a session of Parley's own instead (`dependsOnVersion`), or if the version has not been
    /// read yet.
    package var credentialsVersion: Int64?
    /// The credential itself grants operator rights to its bearer: a JWT with the claim that a setting names. Tickets
    /// do not inherit it.
    package var isOperatorByCredential: Bool

    package init(
        user: User, credential: Credential, credentialsVersion: Int64? = nil, isOperatorByCredential: Bool = false
    ) {
        self.user = user
        self.credential = credential
        self.credentialsVersion = credentialsVersion
        self.isOperatorByCredential = isOperatorByCredential
    }

    /// The session that the identity depends on: it is invalid once the session is revoked.
    package var session: TokenHash? {
        switch credential {
        case .session(let session, _): session
        case .ticket(let session, _, _): session
        case .jwt, .password, .apiKey: nil
        }
    }

    /// The API key that the identity depends on: it is invalid once the key is deleted.
    package var apiKey: TokenHash? {
        switch credential {
        case .apiKey(_, let hash): hash
        case .ticket(_, let hash, _): hash
        case .session, .jwt, .password: nil
        }
    }

    /// Whether the identity is invalid when the credentials version rises. Parley's own sessions are ended one by one
    /// instead; sessions of another system survive, but what was opened with them ends.
    package var dependsOnVersion: Bool {
        guard let session else { return true }
        return session.isForeign
    }

    /// The identity with the user's present data; `nil` if it is invalid.
    package func confirmed(by snapshot: UserSnapshot) -> Identity? {
        guard snapshot.user.id == user.id else { return nil }
        if let credentialsVersion, credentialsVersion != snapshot.credentialsVersion { return nil }
        var confirmed = self
        confirmed.user = snapshot.user
        confirmed.credentialsVersion = dependsOnVersion ? snapshot.credentialsVersion : nil
        return confirmed
    }

    /// Whether another party vouches for the user: the issuer of the JWT, the holder of the API key, or the other
    /// system. The user has not proved anything to Parley that outlives this credential.
    package var isVouchedFor: Bool {
        switch credential {
        case .jwt, .apiKey: true
        case .password: false
        case .session(let session, _): session.isForeign
        case .ticket(let session, _, _): session?.isForeign ?? true
        }
    }

    /// Whether it depends on a session of another system: the user may then obtain nothing that outlives that session.
    package var isForeign: Bool { session?.isForeign ?? false }

    /// The expiry of the credential in Unix milliseconds; `nil` if it has none.
    package var expires: Int64? {
        switch credential {
        case .session(_, let expires): expires
        case .jwt(let expires), .ticket(_, _, let expires): expires
        case .password, .apiKey: nil
        }
    }
}

/// The sender of a request.
package enum Principal: Hashable, Sendable {
    case user(Identity)
    /// An API key that acts for no user: it may read everything and administer, but not send.
    case service(apiKeyName: String)
}
