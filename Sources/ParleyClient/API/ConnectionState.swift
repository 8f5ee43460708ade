public import Foundation

/// The connection to the server, as ``ChatClient/states`` reports it.
public enum ConnectionState: Hashable, Sendable {
    /// No connection. The next attempt is at `until`; `nil` if none is planned, before ``ChatClient/start()``.
    case offline(until: Date?)
    /// A connection is being opened.
    case connecting
    /// The server has said hello; the outbox is being sent.
    case connected
    /// The credentials are no longer valid, or the server told this client to stop. ``ChatClient/start()`` tries again.
    case loggedOut(LogoutReason)
}

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
