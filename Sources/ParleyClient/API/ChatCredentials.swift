/// What authenticates the user.
public enum ChatCredentials: Hashable, Sendable {
    /// A JWT, or a session token: the value of the cookie `sessionid`.
    case bearer(String)
    /// Name and password.
    case basic(username: String, password: String)
    /// An API key of a back end, and the user it acts for (id or name); for bots.
    case apiKey(String, user: String)
}

/// Gives the user's credentials whenever they are needed; it may fetch new ones from a server.
///
/// Returning `nil` means that there are none: the client is ``ConnectionState/loggedOut(_:)``. An error means that they
/// could not be fetched at the moment: the client is offline and tries again.
public typealias CredentialProvider = @Sendable (CredentialReason) async throws -> ChatCredentials?
