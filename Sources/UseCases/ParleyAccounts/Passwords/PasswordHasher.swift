import Crypto
import CryptoExtras
import Foundation

/// Computes and verifies password hashes in Django's notation.
///
/// Both take up to seconds of CPU time: call them on `PasswordWorkers` only.
package struct PasswordHasher: Sendable {
    /// The cost of new hashes.
    package let iterations: Int
    /// A hash that matches no password, used to spend the same time on unknown users.
    package let decoy: StoredPassword

    private static let saltLength = 22
    private static let keyLength = 32

    /// - Parameter iterations: clamped to 1...`StoredPassword.maximumIterations`.
    package init(iterations: Int) {
        self.iterations = min(max(iterations, 1), StoredPassword.maximumIterations)
        decoy = StoredPassword(
            algorithm: .pbkdf2SHA256(iterations: self.iterations), salt: Self.makeSalt(),
            hash: Data(RandomBytes.make(Self.keyLength)).base64EncodedString())
    }

    /// `pbkdf2_sha256$iterations$salt$hash` with a random salt; `nil` if the cryptographic library fails.
    package func hash(_ password: String) -> String? {
        let salt = Self.makeSalt()
        let key = Self.key(.pbkdf2SHA256(iterations: iterations), password: password, salt: salt)
        return key.map { "pbkdf2_sha256$\(iterations)$\(salt)$\($0)" }
    }

    /// Whether `stored` was made from `password`; compared as text in constant time, as Django does.
    package static func verify(_ password: String, against stored: StoredPassword) -> Bool {
        guard let key = key(stored.algorithm, password: password, salt: stored.salt) else { return false }
        return isEqual(Array(key.utf8), Array(stored.hash.utf8))
    }

    /// The derived key in base64.
    private static func key(_ algorithm: StoredPassword.Algorithm, password: String, salt: String) -> String? {
        // The library traps on an empty password; for HMAC a single zero byte is the same key.
        let password = password.isEmpty ? [0] : Array(password.utf8)
        let salt = Array(salt.utf8)
        let key: SymmetricKey?
        switch algorithm {
        case .pbkdf2SHA256(let iterations):
            key = try? KDF.Insecure.PBKDF2.deriveKey(
                from: password, salt: salt, using: .sha256, outputByteCount: keyLength,
                unsafeUncheckedRounds: iterations)
        case .pbkdf2SHA1(let iterations):
            key = try? KDF.Insecure.PBKDF2.deriveKey(
                from: password, salt: salt, using: .insecureSHA1, outputByteCount: 20,
                unsafeUncheckedRounds: iterations)
        case .scrypt(let rounds, let blockSize, let parallelism):
            key = try? KDF.Scrypt.deriveKey(
                from: password, salt: salt, outputByteCount: 64, rounds: rounds, blockSize: blockSize,
                parallelism: parallelism)
        }
        return key.map { $0.withUnsafeBytes { Data($0) }.base64EncodedString() }
    }

    static func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func makeSalt() -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        var generator = SystemRandomNumberGenerator()
        return String((0..<saltLength).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] })
    }
}
