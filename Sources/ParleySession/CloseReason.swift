/// Why the server closes a socket; the ranges of the codes tell a client what to do (PROTOCOL §3, RFC 6455 §7.4.1).
package struct CloseReason: Hashable, Sendable {
    package let code: UInt16
    /// Plain words for whoever looks at the wire; at most 123 bytes of UTF-8.
    package let text: String

    package init(code: UInt16, text: String) {
        self.code = code
        self.text = text
    }

    package static let goingAway = CloseReason(code: 1001, text: "this node is going away")
    package static let sendsWaitTooLong = CloseReason(code: 1013, text: "too many sends are waiting; try again later")
    package static let unavailable = CloseReason(code: 1013, text: "messages cannot be accepted; try again later")
    package static let sessionRevoked = CloseReason(code: 4001, text: "session revoked")
    package static let abuse = CloseReason(code: 4002, text: "too many bad frames")
    package static let expired = CloseReason(code: 4100, text: "credentials expired")
    package static let draining = CloseReason(code: 4200, text: "this node is going away")
    package static let lostTrack = CloseReason(
        code: 4300, text: "reading too slowly; reconnect and load what is missing")
    package static let missedEvents = CloseReason(
        code: 4300, text: "events were missed; reconnect and load what is missing")
    package static let silent = CloseReason(code: 1001, text: "no sign of life")
}
