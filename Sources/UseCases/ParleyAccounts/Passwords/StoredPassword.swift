/// A password hash in Django's notation: algorithm, cost, salt and hash in one text.
///
/// The cost is read from the text and bounded: a row written by others must not consume minutes or excessive memory.
package struct StoredPassword: Hashable, Sendable {
    /// Four times the value of Django's newest release: some seconds of one core.
    package static let maximumIterations = 5_000_000
    /// Maximum memory of scrypt, `128 · N · r` bytes; Django's default is 16 MiB.
    package static let maximumScryptBytes = 64 << 20
    /// Maximum work of scrypt, `N · r · p`; Django's default is 655,360.
    package static let maximumScryptWork = 5_242_880
    /// Maximum length of the text, in bytes; Django's column has 128 characters.
    package static let maximumBytes = 512

    /// A supported algorithm with its cost.
    package enum Algorithm: Hashable, Sendable {
        case pbkdf2SHA256(iterations: Int)
        case pbkdf2SHA1(iterations: Int)
        case scrypt(rounds: Int, blockSize: Int, parallelism: Int)
    }

    package let algorithm: Algorithm
    /// Used as text, not decoded; never empty.
    package let salt: String
    /// The derived key in standard base64.
    package let hash: String

    init(algorithm: Algorithm, salt: String, hash: String) {
        self.algorithm = algorithm
        self.salt = salt
        self.hash = hash
    }

    /// `nil` for an unusable password (`!…`), an unknown algorithm, a malformed text, or a cost above the bounds.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard let algorithm = Self.algorithm(fields) else { return nil }
        let salt = String(fields[2])
        let hash = String(fields[fields.count - 1])
        guard !salt.isEmpty, !hash.isEmpty else { return nil }
        self.algorithm = algorithm
        self.salt = salt
        self.hash = hash
    }

    private static func algorithm(_ fields: [Substring]) -> Algorithm? {
        switch (fields.first, fields.count) {
        case ("pbkdf2_sha256", 4): number(fields[1], upTo: maximumIterations).map { .pbkdf2SHA256(iterations: $0) }
        case ("pbkdf2_sha1", 4): number(fields[1], upTo: maximumIterations).map { .pbkdf2SHA1(iterations: $0) }
        case ("scrypt", 6): scrypt(rounds: fields[1], blockSize: fields[3], parallelism: fields[4])
        default: nil
        }
    }

    private static func scrypt(rounds: Substring, blockSize: Substring, parallelism: Substring) -> Algorithm? {
        guard let n = number(rounds, upTo: 1 << 20), n > 1, n & (n - 1) == 0,
            let r = number(blockSize, upTo: 64), let p = number(parallelism, upTo: 64),
            128 * n * r <= maximumScryptBytes, n * r * p <= maximumScryptWork
        else { return nil }
        return .scrypt(rounds: n, blockSize: r, parallelism: p)
    }

    private static func number(_ text: Substring, upTo maximum: Int) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text),
            (1...maximum).contains(value)
        else { return nil }
        return value
    }
}
