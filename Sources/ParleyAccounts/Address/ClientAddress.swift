/// Where a request comes from, as far as it can be known.
///
/// The peer's address, unless the peer is a trusted proxy: then the last address in `X-Forwarded-For` that is no trusted
/// proxy, since what is left of it may be invented. A list that cannot be read up to there ends at its last readable
/// address.
package struct ClientAddress: Hashable, Sendable {
    /// The address, or `unknown` for a peer that has none (a Unix domain socket).
    package let text: String
    /// A trusted proxy says so.
    package private(set) var isForwarded = false
    /// The request came to the proxy, or to us, by TLS.
    package let isSecure: Bool

    /// The most entries of `X-Forwarded-For` that are looked at, from the end.
    package static let maximumHops = 32

    /// - Parameters:
    ///   - peer: the other end of the connection.
    ///   - isEncrypted: the connection itself is TLS.
    ///   - forwardedFor: the `X-Forwarded-For` lines in their order.
    ///   - forwardedProto: the `X-Forwarded-Proto` lines in their order.
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
            isSecure = isEncrypted || Self.lastWord(of: forwardedProto).lowercased() == "https"
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

    /// An address, perhaps with a port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`.
    private static func address(inHop hop: Substring) -> IPAddress? {
        let text = hop.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        if text.hasPrefix("[") { return IPAddress(text.dropFirst().prefix { $0 != "]" }) }
        if let address = IPAddress(text) { return address }
        return IPAddress(text.prefix { $0 != ":" })
    }

    private static func lastWord(of lines: [String]) -> String {
        let last = lines.last?.split(separator: ",").last ?? ""
        return String(last.filter { $0 != " " && $0 != "\t" })
    }
}
