package import ParleyAccounts

/// Decides which addresses webhooks may connect to, so that an endpoint's URL cannot make the server ask services inside its
/// own network.
///
/// Applied to literal addresses when a URL is set, and to every address that a name has when a connection is made. The
/// connection goes to an address that was checked, so a name that changes in between has no effect.
package struct WebhookNetworks: Hashable, Sendable {
    /// The maximum number of allowed networks.
    package static let maximumAllowed = 64

    /// Networks that are allowed although they are not public, and over `http`.
    private let allowed: [IPNetwork]

    /// - Parameter allowed: The first `maximumAllowed` are used.
    package init(allowed: [IPNetwork] = []) {
        self.allowed = Array(allowed.prefix(Self.maximumAllowed))
    }

    /// Whether only public addresses are allowed.
    var allowsNothing: Bool { allowed.isEmpty }

    /// Returns the reason that an address is refused; `nil` if webhooks may connect to it.
    package func refusal(of address: IPAddress, over scheme: WebhookURL.Scheme) -> WebhookRefusal? {
        if allowed.contains(where: { $0.contains(address) }) { return nil }
        if let range = Self.reserved(address) { return .reserved(range) }
        return scheme == .https ? nil : .plainText
    }

    /// Returns the addresses of a name that a connection may use, in their order.
    /// - Throws: The reason of the first one if there are none.
    package func usable(
        _ addresses: [IPAddress], over scheme: WebhookURL.Scheme
    ) throws(WebhookRefusal) -> [IPAddress] {
        let usable = addresses.filter { refusal(of: $0, over: scheme) == nil }
        if usable.isEmpty { throw addresses.first.flatMap { refusal(of: $0, over: scheme) } ?? .unresolved }
        return usable
    }

    /// The purpose of a range that is not on the public Internet; `nil` for a public address.
    private static func reserved(_ address: IPAddress) -> String? {
        if let (_, purpose) = ranges.first(where: { network, _ in network.contains(address) }) { return purpose }
        if address.family == .v4 { return nil }
        // A translator connects to the IPv4 address in the last bytes (RFC 6052).
        if nat64.contains(where: { $0.contains(address) }) {
            return reserved(IPAddress(family: .v4, bits: address.bits & 0xFFFF_FFFF))
        }
        // IANA assigns public addresses from 2000::/3 only.
        return publicIPv6.contains { $0.contains(address) } ? nil : "not a public range of IPv6"
    }

    private static let nat64 = networks(["64:ff9b::/96"])
    private static let publicIPv6 = networks(["2000::/3"])

    private static func networks(_ texts: [String]) -> [IPNetwork] {
        texts.compactMap { IPNetwork($0) }
    }

    /// The special-purpose registries of IANA (RFC 6890).
    private static let ranges: [(IPNetwork, String)] = [
        ("0.0.0.0/8", "unspecified"), ("10.0.0.0/8", "private"), ("100.64.0.0/10", "shared by a carrier"),
        ("127.0.0.0/8", "loopback"), ("169.254.0.0/16", "link-local, with metadata services"),
        ("172.16.0.0/12", "private"), ("192.0.0.0/24", "protocol assignments"), ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "6to4 relays"), ("192.168.0.0/16", "private"), ("198.18.0.0/15", "benchmarks"),
        ("198.51.100.0/24", "documentation"), ("203.0.113.0/24", "documentation"), ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"), ("::/128", "unspecified"), ("::1/128", "loopback"),
        ("64:ff9b:1::/48", "local translation"), ("fc00::/7", "unique local"), ("fe80::/10", "link-local"),
        ("ff00::/8", "multicast"), ("2001::/23", "protocol assignments"), ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"), ("3fff::/20", "documentation"),
    ].compactMap { text, purpose in IPNetwork(text).map { ($0, purpose) } }
}

/// The reason that a webhook may not use a URL or an address.
package enum WebhookRefusal: Error, Hashable, Sendable {
    /// The text is not a URL that webhooks use.
    case malformed(String)
    /// The address is in a range with this purpose.
    case reserved(String)
    /// `http` outside the allowed networks.
    case plainText
    /// The name has no address.
    case unresolved
}

extension WebhookRefusal: CustomStringConvertible {
    /// The problem and what is allowed.
    package var description: String {
        switch self {
        case .malformed(let problem):
            "\(problem); allowed is https://host[:port]/path, without a user and a fragment"
        case .reserved(let purpose):
            "the address is not public (\(purpose)); allowed are public addresses, and PARLEY_WEBHOOKS_ALLOWED_NETWORKS"
        case .plainText:
            "the URL is not https; http is allowed within PARLEY_WEBHOOKS_ALLOWED_NETWORKS only"
        case .unresolved: "the name of the host has no address"
        }
    }
}
