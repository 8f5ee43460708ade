import Foundation

/// The name and password of the `Basic` scheme (RFC 7617), read as UTF-8.
package struct BasicCredentials: Hashable, Sendable {
    package let username: String
    /// May hold colons; the name may not.
    package let password: String

    /// The longest encoded form read, in bytes.
    package static let maximumBytes = 8192

    /// `nil` if it is no base64 (standard alphabet, padded), no UTF-8, has no colon, or is too long.
    package init?(encoded: String) {
        guard encoded.utf8.count <= Self.maximumBytes, let data = Data(base64Encoded: encoded),
            let text = String(validating: data, as: UTF8.self),
            // Sought among bytes: a combining mark after the colon would hide it among characters.
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        username = String(text[..<colon])
        password = String(text[text.utf8.index(after: colon)...])
    }
}
