import ParleyAccounts
import Testing

@Suite("Password hashes")
struct PasswordHasherTests {
    @Test("made by Django are verified", arguments: try Vectors.load().passwords.vectors.filter(\.isOurs))
    func django(_ vector: Vectors.Password) throws {
        #expect(PasswordHasher.verify(try #require(vector.password), against: vector.encoded) == vector.valid)
        #expect(!PasswordHasher.verify(try #require(vector.wrongPassword), against: vector.encoded))
    }

    @Test("of other algorithms never match", arguments: try Vectors.load().passwords.vectors.filter { !$0.isOurs })
    func others(_ vector: Vectors.Password) throws {
        #expect(!PasswordHasher.verify(try #require(vector.password), against: vector.encoded))
    }

    @Test("that are unusable never match", arguments: try Vectors.load().passwords.neverValid)
    func unusable(_ vector: Vectors.Password) {
        for password in ["", "wrong", vector.encoded] {
            #expect(!PasswordHasher.verify(password, against: vector.encoded))
        }
    }

    @Test("are computed as Django computes them")
    func made() throws {
        let hasher = PasswordHasher(iterations: 7)
        let hash = try #require(hasher.hash("correct horse"))
        #expect(hash.contains(/^pbkdf2_sha256\$7\$[A-Za-z0-9]{22}\$[A-Za-z0-9+\/]{43}=$/))
        #expect(hash != hasher.hash("correct horse"), "the salt is not new")
        #expect(PasswordHasher.verify("correct horse", against: hash))
        #expect(!PasswordHasher.verify("correct horsf", against: hash))
        #expect(!PasswordHasher.verify("", against: hash))
    }

    @Test("an empty password does not crash")
    func empty() throws {
        let hash = try #require(PasswordHasher(iterations: 2).hash(""))
        #expect(PasswordHasher.verify("", against: hash))
        #expect(!PasswordHasher.verify("x", against: hash))
        #expect(!PasswordHasher.verify("", against: "scrypt$2$salt$1$1$AAAA"))
    }

    @Test("the decoy matches no password, and costs as much as a real hash")
    func decoy() {
        let hasher = PasswordHasher(iterations: 1234)
        #expect(hasher.decoy.algorithm == .pbkdf2SHA256(iterations: 1234))
        #expect(!PasswordHasher.verify("", against: hasher.decoy))
    }

    @Test(
        "have the cost written in them, within bounds",
        arguments: [
            ("pbkdf2_sha256$5000000$s$h", true), ("pbkdf2_sha256$5000001$s$h", false), ("pbkdf2_sha256$1$s$h", true),
            ("pbkdf2_sha256$0$s$h", false), ("pbkdf2_sha256$-1$s$h", false), ("pbkdf2_sha256$+1$s$h", false),
            ("pbkdf2_sha256$99999999999999999999$s$h", false), ("pbkdf2_sha256$1$$h", false),
            ("pbkdf2_sha256$1$s$", false), ("pbkdf2_sha256$1$s$h$", false), ("pbkdf2_sha1$5000000$s$h", true),
            ("pbkdf2_sha1$5000001$s$h", false), ("pbkdf2_sha512$1$s$h", false),
            ("scrypt$16384$s$8$5$h", true), ("scrypt$65536$s$8$1$h", true), ("scrypt$131072$s$8$1$h", false),
            ("scrypt$65536$s$8$10$h", true), ("scrypt$65536$s$8$11$h", false), ("scrypt$16385$s$8$1$h", false),
            ("scrypt$1$s$8$1$h", false), ("scrypt$2$s$64$64$h", true), ("scrypt$2$s$65$1$h", false),
            ("scrypt$2$s$1$65$h", false), ("scrypt$0$s$8$1$h", false), ("scrypt$16384$s$8$h", false),
            ("pbkdf2_sha256$1$" + String(repeating: "s", count: 600) + "$h", false),
        ])
    func bounds(text: String, isRead: Bool) {
        #expect((StoredPassword(text) != nil) == isRead)
    }
}

extension PasswordHasher {
    /// `false` for an unusable hash too.
    fileprivate static func verify(_ password: String, against stored: String) -> Bool {
        StoredPassword(stored).map { verify(password, against: $0) } ?? false
    }
}
