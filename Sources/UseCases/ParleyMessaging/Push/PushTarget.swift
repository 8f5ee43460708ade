import Crypto
import ParleyAccounts

/// A device that a push is sent to.
package enum PushTarget: Hashable, Sendable {
    case apns(APNsDevice)
    case fcm(FCMDevice)
    case web(WebPushSubscription)
}

/// The reason that a device cannot be a target: the wrong field and what is allowed.
package struct PushTargetError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// An app on a device of Apple.
package struct APNsDevice: Hashable, Sendable {
    package enum Environment: String, CaseIterable, Hashable, Sendable {
        case production, sandbox
    }

    /// Hexadecimal digits in lower case.
    package let token: String
    /// The bundle ID of the app.
    package let topic: String
    package let environment: Environment

    /// - Parameters:
    ///   - token: 2 to 200 hexadecimal digits, an even number.
    ///   - topic: 1 to 155 letters, digits, points and hyphens.
    package init(token: String, topic: String, environment: Environment) throws(PushTargetError) {
        let isHex = token.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
            default: false
            }
        }
        guard isHex, (2...200).contains(token.utf8.count), token.utf8.count.isMultiple(of: 2) else {
            throw PushTargetError("token is not 2 to 200 hexadecimal digits, two for each byte")
        }
        let isTopic = topic.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E: true
            default: false
            }
        }
        guard isTopic, (1...155).contains(topic.utf8.count) else {
            throw PushTargetError("topic is not a bundle ID of 1 to 155 letters, digits, points and hyphens")
        }
        self.token = token.lowercased()
        self.topic = topic
        self.environment = environment
    }
}

/// An installation of an app that Firebase Cloud Messaging knows.
package struct FCMDevice: Hashable, Sendable {
    package let token: String

    /// - Parameter token: 1 to 4,096 printable ASCII characters.
    package init(token: String) throws(PushTargetError) {
        guard (1...4_096).contains(token.utf8.count), token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw PushTargetError("token is not 1 to 4096 printable ASCII characters")
        }
        self.token = token
    }
}

/// A subscription of a browser, as `PushSubscription.toJSON()` returns it.
package struct WebPushSubscription: Hashable, Sendable {
    package let endpoint: WebhookURL
    /// The browser's public key, an uncompressed point of P-256 of 65 bytes.
    package let publicKey: [UInt8]
    /// The authentication secret of 16 bytes.
    package let secret: [UInt8]

    /// - Parameters:
    ///   - endpoint: A URL of the form that webhooks may have.
    ///   - p256dh: 65 bytes in base64url without padding.
    ///   - auth: 16 bytes in base64url without padding.
    package init(endpoint: String, p256dh: String, auth: String) throws(PushTargetError) {
        do {
            self.endpoint = try WebhookURL(endpoint)
        } catch {
            throw PushTargetError("endpoint: \(error)")
        }
        guard let key = Base64URL.decode(p256dh), (try? P256.KeyAgreement.PublicKey(x963Representation: key)) != nil
        else {
            throw PushTargetError("keys.p256dh is not an uncompressed point of P-256 in base64url")
        }
        guard let secret = Base64URL.decode(auth), secret.count == 16 else {
            throw PushTargetError("keys.auth is not 16 bytes in base64url")
        }
        publicKey = key
        self.secret = secret
    }
}
