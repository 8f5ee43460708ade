import Crypto
import Foundation
import ParleyModel

/// A secret of an endpoint, which signs what is sent to it as Standard Webhooks describes
/// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
package struct WebhookKey: Sendable {
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        /// HMAC-SHA256 with 32 bytes that both sides have; `v1`.
        case shared = "hmac-sha256"
        /// Ed25519; the receiver has the public key only; `v1a`.
        case asymmetric = "ed25519"
    }

    private enum Material {
        case shared(SymmetricKey)
        case asymmetric(Curve25519.Signing.PrivateKey)
    }

    /// The number of bytes that a shared secret may have.
    private static let sharedBytes = 24...64

    private let material: Material

    /// Makes a new secret with the system's random numbers.
    package init(_ kind: Kind) {
        material =
            switch kind {
            case .shared: .shared(SymmetricKey(size: .bits256))
            case .asymmetric: .asymmetric(Curve25519.Signing.PrivateKey())
            }
    }

    /// Reads the text of a secret: `whsec_` or `whsk_`, and base64.
    /// - Returns: `nil` for another text, and for a secret of another length.
    package init?(_ text: String) {
        guard text.utf8.count <= 128, let end = text.firstIndex(of: "_"),
            let data = Data(base64Encoded: String(text.suffix(from: end).dropFirst()))
        else { return nil }
        switch text.prefix(through: end) {
        case "whsec_":
            guard Self.sharedBytes.contains(data.count) else { return nil }
            material = .shared(SymmetricKey(data: data))
        case "whsk_":
            guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: data) else { return nil }
            material = .asymmetric(key)
        default: return nil
        }
    }

    package var kind: Kind {
        switch material {
        case .shared: .shared
        case .asymmetric: .asymmetric
        }
    }

    /// The text that is stored. It is a secret.
    package var text: String {
        switch material {
        case .shared(let key): key.withUnsafeBytes { "whsec_" + Data($0).base64EncodedString() }
        case .asymmetric(let key): "whsk_" + key.rawRepresentation.base64EncodedString()
        }
    }

    /// The text that the receiver needs: the shared secret, which is shown once, or `whpk_` and the public key.
    package var receiverText: String {
        switch material {
        case .shared: text
        case .asymmetric(let key): "whpk_" + key.publicKey.rawRepresentation.base64EncodedString()
        }
    }

    /// Returns `v1,` or `v1a,` and the signature in base64.
    fileprivate func signature(of content: Data) throws(WebhookSigningError) -> String {
        switch material {
        case .shared(let key):
            return "v1," + Data(HMAC<SHA256>.authenticationCode(for: content, using: key)).base64EncodedString()
        case .asymmetric(let key):
            do {
                return "v1a," + (try key.signature(for: content)).base64EncodedString()
            } catch {
                throw WebhookSigningError()
            }
        }
    }
}

/// The cryptographic library has refused a signature.
package struct WebhookSigningError: Error, Hashable, Sendable {}

/// The headers of one attempt to deliver.
package struct WebhookHeaders: Hashable, Sendable {
    /// The maximum number of valid secrets, two of them during a rotation.
    package static let maximumKeys = 2

    /// `webhook-id`: the same for each attempt.
    package let id: String
    /// `webhook-timestamp`: the time of the attempt, in Unix seconds.
    package let timestamp: String
    /// `webhook-signature`: a signature for each secret, separated by spaces.
    package let signature: String

    /// - Parameters:
    ///   - id: The ID of an event or a batch. A point and bytes other than unreserved characters are percent-encoded, since a
    ///     point separates the signed parts.
    ///   - seconds: The time of the attempt, in Unix seconds.
    ///   - keys: The first `maximumKeys` sign.
    package init(id: String, seconds: Int64, body: [UInt8], keys: [WebhookKey]) throws(WebhookSigningError) {
        let id = PercentEncoding.encode(id.utf8).replacing(".", with: "%2E")
        let content = Data("\(id).\(seconds).".utf8) + Data(body)
        var signatures: [String] = []
        for key in keys.prefix(Self.maximumKeys) { signatures.append(try key.signature(of: content)) }
        self.id = id
        timestamp = String(seconds)
        signature = signatures.joined(separator: " ")
    }
}
