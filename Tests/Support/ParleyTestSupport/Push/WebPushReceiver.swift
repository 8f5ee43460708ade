package import Crypto
import Foundation

/// A browser's side of a subscription. It shares no code with the sender: HKDF is written out, and records are any number.
package struct WebPushReceiver: Sendable {
    package enum Problem: Error {
        case header, record, delimiter
    }

    private let key: P256.KeyAgreement.PrivateKey
    /// The 16 bytes that a subscription has as `auth`.
    package let secret: [UInt8]

    /// The 65 bytes that a subscription has as `p256dh`.
    package var publicKey: [UInt8] { Array(key.publicKey.x963Representation) }

    package init() {
        self.init(
            key: P256.KeyAgreement.PrivateKey(), secret: (0..<16).map { _ in UInt8.random(in: .min ... .max) })
    }

    package init(key: P256.KeyAgreement.PrivateKey, secret: [UInt8]) {
        self.key = key
        self.secret = secret
    }

    /// Decrypts the body of a request (RFC 8291 §3.4).
    package func decrypt(_ body: [UInt8]) throws -> [UInt8] {
        guard body.count > 86, body[20] == 65 else { throw Problem.header }
        let senderKey = Array(body[21..<86])
        let shared = try key.sharedSecretFromKeyAgreement(with: .init(x963Representation: senderKey))
        let info = Array("WebPush: info".utf8) + [0] + publicKey + senderKey
        let material = Self.derive(shared.withUnsafeBytes { Array($0) }, salt: secret, info: info, count: 32)
        return try Self.decrypt(body, material: material)
    }

    /// Decrypts a body of `aes128gcm` (RFC 8188 §2).
    package static func decrypt(_ body: [UInt8], material: [UInt8]) throws -> [UInt8] {
        guard body.count > 21 else { throw Problem.header }
        let salt = Array(body[0..<16])
        let size = body[16..<20].reduce(0) { $0 * 256 + Int($1) }
        guard size >= 18 else { throw Problem.header }
        let key = derive(material, salt: salt, info: Array("Content-Encoding: aes128gcm".utf8) + [0], count: 16)
        let base = derive(material, salt: salt, info: Array("Content-Encoding: nonce".utf8) + [0], count: 12)
        var rest = body.dropFirst(21 + Int(body[20]))
        var text: [UInt8] = []
        var number: UInt8 = 0
        while !rest.isEmpty {
            let record = rest.prefix(size)
            rest = rest.dropFirst(size)
            guard record.count > 16 else { throw Problem.record }
            var nonce = base
            nonce[11] ^= number
            let box = try AES.GCM.SealedBox(
                nonce: .init(data: nonce), ciphertext: record.dropLast(16), tag: record.suffix(16))
            var plain = Array(try AES.GCM.open(box, using: SymmetricKey(data: key)))
            while plain.last == 0 { plain.removeLast() }
            guard plain.popLast() == (rest.isEmpty ? 2 : 1) else { throw Problem.delimiter }
            text += plain
            number += 1
        }
        return text
    }

    /// HKDF with one block of output (RFC 5869).
    private static func derive(_ material: [UInt8], salt: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
        let pseudorandom = Array(HMAC<SHA256>.authenticationCode(for: material, using: SymmetricKey(data: salt)))
        let block = HMAC<SHA256>.authenticationCode(for: info + [1], using: SymmetricKey(data: pseudorandom))
        return Array(Array(block).prefix(count))
    }
}
