/// Why a client does not try to connect any more.
public enum LogoutReason: Hashable, Sendable {
    /// The credentials are refused (handshake 401 with fresh credentials, or close code 4000), or the token provider
    /// has none.
    case refused
    /// The session was ended, the password changed or the user erased (close code 4001).
    case revoked
    /// The server closed the connection with a code that means "stop" (4002 to 4099).
    case stopped(code: Int)
    /// A handshake that is not allowed to this client (403).
    case forbidden
    /// The credentials are those of another user than the one whose messages wait in the database. Nothing was sent or
    /// removed; connect with that user's credentials, or use another database. (If nothing waits, the database is
    /// emptied for the new user.)
    case otherUser
}

/// Why credentials are needed.
public enum CredentialReason: Hashable, Sendable {
    /// For a connection or a request; what was used before may still be valid.
    case connection
    /// Those given last have expired or were refused: fresh ones are needed.
    case expired
}
