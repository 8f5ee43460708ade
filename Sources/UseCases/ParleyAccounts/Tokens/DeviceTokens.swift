import Crypto
package import ParleyModel

/// Makes and reads device tokens, the values of the cookie by which a device is known from an earlier login.
///
/// A token is not a credential: it only gives wrong passwords of its device a budget of their own, which no one else
/// can use up (`LoginThrottle`). It is base64url of its fields and their HMAC-SHA256 under a key derived from
/// `PARLEY_SECRET`, so every node can read it. It belongs to one user, and is void after `lifetime` and once the user's
/// credentials version rises: with a new password, a revocation of all sessions, or an erasure.
package struct DeviceTokens: Sendable {
    /// The time that a device is known after its last login.
    package static let lifetime = Duration.seconds(400 * 24 * 60 * 60)
    /// Maximum length of a token, in characters.
    static let maximumLength = 512

    private static let signatureLength = 32
    private static let nonceLength = 16

    private let key: SymmetricKey
    private let clock: WallClock

    /// - Parameter secret: `PARLEY_SECRET`.
    package init(secret: Secret, clock: WallClock = .system) {
        // A derived key, so that the signature is never valid for anything else signed with the secret.
        let purpose = HMAC<SHA256>.authenticationCode(
            for: Array("parley device".utf8), using: SymmetricKey(data: secret.bytes))
        key = SymmetricKey(data: Array(purpose))
        self.clock = clock
    }

    /// The name of the cookie beside a session cookie of this name.
    package static func cookieName(beside sessionCookie: String) -> String { sessionCookie + "_device" }

    /// A token for the device of a login.
    /// - Parameters:
    ///   - version: the credentials version that was checked at the login.
    ///   - device: the id in the device's present token; `nil` for a new device.
    func make(for user: UserID, credentialsVersion version: Int64, device: String? = nil) -> String {
        let device = device ?? Base64URL.encode(RandomBytes.make(Self.nonceLength))
        let expiry = clock.milliseconds + Self.lifetime.milliseconds
        // The user comes last: an id may contain the separator.
        var bytes = Array("\(device).\(expiry).\(version).\(user.text)".utf8)
        bytes += HMAC<SHA256>.authenticationCode(for: bytes, using: key)
        return Base64URL.encode(bytes)
    }

    /// The device of a token; `nil` if the token is forged or has expired. Whether it is still valid for its user is
    /// decided by the credentials version.
    func read(_ text: String) -> KnownDevice? {
        guard text.utf8.count <= Self.maximumLength, let bytes = Base64URL.decode(text),
            bytes.count > Self.signatureLength
        else { return nil }
        let (content, signature) = (Array(bytes.dropLast(Self.signatureLength)), bytes.suffix(Self.signatureLength))
        guard HMAC<SHA256>.isValidAuthenticationCode(Array(signature), authenticating: content, using: key)
        else { return nil }
        let fields = String(decoding: content, as: UTF8.self)
            .split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count == 4, let expiry = Int64(fields[1]), let version = Int64(fields[2]),
            expiry > clock.milliseconds, let user = UserID(String(fields[3]))
        else { return nil }
        return KnownDevice(id: String(fields[0]), user: user, credentialsVersion: version)
    }
}

/// A device on which a user has logged in.
struct KnownDevice: Hashable, Sendable {
    /// Random; the same after further logins of the user on this device.
    let id: String
    let user: UserID
    let credentialsVersion: Int64

    /// Whether the device is known for these credentials.
    func isKnown(for credentials: Credentials) -> Bool {
        credentials.user.id == user && credentials.credentialsVersion == credentialsVersion
    }
}
