import Foundation
public import ParleyClient
import ParleyJSON

/// A device that a user has registered at a ``FakeChatServer``.
public struct FakeDevice: Hashable, Sendable {
    /// The maximum number of devices of a user.
    static let maximumDevices = 20

    /// The device, as its user sees it.
    public internal(set) var device: ChatDevice
    /// The address at the push service, as it was registered.
    public internal(set) var address: ChatDeviceAddress
    /// The session that the device ends with; `nil` for one that was registered with other credentials.
    var session: String?

    /// What no two devices have in common.
    fileprivate var key: [String] {
        switch address {
        case .apns(let token, let topic, _): ["apns", topic, token.base64EncodedString()]
        case .fcm(let token): ["fcm", token]
        case .web(let endpoint, _, _): ["web", endpoint]
        }
    }

    fileprivate var json: JSONTree {
        .object([
            "id": .text(device.id.rawValue), "kind": .text(device.kind.rawValue),
            "created_ms": .integer(device.since.milliseconds), "last_used_ms": .integer(device.lastUsed.milliseconds),
        ])
    }
}

/// Devices.
extension FakeServerState {
    /// Returns the devices of a user whose sessions have not ended, the last registered first.
    func devices(of user: String) -> [FakeDevice] {
        (devices[user] ?? []).filter { device in
            guard let session = device.session else { return true }
            return sessions[session] != nil
        }
    }

    mutating func answerDevices(_ call: FakeCall, _ user: String) -> TransportResponse {
        switch (call.method, call.path.count) {
        case ("GET", 3): return Self.answer(200, .object(["devices": .array(devices(of: user).map(\.json))]))
        case ("POST", 3):
            guard let address = ChatDeviceAddress(call.body) else { return Self.refusal(400, .badRequest) }
            return register(address, by: user, with: session(of: call))
        case ("DELETE", 4):
            let id = ChatDevice.ID(call.path[3])
            guard devices(of: user).contains(where: { $0.device.id == id }) else { return Self.missing }
            devices[user]?.removeAll { $0.device.id == id }
            return Self.answer(204)
        default: return Self.missing
        }
    }

    private mutating func register(
        _ address: ChatDeviceAddress, by user: String, with session: String?
    ) -> TransportResponse {
        let now = clock.date
        var known = devices(of: user)
        let device = ChatDevice(id: "", kind: address.kind, since: now, lastUsed: now)
        var new = FakeDevice(device: device, address: address, session: session)
        let old = known.first { $0.key == new.key }
        let id = old?.device.id ?? ChatDevice.ID(newID("d"))
        new.device = ChatDevice(id: id, kind: address.kind, since: old?.device.since ?? now, lastUsed: now)
        for other in devices.keys { devices[other]?.removeAll { $0.key == new.key } }
        known.removeAll { $0.key == new.key }
        devices[user] = [new] + known.prefix(FakeDevice.maximumDevices - 1)
        return Self.answer(old == nil ? 201 : 200, new.json)
    }

    /// Returns the session that a call is made with; `nil` with other credentials.
    private func session(of call: FakeCall) -> String? {
        let tokens = [("authorization", "Bearer "), ("cookie", "sessionid=")].compactMap { name, prefix in
            call.header(name).flatMap { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : nil }
        }
        return tokens.first { sessions[$0] != nil }
    }

    func answerPushServices() -> TransportResponse {
        let web = pushServices.webKey.map { JSONTree.object(["public_key": .text($0)]) }
        return Self.answer(
            200,
            .object([
                "apns": .bool(pushServices.hasAPNs), "fcm": .bool(pushServices.hasFCM), "web": web ?? .null,
            ]))
    }
}

extension ChatDeviceAddress {
    /// Reads the fields of a registration.
    /// - Returns: `nil` for fields that a server refuses.
    fileprivate init?(_ body: JSONTree) {
        let token = body["token"]?.text ?? ""
        switch body["kind"]?.text {
        case "apns":
            let topic = body["topic"]?.text ?? ""
            guard let bytes = Data(hexadecimal: token), (1...100).contains(bytes.count), topic.utf8.count <= 155,
                topic.wholeMatch(of: /[A-Za-z0-9.\-]+/) != nil,
                let environment = Environment(rawValue: body["environment"]?.text ?? "production")
            else { return nil }
            self = .apns(token: bytes, topic: topic, environment: environment)
        case "fcm":
            guard (1...4096).contains(token.utf8.count), token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                return nil
            }
            self = .fcm(token: token)
        case "web":
            let endpoint = body["endpoint"]?.text ?? ""
            guard endpoint.hasPrefix("https://"), endpoint.utf8.count <= 2048,
                let key = body["keys"]?["p256dh"]?.text.flatMap({ Data(base64URL: $0) }), key.count == 65,
                let secret = body["keys"]?["auth"]?.text.flatMap({ Data(base64URL: $0) }), secret.count == 16
            else { return nil }
            self = .web(endpoint: endpoint, publicKey: key, secret: secret)
        default: return nil
        }
    }
}

extension Data {
    fileprivate init?(hexadecimal text: String) {
        guard text.wholeMatch(of: /([0-9a-fA-F]{2})*/) != nil else { return nil }
        let digits = Array(text)
        self.init(
            stride(from: 0, to: digits.count, by: 2).compactMap { index in
                UInt8(String(digits[index...].prefix(2)), radix: 16)
            })
    }

    fileprivate init?(base64URL text: String) {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        self.init(base64Encoded: standard + padding)
    }
}
