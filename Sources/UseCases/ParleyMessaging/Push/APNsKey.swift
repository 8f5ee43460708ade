import Crypto
import JWTKit
import ParleyModel

/// The key with which a team of developers authenticates at APNs, a `.p8` file
/// (https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns).
package struct APNsKey: Sendable {
    /// The time for which a token is used. APNs refuses tokens older than an hour, and more than one in 20 minutes.
    static let tokenLifetime = Duration.seconds(2_400)
    /// The minimum age of a token that is replaced because APNs calls it expired.
    static let minimumAge = Duration.seconds(1_200)

    /// 10 characters.
    package let keyID: String
    /// 10 characters.
    package let teamID: String
    private let key: P256.Signing.PrivateKey

    /// - Parameter pem: The content of the file.
    /// - Returns: `nil` if it is not a private key of P-256 in PEM.
    package init?(pem: String, keyID: String, teamID: String) {
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) else { return nil }
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
    }

    /// Whether a text can be the ID of a key or a team: 10 capital letters and digits.
    package static func isID(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }

    /// The public key in PEM, with which APNs verifies tokens.
    package var publicKeyPEM: String { key.publicKey.pemRepresentation }

    func token(at now: Int64) async throws(PushTokenError) -> PushToken {
        do {
            let kid = JWKIdentifier(string: keyID)
            let keys = await JWTKeyCollection().add(ecdsa: try ES256PrivateKey(backing: key), kid: kid)
            let text = try await keys.sign(PushClaims(iss: teamID, iat: CivilTime.seconds(milliseconds: now)), kid: kid)
            return PushToken(text: text, made: now, renewal: now &+ Self.tokenLifetime.milliseconds)
        } catch {
            throw PushTokenError(outcome: .misconfigured(reason: "the key for APNs cannot sign: \(error)"))
        }
    }
}
