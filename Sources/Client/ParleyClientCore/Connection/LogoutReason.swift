/// The reason that a client no longer tries to connect.
public enum LogoutReason: Hashable, Sendable {
    /// The server refused the credentials (handshake 401 with new credentials, or close code 4000), or the provider has
    /// none.
    case refused
    /// The session was ended, the password was changed, or the user was erased (close code 4001).
    case revoked
    /// The server closed the connection with a code that tells clients to stop (4002 to 4099).
    case stopped(code: Int)
    /// The server does not allow this client to connect (handshake 403).
    case forbidden
    /// The credentials belong to another user than the unsent messages in the database.
    ///
    /// Nothing was sent or removed. Connect with the credentials of the first user, or use another database. A database
    /// without unsent messages is emptied for the new user instead.
    case otherUser
}

/// The reason that credentials are needed.
public enum CredentialReason: Hashable, Sendable {
    /// For a connection or a request. The previous credentials may still be valid.
    case connection
    /// The previous credentials have expired or were refused, and new ones are required.
    case expired
}
