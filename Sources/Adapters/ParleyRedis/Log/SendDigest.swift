import Crypto
package import ParleyModel

/// A keyed digest of what must match in a repeat under one `clientID`: thread, text, parts, and the message replied to.
///
/// Keyed, since Redis keeps it longer than the text: a reader of Redis could otherwise guess short deleted texts. 32
/// characters: `~`, three that identify the key, and 28 of an HMAC-SHA256 in base64url, which are 168 bits.
package struct SendDigest: Sendable {
    /// Begun with the key, and copied for each digest: taking in the key costs as much as a short message.
    private let keyed: HMAC<SHA256>
    private let keyName: String

    /// The result of comparing a stored digest with the digest of a send.
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
        keyed = HMAC(key: SymmetricKey(data: Array(derived)))
        var name = keyed
        name.update(data: Array("name".utf8))
        keyName = Self.text(name.finalize(), characters: 3)
    }

    /// Returns the digest of a send.
    package func of(_ message: Message, in thread: ThreadID) -> String {
        let content = message.content.utf8
        var bytes: [UInt8] = []
        bytes.reserveCapacity(thread.text.utf8.count + content.count + 1)
        bytes.append(contentsOf: thread.text.utf8)
        // A thread's id contains no line feed.
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: content)
        var code = keyed
        code.update(data: bytes)
        return "~" + keyName + Self.text(code.finalize(), characters: 28)
    }

    /// Compares the digest of the first send, as stored in Redis, with the digest of another send.
    package func compare(_ stored: String, with message: Message, in thread: ThreadID) -> Comparison {
        guard stored.dropFirst().hasPrefix(keyName) else { return .unknown }
        return stored == of(message, in: thread) ? .same : .different
    }

    private static func text(_ code: HMAC<SHA256>.MAC, characters: Int) -> String {
        code.withUnsafeBytes { bytes in
            String(unsafeUninitializedCapacity: characters) { text in
                var (bits, count, written) = (UInt32(0), 0, 0)
                for byte in bytes {
                    bits = bits << 8 | UInt32(byte)
                    count += 8
                    while count >= 6, written < characters {
                        count -= 6
                        text[written] = alphabet[Int(bits >> UInt32(count) & 0x3F)]
                        written += 1
                    }
                }
                return written
            }
        }
    }
}
