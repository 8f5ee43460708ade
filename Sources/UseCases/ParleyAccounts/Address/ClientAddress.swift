/// The address that a request comes from, as trusted proxies report it.
///
/// The peer's address, unless the peer is a trusted proxy: then the last address in `X-Forwarded-For` that is not a
/// trusted proxy, since clients can forge the entries before it. If an entry up to there is unreadable, the last
/// readable address counts.
package struct ClientAddress: Hashable, Sendable {
    /// The address, or `unknown` for a peer that has none (a Unix domain socket).
    package let text: String
    /// A trusted proxy reported the address.
    package private(set) var isForwarded = false
    /// The request reached the proxy, or this node, over TLS.
    package let isSecure: Bool

    /// Maximum number of `X-Forwarded-For` entries examined, from the end.
    package static let maximumHops = 32

    /// - Parameters:
    ///   - peer: the other end of the connection.
    ///   - isEncrypted: whether the connection itself uses TLS.
    ///   - forwardedFor: the `X-Forwarded-For` lines in order.
    ///   - forwardedProto: the `X-Forwarded-Proto` lines in order.
    package init(
        peer: String?, isEncrypted: Bool = false, forwardedFor: [String], forwardedProto: [String],
        trusted: TrustedProxies
    ) {
        guard let peer, var address = IPAddress(peer) else {
            text = peer ?? "unknown"
            isSecure = isEncrypted
            return
        }
        if trusted.contains(address) {
            isSecure = isEncrypted || Self.lastElement(of: forwardedProto).lowercased() == "https"
            let hops = forwardedFor.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
            for hop in hops.reversed().prefix(Self.maximumHops) {
                guard let next = Self.address(inHop: hop) else { break }
                address = next
                isForwarded = true
                if !trusted.contains(next) { break }
            }
        } else {
            isSecure = isEncrypted
        }
        text = address.description
    }

    /// An address with an optional port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`.
    private static func address(inHop hop: Substring) -> IPAddress? {
        let text = hop.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        if text.hasPrefix("[") { return IPAddress(text.dropFirst().prefix { $0 != "]" }) }
        if let address = IPAddress(text) { return address }
        return IPAddress(text.prefix { $0 != ":" })
    }

    private static func lastElement(of lines: [String]) -> String {
        let last = lines.last?.split(separator: ",").last ?? ""
        return String(last.filter { $0 != " " && $0 != "\t" })
    }
}
