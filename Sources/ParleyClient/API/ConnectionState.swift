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
