import Crypto
import Foundation
import ParleyTestServers
import ParleyTestSupport

/// A push service of browsers (Tests/Fixtures/push_service.py), and the browser's keys of one subscription.
struct PushServiceStandIn {
    /// A push that does not hold to RFC 8291 or RFC 8292.
    struct Invalid: Error { let reason: String }

    let port: Int
    private let receiver = WebPushReceiver()
    private let directory: TemporaryDirectory
    private let child: ChildProcess

    static func start() async throws -> PushServiceStandIn {
        let (port, directory) = (FreePort.next(), try TemporaryDirectory())
        let child = try await ChildProcess.start(
            "/usr/bin/python3",
            [Repository.url("Tests/Fixtures/push_service.py").path, "\(port)", "\(directory.path)/pushes"],
            environment: [:], in: directory.path, output: "\(directory.path)/output")
        return PushServiceStandIn(port: port, directory: directory, child: child)
    }

    /// The subscription as `PushSubscription.toJSON()` has it.
    var subscription: JSONValue {
        [
            "endpoint": .string("http://127.0.0.1:\(port)/push/1"), "expirationTime": .null,
            "keys": [
                "p256dh": .string(Self.base64URL(receiver.publicKey)), "auth": .string(Self.base64URL(receiver.secret)),
            ],
        ]
    }

    /// The decrypted texts of all pushes so far, in their order.
    /// - Throws: If one is not signed with `key`, or is not encrypted for the subscription.
    func texts(signedBy key: P256.Signing.PublicKey) throws -> [String] {
        let data = FileManager.default.contents(atPath: "\(directory.path)/pushes") ?? Data()
        return try String(decoding: data, as: UTF8.self).split(separator: "\n").map { line in
            let push = try JSONValue(parsing: String(line))
            try verify(push["headers"]?["authorization"]?.string ?? "", key)
            guard push["path"] == "/push/1", push["headers"]?["content-encoding"] == "aes128gcm",
                push["headers"]?["ttl"]?.string.flatMap({ Int($0) }) != nil
            else { throw Invalid(reason: "the path or the headers: \(line)") }
            let body = Data(base64Encoded: push["body"]?.string ?? "") ?? Data()
            return String(decoding: try receiver.decrypt(Array(body)), as: UTF8.self)
        }
    }

    /// Verifies `Authorization: vapid t=…, k=…` (RFC 8292 §3).
    private func verify(_ authorization: String, _ key: P256.Signing.PublicKey) throws {
        let fields = authorization.dropFirst("vapid ".count).split(separator: ", ")
        guard authorization.hasPrefix("vapid t="), fields.count == 2,
            fields[1] == "k=\(Self.base64URL(Array(key.x963Representation)))"
        else { throw Invalid(reason: authorization) }
        let parts = fields[0].dropFirst(2).split(separator: ".")
        guard parts.count == 3, let signature = Self.bytes(parts[2]), let claims = Self.bytes(parts[1]),
            key.isValidSignature(
                try P256.Signing.ECDSASignature(rawRepresentation: signature), for: Data("\(parts[0]).\(parts[1])".utf8)
            )
        else { throw Invalid(reason: "the signature of \(fields[0])") }
        guard
            try JSONValue(parsing: String(decoding: claims, as: UTF8.self))["aud"]?.string == "http://127.0.0.1:\(port)"
        else { throw Invalid(reason: String(decoding: claims, as: UTF8.self)) }
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func bytes(_ text: Substring) -> Data? {
        let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
        return Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding)
    }
}
