import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// The devices on which the caller is notified.
func deviceRoutes(_ services: RESTServices) -> [Route] {
    let messaging = services.messaging
    return [
        Route(.get, path: "/v1/push", for: .user, budget: .lists) { _, _ in .json(JSONTree(services.settings.push)) },
        Route(.get, path: "/v1/me/devices", for: .user, budget: .lists) { _, context in
            let devices = try await messaging.devices(of: Caller(context.caller))
            return .json(.ordered([("devices", .array(devices.map { JSONTree($0) }))]))
        },
        Route(.post, path: "/v1/me/devices", for: .user) { request, context in
            let address = try await request.bodyFields().pushAddress(within: messaging.webhookNetworks)
            let (device, isNew) = try await messaging.registerDevice(at: address, by: Caller(context.caller))
            return .json(JSONTree(device), status: isNew ? .created : .ok)
        },
        Route(.delete, path: "/v1/me/devices/{id}", for: .user) { _, context in
            guard let id = context.parameter("id").flatMap({ DeviceID($0) }) else { throw Messaging.noDevice }
            try await messaging.deleteDevice(id, by: Caller(context.caller))
            return .nothing()
        },
    ]
}

/// The kinds of devices that the server sends notifications to.
package struct PushOffer: Hashable, Sendable {
    /// The offer of a server without a sender.
    package static let none = PushOffer()

    /// The public key for web subscriptions (`applicationServerKey`), in base64url; `nil` without web push.
    package var webPublicKey: String?
    package var hasAPNs: Bool
    package var hasFCM: Bool

    package init(webPublicKey: String? = nil, hasAPNs: Bool = false, hasFCM: Bool = false) {
        self.webPublicKey = webPublicKey
        self.hasAPNs = hasAPNs
        self.hasFCM = hasFCM
    }
}

extension Fields {
    /// Returns the address of the device that a request describes.
    fileprivate func pushAddress(within networks: WebhookNetworks) throws -> PushAddress {
        guard let kind = PushAddress.Kind(rawValue: try text("kind")) else {
            throw APIError.badRequest("kind is unknown; allowed are apns, fcm and web")
        }
        return try DeviceFields(
            token: textIfPresent("token"), topic: textIfPresent("topic"), environment: textIfPresent("environment"),
            endpoint: textIfPresent("endpoint"), publicKey: key("p256dh"), secret: key("auth")
        ).address(of: kind, within: networks)
    }

    /// Returns a member of `keys`, or `nil` if it is absent.
    private func key(_ name: String) throws -> String? {
        guard let keys = try tree("keys") else { return nil }
        guard case .members = keys else { throw APIError.badRequest("keys must be an object") }
        switch keys[name] {
        case nil, .null?: return nil
        case .text(let text)?: return text
        default: throw APIError.badRequest("keys.\(name) must be a string")
        }
    }
}

extension JSONTree {
    fileprivate init(_ offer: PushOffer) {
        let key = offer.webPublicKey.map { JSONTree.ordered([("public_key", .text($0))]) }
        self = .ordered([("web", key ?? .null), ("apns", .bool(offer.hasAPNs)), ("fcm", .bool(offer.hasFCM))])
    }

    /// Makes the object of a device, without its address.
    fileprivate init(_ device: PushDevice) {
        self = .ordered([
            ("id", .text(device.id.text)), ("kind", .text(device.address.kind.rawValue)),
            ("created_ms", .integer(device.created)), ("last_used_ms", .integer(device.lastUsed)),
        ])
    }
}
