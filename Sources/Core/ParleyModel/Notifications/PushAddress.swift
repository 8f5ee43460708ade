/// The address of a device at a push service.
///
/// Descriptions and reflections show only the kind, so that no log line can contain a token, an endpoint or a key.
package enum PushAddress: Hashable, Sendable {
    /// An app on a system of Apple: the device token in lower-case hexadecimal, and the bundle ID of the app.
    case apns(token: String, topic: String, environment: APNsEnvironment)
    /// An app that Firebase Cloud Messaging reaches by a registration token.
    case fcm(token: String)
    /// A browser: the URL of the subscription, and its keys in base64url (RFC 8291).
    /// - publicKey: `p256dh`, an uncompressed point of P-256.
    /// - secret: `auth`, 16 bytes.
    case web(endpoint: String, publicKey: String, secret: String)

    /// The kind of a device. The raw value is the name in the stores and on the wire.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case apns, fcm, web
    }

    /// The server of Apple that accepts the token.
    package enum APNsEnvironment: String, CaseIterable, Hashable, Sendable {
        case production
        /// For builds that Xcode installs.
        case sandbox
    }

    package var kind: Kind {
        switch self {
        case .apns: .apns
        case .fcm: .fcm
        case .web: .web
        }
    }

    /// The token or the endpoint.
    package var token: String {
        switch self {
        case .apns(let token, _, _), .fcm(let token): token
        case .web(let endpoint, _, _): endpoint
        }
    }

    /// A text that is the same for two registrations of one device: kind, app and token.
    package var identity: String {
        switch self {
        case .apns(let token, let topic, _): "apns \(topic) \(token)"
        case .fcm(let token): "fcm \(token)"
        case .web(let endpoint, _, _): "web \(endpoint)"
        }
    }

    // MARK: Stores

    /// The bundle ID; `nil` for the other kinds.
    package var topic: String? { if case .apns(_, let topic, _) = self { topic } else { nil } }
    package var environment: APNsEnvironment? { if case .apns(_, _, let place) = self { place } else { nil } }
    package var publicKey: String? { if case .web(_, let key, _) = self { key } else { nil } }
    package var secret: String? { if case .web(_, _, let secret) = self { secret } else { nil } }

    /// Decodes the columns of a row.
    /// - Throws: `StoreError.failed` for columns that belong to no kind.
    package init(
        kind: String, token: String, topic: String?, environment: String?, publicKey: String?, secret: String?
    ) throws(StoreError) {
        switch Kind(rawValue: kind) {
        case .apns:
            guard let topic, let place = environment.flatMap({ APNsEnvironment(rawValue: $0) }) else { break }
            self = .apns(token: token, topic: topic, environment: place)
            return
        case .fcm:
            self = .fcm(token: token)
            return
        case .web:
            guard let publicKey, let secret else { break }
            self = .web(endpoint: token, publicKey: publicKey, secret: secret)
            return
        case nil: break
        }
        throw .failed("a row of devices has no address")
    }
}

extension PushAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "an address of the kind \(kind.rawValue)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [("kind", kind.rawValue)]) }
}
