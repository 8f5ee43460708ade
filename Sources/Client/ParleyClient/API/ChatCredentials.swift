/// The credentials of a user.
public enum ChatCredentials: Hashable, Sendable {
    /// A JWT or a session token, which is the value of the cookie `sessionid`.
    case bearer(String)
    /// A name and a password.
    case basic(username: String, password: String)
    /// An API key of a back end and the ID or name of the user that it acts for. Intended for bots.
    case apiKey(String, user: String)
}

/// A closure that returns the user's credentials whenever the client needs them. It can fetch new credentials from a
/// server.
///
/// If the closure returns `nil`, no credentials are available and the client is ``ConnectionState/loggedOut(_:)``. If
/// it throws, credentials are unavailable at the moment, and the client stays offline and tries again.
///
/// ```swift
/// let provider: CredentialProvider = { reason in
///     reason == .expired ? .bearer(try await fetchToken()) : .bearer(savedToken)
/// }
/// ```
public typealias CredentialProvider = @Sendable (CredentialReason) async throws -> ChatCredentials?
