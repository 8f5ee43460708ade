package import NIOCore

/// An event of a scenario run. The server numbers the connections.
package enum ScenarioEvent: Sendable {
    /// A handshake arrived.
    case attempted(Int, Handshake)
    /// A complete text message arrived.
    case received(Int, ByteBuffer)
    /// A WebSocket ping arrived.
    case pinged(Int)
    /// The client violated RFC 6455.
    case broke(Int, String)
    case ended(Int)
    /// The program under test has ended.
    case clientEnded(String)
    /// The client shows a message, possibly again.
    case shown(id: String, clientID: String?, text: String)
    case removed(id: String)
    case tick
}

/// The fields of a handshake.
package struct Handshake: Hashable, Sendable {
    /// A violation of RFC 6455 that the gateway refuses.
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

/// An action of a scenario run.
package enum ScenarioAction: Hashable, Sendable {
    case accept(Int)
    case reject(Int, status: Int, retryAfter: Int?)
    case send(Int, String)
    case pong(Int)
    /// Close the connection with a close frame.
    case close(Int, code: UInt16)
    /// Close the connection without a close frame.
    case cut(Int)
    /// Ask the client: a line for its standard input, and a text for a person.
    case ask(line: String, text: String)
}
