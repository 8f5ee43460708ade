package import ParleyModel

/// The reason that the server closes a socket. The range of its code tells a client what to do (PROTOCOL §3, RFC 6455
/// §7.4.1).
package struct CloseReason: Hashable, Sendable {
    package let code: UInt16
    /// For developers; at most 123 bytes of UTF-8.
    package let text: String

    package init(code: UInt16, text: String) {
        self.code = code
        self.text = text
    }

    /// The node is shutting down; for clients without `bye`.
    package static let goingAway = CloseReason(code: 1001, text: "this node is going away")
    /// More sends wait than `ClassicSession.waitingLimit`.
    package static let sendsWaitTooLong = CloseReason(code: 1013, text: "too many sends are waiting; try again later")
    /// The log or the lookups were unavailable for too long.
    package static let unavailable = CloseReason(code: 1013, text: "messages cannot be accepted; try again later")
    /// The auth session or the user is invalid; the client must log in again.
    package static let sessionRevoked = CloseReason(code: 4001, text: "session revoked")
    /// Too many invalid frames (`BadFrameWindow`).
    package static let abuse = CloseReason(code: 4002, text: "too many bad frames")
    /// An operator has suspended the user. The text for the user is cut at the limit of a close frame.
    package static func suspended(_ suspension: Suspension) -> CloseReason {
        let text = suspension.explanation
        guard text.utf8.count > maximumBytes else { return CloseReason(code: 4003, text: text) }
        var cut = ""
        for scalar in text.unicodeScalars {
            guard cut.utf8.count + UTF8.width(scalar) <= maximumBytes - ellipsis.utf8.count else { break }
            cut.unicodeScalars.append(scalar)
        }
        return CloseReason(code: 4003, text: cut + ellipsis)
    }
    private static let ellipsis = "…"
    /// The maximum length of `text` in bytes: a control frame has at most 125 bytes, and two are the code (RFC 6455 §5.5).
    package static let maximumBytes = 123
    /// The credentials have expired; the client may reconnect with fresh ones.
    package static let expired = CloseReason(code: 4100, text: "credentials expired")
    /// The node is shutting down; for v1 clients, after `bye`.
    package static let draining = CloseReason(code: 4200, text: "this node is going away")
    /// More events were skipped than ranges are recorded.
    package static let lostTrack = CloseReason(
        code: 4300, text: "reading too slowly; reconnect and load what is missing")
    /// The node itself has missed events of a thread.
    package static let missedEvents = CloseReason(
        code: 4300, text: "events were missed; reconnect and load what is missing")
    /// Nothing was received for too long.
    package static let silent = CloseReason(code: 1001, text: "heartbeat timeout")
}
