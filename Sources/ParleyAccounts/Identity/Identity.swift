package import ParleyModel

/// A user, and by what we know.
package struct Identity: Hashable, Sendable {
    /// How the user proved it. Times are Unix milliseconds.
    package enum Credential: Hashable, Sendable {
        /// A session, and when it ends if that is known beforehand.
        case session(TokenHash, expires: Int64?)
        case jwt(expires: Int64?)
        case password
        case apiKey(name: String)
        /// A ticket; with the session and the expiry of the credential that it was made with, if that had them.
        case ticket(session: TokenHash?, expires: Int64?)
    }

    package var user: User
    package var credential: Credential

    package init(user: User, credential: Credential) {
        self.user = user
        self.credential = credential
    }

    /// The session this hangs on: when it is revoked, the identity is void.
    package var session: TokenHash? {
        switch credential {
        case .session(let session, _): session
        case .ticket(let session, _): session
        case .jwt, .password, .apiKey: nil
        }
    }

    /// It hangs on a session of another system: what outlives that session is not the user's to have here.
    package var isForeign: Bool { session?.isForeign ?? false }

    /// When the credential ends, Unix milliseconds; `nil`: by itself never.
    package var expires: Int64? {
        switch credential {
        case .session(_, let expires): expires
        case .jwt(let expires), .ticket(_, let expires): expires
        case .password, .apiKey: nil
        }
    }
}
