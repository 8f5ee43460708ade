public import Foundation

/// The state of the connection to the server.
public enum ConnectionState: Hashable, Sendable {
    /// The client is not connected. The next attempt is at `until`; `nil` means that no attempt is planned, as before
    /// ``ChatClient/start()``.
    case offline(until: Date?)
    /// The client is opening a connection.
    case connecting
    /// The server has accepted the connection, and the client is sending its outbox.
    case connected
    /// The credentials are no longer valid, or the server told the client to stop. Call ``ChatClient/start()`` to try
    /// again.
    case loggedOut(LogoutReason)
}
