import Crypto
import CryptoExtras
import Foundation

/// The encryption of channels_redis: Fernet (github.com/fernet/spec) with keys derived from any text by SHA-256.
///
/// As in channels_redis' pub/sub layer, the age of a token is not checked.
package struct Fernet: Sendable {
    private struct Key: Sendable {
        let signing: SymmetricKey
        let encryption: SymmetricKey

        init(_ secret: String) {
            let bytes = Array(SHA256.hash(data: Array(secret.utf8)))
            signing = SymmetricKey(data: bytes[..<16])
            encryption = SymmetricKey(data: bytes[16...])
        }
    }

    /// The length of version, time and IV before the ciphertext.
    private static var headerLength: Int { 1 + 8 + 16 }
    private static var macLength: Int { 32 }

    private let keys: [Key]

    /// Returns `nil` without secrets.
    /// - Parameter secrets: The secrets. The first one encrypts, and all are tried for decryption.
    package init?(secrets: [String]) {
        guard !secrets.isEmpty else { return nil }
        keys = secrets.map(Key.init)
    }

    /// Encrypts `plaintext` into an ASCII token.
    /// - Parameters:
    ///   - seconds: The Unix time to write into the token.
    ///   - iv: 16 random bytes.
    package func encrypt(_ plaintext: [UInt8], seconds: Int64, iv: [UInt8]) throws(ChannelsCodecError) -> [UInt8] {
        let key = keys[0]
        do {
            let cipher = try AES._CBC.encrypt(plaintext, using: key.encryption, iv: AES._CBC.IV(ivBytes: iv))
            var body: [UInt8] = [0x80]
            withUnsafeBytes(of: seconds.bigEndian) { body.append(contentsOf: $0) }
            body += iv
            body += cipher
            body += HMAC<SHA256>.authenticationCode(for: body, using: key.signing)
            let text = Data(body).base64EncodedString()
            return text.utf8.map { byte in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: byte
                }
            }
        } catch {
            throw .unsupported
        }
    }

    /// Encrypts `plaintext` into a token with a random IV.
    package func encrypt(_ plaintext: [UInt8], seconds: Int64) throws(ChannelsCodecError) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let iv = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return try encrypt(plaintext, seconds: seconds, iv: iv)
    }

    /// Decrypts a token.
    /// - Throws: `undecryptable`.
    package func decrypt(_ token: [UInt8]) throws(ChannelsCodecError) -> [UInt8] {
        let standard = token.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        guard let data = Data(base64Encoded: Data(standard)) else { throw .undecryptable }
        let body = [UInt8](data)
        let signed = body.count - Self.macLength
        guard signed >= Self.headerLength, body[0] == 0x80 else { throw .undecryptable }
        let key = keys.first {
            HMAC<SHA256>.isValidAuthenticationCode(body[signed...], authenticating: body[..<signed], using: $0.signing)
        }
        guard let key else { throw .undecryptable }
        do {
            let iv = try AES._CBC.IV(ivBytes: body[9..<25])
            return [UInt8](try AES._CBC.decrypt(body[Self.headerLength..<signed], using: key.encryption, iv: iv))
        } catch {
            throw .undecryptable
        }
    }
}
