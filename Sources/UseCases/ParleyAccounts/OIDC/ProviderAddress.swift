import Foundation

/// A URL of an OpenID provider: HTTPS, or HTTP on this machine, where no other host can listen or answer in its place.
package struct ProviderAddress: Hashable, Sendable {
    /// Maximum length, in bytes.
    package static let maximumBytes = 2048

    private static let loopback: Set = ["localhost", "127.0.0.1", "[::1]"]

    package let text: String
    /// Whether it is plain HTTP, which is allowed on this machine only.
    package let isPlain: Bool

    /// - Returns: `nil` for any other URL, and for one with a user, a password or a fragment.
    package init?(_ text: String) {
        guard (1...Self.maximumBytes).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !#""<>\^`{|}"#.utf8.contains($0) }),
            let parts = URLComponents(string: text), parts.user == nil, parts.password == nil, parts.fragment == nil,
            let scheme = parts.scheme, let authority = Self.authority(of: text, scheme),
            let origin = Origin("\(scheme)://\(authority)")
        else { return nil }
        switch scheme {
        case "https": isPlain = false
        case "http" where Self.loopback.contains(origin.host): isPlain = true
        default: return nil
        }
        self.text = text
    }

    /// Whether it has a query, which an issuer may not have.
    package var hasQuery: Bool { text.utf8.contains(UInt8(ascii: "?")) }

    /// An address with parameters added to its query.
    func adding(_ parameters: [(name: String, value: String)]) -> String {
        text + (hasQuery ? "&" : "?") + FormBody.encode(parameters)
    }

    private static func authority(of text: String, _ scheme: String) -> Substring? {
        guard text.hasPrefix("\(scheme)://") else { return nil }
        return text.dropFirst(scheme.count + 3).prefix { $0 != "/" && $0 != "?" }
    }
}
