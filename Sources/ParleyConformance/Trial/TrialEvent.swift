package import NIOCore

/// What happens to a `Trial`. Connections are numbered by whoever accepts them.
package enum TrialEvent: Sendable {
    /// A handshake arrived.
    case attempted(Int, Handshake)
    /// A whole text message.
    case received(Int, ByteBuffer)
    /// A WebSocket ping.
    case pinged(Int)
    /// The client broke RFC 6455.
    case broke(Int, String)
    case ended(Int)
    /// The program under test has ended by itself.
    case clientEnded(String)
    /// The client shows a message, for the last time or again.
    case shown(id: String, clientID: String?, text: String)
    case removed(id: String)
    case tick
}

/// What a handshake presents.
package struct Handshake: Hashable, Sendable {
    package var ticket: String?
    package var isAuthorized: Bool
    package var isV1: Bool

    package init(ticket: String?, isAuthorized: Bool, isV1: Bool) {
        self.ticket = ticket
        self.isAuthorized = isAuthorized
        self.isV1 = isV1
    }
}

/// What a `Trial` wants done.
package enum TrialAction: Hashable, Sendable {
    case accept(Int)
    case reject(Int, status: Int, retryAfter: Int?)
    case send(Int, String)
    case pong(Int)
    /// With a close frame.
    case close(Int, code: UInt16)
    /// Without.
    case cut(Int)
    /// For the client: a line of its standard input, and the same for a person.
    case ask(line: String, text: String)
}
