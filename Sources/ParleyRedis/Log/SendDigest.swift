import Crypto
package import ParleyModel

/// A keyed digest of what must match in a repeat under one `clientID`: thread, text, parts, and the message replied to.
///
/// Keyed, since Redis keeps it longer than the text: a reader of Redis could otherwise guess short deleted texts. 32
/// characters: `~`, three that identify the key, and 28 of an HMAC-SHA256 in base64url, which are 168 bits.
package struct SendDigest: Sendable {
    private let key: SymmetricKey
    private let keyName: String

    /// The result of comparing a stored digest with that of a send.
    package enum Comparison: Hashable, Sendable {
        case same
        case different
        /// The digest was made with another key and cannot be compared.
        case unknown
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// - Parameter secret: the secret shared by all nodes; the key is derived from it.
    package init(secret: [UInt8]) {
        let derived = HMAC<SHA256>.authenticationCode(
            for: Array("parley send digest".utf8), using: SymmetricKey(data: secret))
        key = SymmetricKey(data: Array(derived))
        keyName = Self.text(HMAC<SHA256>.authenticationCode(for: Array("name".utf8), using: key), characters: 3)
    }

    /// The digest of a send.
    package func of(_ message: Message, in thread: ThreadID) -> String {
        var hmac = HMAC<SHA256>(key: key)
        // A thread's id contains no line feed.
        hmac.update(data: Array("\(thread)\n".utf8))
        hmac.update(data: Array(message.content.utf8))
        return "~" + keyName + Self.text(hmac.finalize(), characters: 28)
    }

    /// Compares the digest of the first send, as stored in Redis, with a send that has another digest.
    ///
    /// Previous versions have stored an unkeyed hash of 32 hex digits.
    package func compare(_ stored: String, with message: Message, in thread: ThreadID) -> Comparison {
        guard stored.hasPrefix("~") else {
            return FNV1a128.hex(of: "\(thread)\n\(message.content)") == stored ? .same : .different
        }
        guard stored.dropFirst().hasPrefix(keyName) else { return .unknown }
        return stored == of(message, in: thread) ? .same : .different
    }

    private static func text(_ bytes: some Sequence<UInt8>, characters: Int) -> String {
        var (bits, count) = (UInt32(0), 0)
        var text: [UInt8] = []
        text.reserveCapacity(characters)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6, text.count < characters {
                count -= 6
                text.append(alphabet[Int(bits >> UInt32(count) & 0x3F)])
            }
            if text.count == characters { break }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
