public import Foundation
import ParleyJSON

/// A device on which the user is notified while no client is connected: an app on a phone, or a browser.
///
/// A device that was registered with a session ends with that session. The server tells no token or address of a device.
public struct ChatDevice: Hashable, Sendable, Identifiable {
    /// The ID of a device, which is not its token.
    public struct ID: ChatIdentifier {
        /// The text of the ID.
        public let rawValue: String

        /// Creates an ID from its text.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The service that sends to a device.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// Apple Push Notification service.
        case apns
        /// Firebase Cloud Messaging.
        case fcm
        /// The push service of a browser.
        case web
        /// An unknown service.
        case other
    }

    /// The ID of the device. It changes when another user registers the same token.
    public let id: ID
    /// The service that sends to the device.
    public let kind: Kind
    /// The date of the first registration, by the server's clock.
    public let since: Date
    /// The date of the last registration, by the server's clock.
    public let lastUsed: Date

    /// Creates a device.
    /// - Parameters:
    ///   - id: The ID of the device.
    ///   - kind: The service that sends to the device.
    ///   - since: The date of the first registration.
    ///   - lastUsed: The date of the last registration.
    public init(id: ID, kind: Kind = .apns, since: Date, lastUsed: Date) {
        self.id = id
        self.kind = kind
        self.since = since
        self.lastUsed = lastUsed
    }
}

/// The address of a device at its push service.
public enum ChatDeviceAddress: Hashable, Sendable {
    /// The two services of Apple, with distinct tokens.
    public enum Environment: String, Hashable, Sendable, Codable {
        /// For apps of the App Store, TestFlight and enterprises.
        case production
        /// For apps that Xcode has installed (the entitlement `aps-environment` is `development`).
        case sandbox
    }

    /// An app of Apple's systems: the token of at most 100 bytes that the system has given to the app, and the bundle ID of
    /// the app, 1 to 155 characters of `A-Z a-z 0-9 . -`.
    case apns(token: Data, topic: String, environment: Environment = .production)
    /// An app that uses Firebase, by its registration token of 1 to 4,096 visible ASCII characters.
    case fcm(token: String)
    /// A browser: the `https` URL of the subscription, at most 2,048 characters, its public key (`p256dh`, 65 bytes) and
    /// its secret (`auth`, 16 bytes).
    case web(endpoint: String, publicKey: Data, secret: Data)

    /// The service that sends to the address.
    public var kind: ChatDevice.Kind {
        switch self {
        case .apns: .apns
        case .fcm: .fcm
        case .web: .web
        }
    }
}

/// The push services that a server sends to.
public struct ChatPushServices: Hashable, Sendable {
    /// Whether the server sends to apps of Apple's systems.
    public var hasAPNs: Bool
    /// Whether the server sends to apps that use Firebase.
    public var hasFCM: Bool
    /// The key for subscriptions of browsers (`applicationServerKey`), in base64url; `nil` if the server sends to none.
    public var webKey: String?

    /// Creates a list of services.
    /// - Parameters:
    ///   - hasAPNs: Whether the server sends to apps of Apple's systems.
    ///   - hasFCM: Whether the server sends to apps that use Firebase.
    ///   - webKey: The key for subscriptions of browsers, in base64url.
    public init(hasAPNs: Bool = false, hasFCM: Bool = false, webKey: String? = nil) {
        self.hasAPNs = hasAPNs
        self.hasFCM = hasFCM
        self.webKey = webKey
    }
}

extension ChatDevice {
    /// Reads a device from REST.
    init?(_ tree: JSONTree) {
        guard let id = tree["id"]?.text else { return nil }
        self.init(
            id: ID(id), kind: tree["kind"]?.text.flatMap { Kind(rawValue: $0) } ?? .other,
            since: Date(milliseconds: tree["created_ms"]?.milliseconds ?? 0),
            lastUsed: Date(milliseconds: tree["last_used_ms"]?.milliseconds ?? 0))
    }
}

extension ChatPushServices {
    /// Reads the services from REST.
    init?(_ tree: JSONTree) {
        guard let hasAPNs = tree["apns"]?.flag, let hasFCM = tree["fcm"]?.flag else { return nil }
        self.init(hasAPNs: hasAPNs, hasFCM: hasFCM, webKey: tree["web"]?["public_key"]?.text)
    }
}

extension ChatDeviceAddress {
    /// The fields of a registration, as REST takes them.
    var json: JSONTree {
        switch self {
        case .apns(let token, let topic, let environment):
            .object([
                "kind": .text("apns"), "token": .text(token.hexadecimal), "topic": .text(topic),
                "environment": .text(environment.rawValue),
            ])
        case .fcm(let token): .object(["kind": .text("fcm"), "token": .text(token)])
        case .web(let endpoint, let publicKey, let secret):
            .object([
                "kind": .text("web"), "endpoint": .text(endpoint),
                "keys": .object(["p256dh": .text(publicKey.base64URL), "auth": .text(secret.base64URL)]),
            ])
        }
    }
}

extension Data {
    /// Two digits for each byte, in lower case.
    fileprivate var hexadecimal: String {
        map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// The alphabet of RFC 4648 §5, without padding.
    fileprivate var base64URL: String {
        base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
