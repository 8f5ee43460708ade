/// A parsed `Authorization` header (RFC 9110 §11.6.2); the scheme is case-insensitive.
package enum AuthorizationHeader: Hashable, Sendable {
    case bearer(String)
    /// The credentials of the `Basic` scheme, still encoded.
    case basic(String)
    case unknown(scheme: String)

    /// Maximum length of a credential, in bytes of UTF-8.
    package static let maximumBytes = 16_384

    /// `nil` for a blank value, which counts as absent.
    package init?(_ value: String) {
        let words = value.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard let scheme = words.first else { return nil }
        let credential = words.count == 2 ? String(words[1].drop { $0 == " " }.trimmingSuffix { $0 == " " }) : ""
        switch scheme.lowercased() {
        case "bearer": self = .bearer(credential)
        case "basic": self = .basic(credential)
        default: self = .unknown(scheme: String(scheme))
        }
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while isDropped: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, isDropped(last) { rest.removeLast() }
        return rest
    }
}
