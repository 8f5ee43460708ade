/// The rules for close codes (RFC 6455 §7.4 and the IANA registry it founded).
package enum WebSocketCloseCode {
    /// Whether a peer may send `code`: registered ones but those that only describe a close (1004–1006, 1015), and
    /// the ranges of libraries (3000–3999) and applications (4000–4999).
    package static func maySend(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
