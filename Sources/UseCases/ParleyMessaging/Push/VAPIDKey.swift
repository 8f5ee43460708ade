import Crypto
import JWTKit
import ParleyAccounts
import ParleyModel

/// The key by which push services know this server (RFC 8292). Subscriptions are made for its public key.
package struct VAPIDKey: Sendable {
    /// The validity of a token. RFC 8292 §2 allows 24 hours; clocks of push services may differ.
    static let tokenLifetime = Duration.seconds(43_200)
    /// The time before its end at which a token is replaced.
    static let margin = Duration.seconds(3_600)

    /// The contact of the operator, a `mailto:` or `https:` URI.
    package let subject: String
    private let key: P256.Signing.PrivateKey

    /// - Parameters:
    ///   - text: A private key of P-256 in PEM, or its 32 bytes in base64url, the form in which tools for Web Push print it.
    ///   - subject: A text for which `isSubject` is true.
    /// - Returns: `nil` for another text.
    package init?(_ text: String, subject: String) {
        let trimmed = String(text.drop(while: \.isWhitespace).prefix { !$0.isWhitespace })
        if let key = try? P256.Signing.PrivateKey(pemRepresentation: text) {
            self.key = key
        } else if let bytes = Base64URL.decode(trimmed), bytes.count == 32,
            let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes)
        {
            self.key = key
        } else {
            return nil
        }
        self.subject = subject
    }

    /// Whether a text can be a contact: `mailto:` with an address, or an `https` URL, at most 256 characters. Push services
    /// refuse others, and some of them contacts at `localhost`.
    package static func isSubject(_ text: String) -> Bool {
        guard text.utf8.count <= 256, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return false }
        if text.hasPrefix("mailto:") { return text.dropFirst("mailto:".count).split(separator: "@").count == 2 }
        return (try? WebhookURL(text))?.scheme == .https
    }

    /// The public key as `pushManager.subscribe` takes it: 65 bytes in base64url.
    package var applicationServerKey: String { Base64URL.encode(key.publicKey.x963Representation) }

    /// The origin of an endpoint, for which a token is valid: without the port if it is the usual one (RFC 6454 §6.2).
    static func audience(of url: WebhookURL) -> String {
        let host = url.host.contains(":") ? "[\(url.host)]" : url.host
        let isUsual = url.port == (url.scheme == .https ? 443 : 80)
        return "\(url.scheme.rawValue)://\(host)\(isUsual ? "" : ":\(url.port)")"
    }

    func token(for audience: String, at now: Int64) async throws(PushTokenError) -> PushToken {
        do {
            let keys = await JWTKeyCollection().add(ecdsa: try ES256PrivateKey(backing: key))
            let end = now &+ Self.tokenLifetime.milliseconds
            let text = try await keys.sign(
                PushClaims(aud: audience, sub: subject, exp: CivilTime.seconds(milliseconds: end)))
            return PushToken(text: text, made: now, renewal: end &- Self.margin.milliseconds)
        } catch {
            throw PushTokenError(outcome: .misconfigured(reason: "the key for Web Push cannot sign: \(error)"))
        }
    }

    /// Returns the value of `Authorization` (RFC 8292 §3).
    func authorization(_ token: PushToken) -> String {
        "vapid t=\(token.text), k=\(applicationServerKey)"
    }
}
