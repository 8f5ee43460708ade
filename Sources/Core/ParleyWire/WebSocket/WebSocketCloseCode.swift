/// The rules for close codes (RFC 6455 §7.4 and its IANA registry).
package enum WebSocketCloseCode {
    /// Whether a peer may send `code`: registered codes except those reserved for local use (1004–1006, 1015), and the
    /// ranges of libraries (3000–3999) and applications (4000–4999).
    package static func maySend(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
