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
    /// What RFC 6455 does not allow, and the gateway refuses.
    package enum Fault: Hashable, Sendable {
        case connection, version, key

        var explanation: String {
            switch self {
            case .connection: "a handshake that is not a GET with Connection: Upgrade"
            case .version: "a handshake without Sec-WebSocket-Version: 13"
            case .key: "a handshake whose Sec-WebSocket-Key is not the base64 of 16 bytes"
            }
        }
    }

    package var ticket: String?
    package var isAuthorized: Bool
    package var isV1: Bool
    package var fault: Fault?

    package init(ticket: String?, isAuthorized: Bool, isV1: Bool, fault: Fault? = nil) {
        self.ticket = ticket
        self.isAuthorized = isAuthorized
        self.isV1 = isV1
        self.fault = fault
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
