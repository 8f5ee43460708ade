import Foundation

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
