import Crypto

/// Django's signatures under one salt: `django.core.signing` and `django.utils.crypto.salted_hmac`, with SHA-256.
///
/// The key of each secret is derived once, in `init`.
struct DjangoSigner: Sendable {
    /// A text with a valid signature, and when it was signed.
    struct Signed: Hashable {
        var text: Substring
        /// Unix seconds.
        var seconds: Int64
    }

    /// The keys of `SECRET_KEY` and of each of `SECRET_KEY_FALLBACKS`, in order.
    private let keys: [SymmetricKey]

    /// - Parameter secrets: empty ones are ignored, as in Django.
    init(salt: String, secrets: [Secret]) {
        keys = secrets.filter { !$0.bytes.isEmpty }.map { secret in
            var hash = SHA256()
            hash.update(data: Array(salt.utf8))
            hash.update(data: secret.bytes)
            return SymmetricKey(data: Array(hash.finalize()))
        }
    }

    /// Verifies texts made by `signing.dumps(…, salt=…)`.
    init(dumpedWith salt: String, secrets: [Secret]) {
        self.init(salt: salt + "signer", secrets: secrets)
    }

    /// `salted_hmac` of a text under each key.
    func codes(of text: some StringProtocol) -> [[UInt8]] {
        keys.map { Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: $0)) }
    }

    /// Reads `text:time:signature`. The signature is compared as text, so another base64 form of the same bytes is
    /// rejected.
    func signed(_ text: String) -> Signed? {
        guard let (value, signature) = Self.split(text[...]) else { return nil }
        // Tries every key, even after a match.
        let fits = codes(of: value).map {
            PasswordHasher.isEqual(Array(Base64URL.encode($0).utf8), Array(signature.utf8))
        }
        guard fits.contains(true), let (text, time) = Self.split(value), let seconds = Self.base62(time) else {
            return nil
        }
        return Signed(text: text, seconds: seconds)
    }

    /// Splits at the last colon.
    private static func split(_ text: Substring) -> (Substring, Substring)? {
        text.lastIndex(of: ":").map { (text[..<$0], text[text.index(after: $0)...]) }
    }

    /// A number in Django's base 62: digits, upper-case letters, lower-case letters.
    static func base62(_ text: some StringProtocol) -> Int64? {
        let digits = text.utf8.first == UInt8(ascii: "-") ? Array(text.utf8.dropFirst()) : Array(text.utf8)
        guard !digits.isEmpty else { return nil }
        var number: Int64 = 0
        for digit in digits {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = digit - UInt8(ascii: "A") + 10
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = digit - UInt8(ascii: "a") + 36
            default: return nil
            }
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: 62)
            let (sum, overflows) = product.addingReportingOverflow(Int64(value))
            guard !isTooLarge, !overflows else { return nil }
            number = sum
        }
        return digits.count == text.utf8.count ? number : -number
    }
}
