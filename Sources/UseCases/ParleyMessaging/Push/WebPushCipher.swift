package import Crypto
import Foundation

/// Encrypts a message for one subscription (RFC 8291), as one record of `aes128gcm` (RFC 8188).
package struct WebPushCipher {
    /// A failure of the cryptographic library, or a message that is too long.
    package struct Failure: Error, Hashable {
        package let explanation: String

        package init(explanation: String) {
            self.explanation = explanation
        }
    }

    /// The record size in the header, and the maximum size of a body that each push service accepts (RFC 8030 §7.2).
    package static let recordSize: UInt32 = 4_096
    /// The maximum size of a message in bytes: the record without salt, size, key, delimiter and tag (RFC 8291 §4).
    package static let maximumMessage = 3_993
    /// Messages are padded to a multiple of this size, so that the push service cannot tell texts by their lengths.
    package static let paddedTo = 256

    private let ownKey: P256.KeyAgreement.PrivateKey
    private let salt: [UInt8]

    /// Makes a key and a salt, which must be used for one message only.
    package init() {
        var generator = SystemRandomNumberGenerator()
        ownKey = P256.KeyAgreement.PrivateKey()
        salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// - Parameter salt: 16 bytes.
    package init(ownKey: P256.KeyAgreement.PrivateKey, salt: [UInt8]) {
        self.ownKey = ownKey
        self.salt = salt
    }

    /// Returns the body of a request: the header with the salt and the own public key, and the record.
    package func body(_ message: [UInt8], for subscription: WebPushSubscription, padding: Int? = nil) throws(Failure)
        -> [UInt8]
    {
        guard message.count <= Self.maximumMessage else {
            throw Failure(explanation: "\(message.count) bytes; at most \(Self.maximumMessage) fit into a push")
        }
        do {
            let theirKey = try P256.KeyAgreement.PublicKey(x963Representation: subscription.publicKey)
            let ownPublic = ownKey.publicKey.x963Representation
            let shared = try ownKey.sharedSecretFromKeyAgreement(with: theirKey)
            // RFC 8291 §3.4, which is HKDF with the authentication secret as its salt.
            let material = shared.hkdfDerivedSymmetricKey(
                using: SHA256.self, salt: subscription.secret,
                sharedInfo: Data("WebPush: info\0".utf8) + Data(subscription.publicKey) + ownPublic, outputByteCount: 32
            )
            return try ContentCoding.body(
                message, material: material, salt: salt, recordSize: Self.recordSize, keyID: Array(ownPublic),
                padding: padding ?? Self.padding(message.count))
        } catch {
            throw Failure(explanation: "the message cannot be encrypted: \(error)")
        }
    }

    private static func padding(_ count: Int) -> Int {
        min(maximumMessage - count, (paddedTo - count % paddedTo) % paddedTo)
    }
}

/// The content coding `aes128gcm` with one record (RFC 8188 §2).
package enum ContentCoding {
    /// - Parameters:
    ///   - material: The input keying material.
    ///   - salt: 16 bytes.
    ///   - recordSize: At least the message, its padding and 17 bytes.
    ///   - keyID: At most 255 bytes.
    ///   - padding: The number of zero bytes behind the delimiter.
    package static func body(
        _ message: [UInt8], material: SymmetricKey, salt: [UInt8], recordSize: UInt32, keyID: [UInt8], padding: Int
    ) throws -> [UInt8] {
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: material, salt: salt, info: Data("Content-Encoding: aes128gcm\0".utf8),
            outputByteCount: 16)
        let nonce = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: material, salt: salt, info: Data("Content-Encoding: nonce\0".utf8), outputByteCount: 12)
        // 2 marks the last record, whose number is 0, so that the nonce stays as it is.
        let record = message + [2] + [UInt8](repeating: 0, count: max(0, padding))
        let sealed = try AES.GCM.seal(
            record, using: key, nonce: try AES.GCM.Nonce(data: nonce.withUnsafeBytes { Data($0) }))
        let size = withUnsafeBytes(of: recordSize.bigEndian) { Array($0) }
        var body = salt
        body += size
        body.append(UInt8(truncatingIfNeeded: keyID.count))
        body += keyID
        body += sealed.ciphertext
        body += sealed.tag
        return body
    }
}
