import Crypto
package import ParleyModel

/// What must be the same in a repeat under one `clientID` (thread, text, parts, and what is answered), as a keyed digest.
///
/// Keyed, since Redis holds it longer than the text: whoever reads Redis could otherwise guess short texts that are
/// deleted. 32 characters: `~`, three that name the key, 28 of an HMAC-SHA256 in base64url, which are 168 bits.
package struct SendDigest: Sendable {
    private let key: SymmetricKey
    private let keyName: String

    /// How a stored digest compares with that of a send.
    package enum Comparison: Hashable, Sendable {
        case same
        case different
        /// It was made with another key: nobody can tell.
        case unknown
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// - Parameter secret: what all nodes share; the key is derived from it.
    package init(secret: [UInt8]) {
        let derived = HMAC<SHA256>.authenticationCode(
            for: Array("parley send digest".utf8), using: SymmetricKey(data: secret))
        key = SymmetricKey(data: Array(derived))
        keyName = Self.text(HMAC<SHA256>.authenticationCode(for: Array("name".utf8), using: key), characters: 3)
    }

    /// Of a send.
    package func of(_ message: Message, in thread: ThreadID) -> String {
        var hmac = HMAC<SHA256>(key: key)
        // No thread has a line feed in its id.
        hmac.update(data: Array("\(thread)\n".utf8))
        hmac.update(data: Array(message.content.utf8))
        return "~" + keyName + Self.text(hmac.finalize(), characters: 28)
    }

    /// Compares what Redis has of the first send with a send, whose digest it is not.
    ///
    /// Versions before have written a hash without a key, in 32 hex digits.
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
