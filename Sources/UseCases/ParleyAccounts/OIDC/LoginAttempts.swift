import Crypto
package import ParleyModel

/// A login at a provider that has begun. Its cookie binds it to one browser.
package struct LoginAttempt: Hashable, Sendable {
    /// Random; what the provider gets is derived from it.
    let seed: [UInt8]
    /// Unix milliseconds.
    let expiry: Int64
    /// The page to return to, as `LocalPath` allows it.
    package let next: String
}

/// Makes and reads the cookies of attempts, so that any node can finish what another has begun.
///
/// A cookie is base64url of the expiry, the seed and `next`, and their HMAC-SHA256 under a key derived from
/// `PARLEY_SECRET`, the issuer and the client. `state`, `nonce` and the PKCE verifier are HMACs of the seed under the
/// same key: the cookie shows none of them, and `state` without the cookie is worth nothing.
package struct LoginAttempts: Sendable {
    /// The time in which a user must have logged in.
    package static let lifetime = Duration.seconds(600)
    /// Maximum length of a cookie, in characters.
    static let maximumLength = 2048

    private static let seedLength = 32
    private static let timeLength = 8
    private static let signatureLength = 32

    private let key: SymmetricKey
    private let clock: WallClock

    /// - Parameter secret: `PARLEY_SECRET`.
    package init(secret: Secret, settings: OIDCSettings, clock: WallClock = .system) {
        // Attempts of another configuration are void.
        let purpose = "parley oidc \(settings.issuer.text) \(settings.clientID)"
        let derived = HMAC<SHA256>.authenticationCode(
            for: Array(purpose.utf8), using: SymmetricKey(data: secret.bytes))
        key = SymmetricKey(data: Array(derived))
        self.clock = clock
    }

    /// - Parameter next: as `LocalPath` allows it.
    package func begin(next: String) -> LoginAttempt {
        LoginAttempt(
            seed: RandomBytes.make(Self.seedLength), expiry: clock.milliseconds + Self.lifetime.milliseconds, next: next
        )
    }

    package func cookie(of attempt: LoginAttempt) -> String {
        let bytes = Self.bytes(of: attempt)
        return Base64URL.encode(bytes + Array(code("cookie", bytes)))
    }

    /// The attempt of a cookie; `nil` if the cookie is forged or has expired.
    package func read(_ cookie: String) -> LoginAttempt? {
        let fixed = Self.timeLength + Self.seedLength
        guard cookie.utf8.count <= Self.maximumLength, let bytes = Base64URL.decode(cookie),
            bytes.count >= fixed + Self.signatureLength
        else { return nil }
        let content = Array(bytes.dropLast(Self.signatureLength))
        guard isCode(Array(bytes.suffix(Self.signatureLength)), "cookie", content),
            let next = String(validating: content.dropFirst(fixed), as: UTF8.self), LocalPath.isAllowed(next)
        else { return nil }
        let stamp = content.prefix(Self.timeLength).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let now = clock.milliseconds
        // A time further in the future than any attempt has been written by a clock that was wrong.
        guard let expiry = Int64(exactly: stamp), expiry > now, expiry - now <= Self.lifetime.milliseconds else {
            return nil
        }
        return LoginAttempt(seed: Array(content.prefix(fixed).dropFirst(Self.timeLength)), expiry: expiry, next: next)
    }

    /// The `state` of the request (RFC 6749 §10.12).
    package func state(of attempt: LoginAttempt) -> String { text("state", attempt) }

    /// The `nonce`, which the ID token repeats (OpenID Connect Core §3.1.2.1).
    package func nonce(of attempt: LoginAttempt) -> String { text("nonce", attempt) }

    /// The `code_verifier` (RFC 7636 §4.1), 43 characters.
    package func verifier(of attempt: LoginAttempt) -> String { text("verifier", attempt) }

    /// The `code_challenge` of a verifier, by `S256` (RFC 7636 §4.2).
    package static func challenge(of verifier: String) -> String {
        Base64URL.encode(SHA256.hash(data: Array(verifier.utf8)))
    }

    /// Whether a text is the `state` of an attempt; takes the same time for every wrong one.
    func isState(_ text: String, of attempt: LoginAttempt) -> Bool {
        guard text.utf8.count <= 64, let bytes = Base64URL.decode(text) else { return false }
        return isCode(bytes, "state", attempt.seed)
    }

    private func text(_ purpose: String, _ attempt: LoginAttempt) -> String {
        Base64URL.encode(code(purpose, attempt.seed))
    }

    private func code(_ purpose: String, _ bytes: [UInt8]) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Array("\(purpose):".utf8) + bytes, using: key)
    }

    private func isCode(_ code: [UInt8], _ purpose: String, _ bytes: [UInt8]) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(
            code, authenticating: Array("\(purpose):".utf8) + bytes, using: key)
    }

    private static func bytes(of attempt: LoginAttempt) -> [UInt8] {
        withUnsafeBytes(of: UInt64(clamping: attempt.expiry).bigEndian) { Array($0) } + attempt.seed
            + Array(attempt.next.utf8)
    }
}
