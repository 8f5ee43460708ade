import Crypto
import ParleyAccounts
package import ParleyModel

/// The fields of a request to register a device, as they came.
package struct DeviceFields: Sendable {
    /// The maximum length of a device token of Apple, in hexadecimal digits.
    package static let mostAPNsDigits = 200
    /// The maximum length of a bundle ID, in characters.
    package static let mostTopicCharacters = 155
    /// The maximum length of a registration token of Firebase, in characters.
    package static let mostFCMCharacters = 4096
    /// The maximum length of the URL of a web subscription, in characters.
    package static let mostEndpointCharacters = 2048

    /// The token of the kinds `apns` and `fcm`.
    package var token: String?
    package var topic: String?
    package var environment: String?
    package var endpoint: String?
    /// `p256dh`, in base64url.
    package var publicKey: String?
    /// `auth`, in base64url.
    package var secret: String?

    package init(
        token: String? = nil, topic: String? = nil, environment: String? = nil, endpoint: String? = nil,
        publicKey: String? = nil, secret: String? = nil
    ) {
        self.token = token
        self.topic = topic
        self.environment = environment
        self.endpoint = endpoint
        self.publicKey = publicKey
        self.secret = secret
    }

    /// Returns the address that the fields describe. Fields of other kinds are ignored.
    /// - Parameter networks: The networks in which a web subscription may have `http`.
    /// - Throws: `invalid` for a field that is missing or out of its bounds. The text names the field, and contains no value.
    package func address(
        of kind: PushAddress.Kind, within networks: WebhookNetworks = WebhookNetworks()
    ) throws(MessagingError) -> PushAddress {
        switch kind {
        case .apns: try apns()
        case .fcm: try fcm()
        case .web: try web(networks)
        }
    }

    private func apns() throws(MessagingError) -> PushAddress {
        let token = (token ?? "").utf8
        guard (2...Self.mostAPNsDigits).contains(token.count), token.count.isMultiple(of: 2),
            token.allSatisfy({ Hex.value(of: $0) != nil })
        else {
            throw .invalid("token must be an even number of 2 to \(Self.mostAPNsDigits) hexadecimal digits")
        }
        let topic = topic ?? ""
        guard (1...Self.mostTopicCharacters).contains(topic.utf8.count), topic.utf8.allSatisfy(Self.isTopicByte) else {
            throw .invalid(
                "topic must be a bundle ID: 1 to \(Self.mostTopicCharacters) characters of A-Z, a-z, 0-9, . and -")
        }
        guard let place = PushAddress.APNsEnvironment(rawValue: environment ?? "production") else {
            throw .invalid("environment is unknown; allowed are production and sandbox")
        }
        return .apns(token: String(decoding: token, as: UTF8.self).lowercased(), topic: topic, environment: place)
    }

    private func fcm() throws(MessagingError) -> PushAddress {
        let token = token ?? ""
        guard (1...Self.mostFCMCharacters).contains(token.utf8.count), token.utf8.allSatisfy(Self.isVisible) else {
            throw .invalid("token must have 1 to \(Self.mostFCMCharacters) visible ASCII characters")
        }
        return .fcm(token: token)
    }

    private func web(_ networks: WebhookNetworks) throws(MessagingError) -> PushAddress {
        let endpoint = endpoint ?? ""
        guard endpoint.utf8.count <= Self.mostEndpointCharacters, Self.isEndpoint(endpoint, networks) else {
            throw .invalid(
                """
                endpoint must be an https URL of at most \(Self.mostEndpointCharacters) visible ASCII characters, \
                with a host, and without a user and a fragment
                """)
        }
        let publicKey = publicKey ?? ""
        guard let point = Base64URL.decode(publicKey), point.count == 65, point.first == 4,
            (try? P256.KeyAgreement.PublicKey(x963Representation: point)) != nil
        else {
            throw .invalid("keys.p256dh must be an uncompressed point of P-256: 65 bytes in base64url")
        }
        let secret = secret ?? ""
        guard Base64URL.decode(secret)?.count == 16 else {
            throw .invalid("keys.auth must be 16 bytes in base64url")
        }
        return .web(endpoint: endpoint, publicKey: publicKey, secret: secret)
    }

    /// Whether a text is a URL of `https`, or of `http` in a network that the operator allows. Where a name leads is checked by the
    /// sender when it connects.
    private static func isEndpoint(_ text: String, _ networks: WebhookNetworks) -> Bool {
        guard let url = try? WebhookURL(text) else { return false }
        return url.scheme == .https || (try? networks.check(url)) != nil
    }

    private static func isTopicByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }
}

extension PushAddress {
    /// The digest by which the stores know a device.
    package var digest: TokenHash { TokenHash(Hex.encode(SHA256.hash(data: Array(identity.utf8)))) }
}
