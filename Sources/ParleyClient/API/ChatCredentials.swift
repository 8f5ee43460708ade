/// What authenticates the user.
public enum ChatCredentials: Hashable, Sendable {
    /// A JWT, or a session token: the value of the cookie `sessionid`.
    case bearer(String)
    /// Name and password.
    case basic(username: String, password: String)
    /// An API key of a back end, and the user it acts for (id or name); for bots.
    case apiKey(String, user: String)
}

/// Why credentials are needed.
public enum CredentialReason: Hashable, Sendable {
    /// For a connection or a request; what was used before may still be valid.
    case connection
    /// Those given last have expired or were refused: fresh ones are needed.
    case expired
}

/// Gives the user's credentials whenever they are needed; it may fetch new ones from a server.
///
/// Returning `nil` means that there are none: the client is ``ConnectionState/loggedOut(_:)``. An error means that they
/// could not be fetched at the moment: the client is offline and tries again.
public typealias CredentialProvider = @Sendable (CredentialReason) async throws -> ChatCredentials?
