import Foundation

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

/// The name and password of the `Basic` scheme (RFC 7617), decoded as UTF-8.
package struct BasicCredentials: Hashable, Sendable {
    package let username: String
    /// May contain colons; the name may not.
    package let password: String

    /// Maximum length of the encoded form, in bytes.
    package static let maximumBytes = 8192

    /// `nil` if it is not base64 (standard alphabet, padded), is not UTF-8, has no colon, or is too long.
    package init?(encoded: String) {
        guard encoded.utf8.count <= Self.maximumBytes, let data = Data(base64Encoded: encoded),
            let text = String(validating: data, as: UTF8.self),
            // Searched among bytes: as characters, a combining mark after the colon would hide it.
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        username = String(text[..<colon])
        password = String(text[text.utf8.index(after: colon)...])
    }
}
