import Crypto
import Foundation
import ParleyTestSupport

/// Makes JSON Web Tokens by hand (RFC 7515 §3.1), so that the program is not tested with its own library.
enum TokenSigner {
    /// A token signed with a shared secret (HS256).
    static func hs256(_ claims: JSONValue, key: String, header: JSONValue = ["alg": "HS256", "typ": "JWT"]) -> String {
        sign(claims, header: header) { input in
            Data(HMAC<SHA256>.authenticationCode(for: input, using: SymmetricKey(data: Data(key.utf8))))
        }
    }

    /// A token signed on P-256 (ES256).
    static func es256(_ claims: JSONValue, key: P256.Signing.PrivateKey, keyID: String) throws -> String {
        let header: JSONValue = ["alg": "ES256", "typ": "JWT", "kid": .string(keyID)]
        return try sign(claims, header: header) { try key.signature(for: $0).rawRepresentation }
    }

    /// The key set that holds the public half of `key`.
    static func keySet(_ key: P256.Signing.PrivateKey, keyID: String) -> JSONValue {
        let point = key.publicKey.rawRepresentation
        return [
            "keys": [
                [
                    "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": .string(keyID),
                    "x": .string(base64URL(point.prefix(32))), "y": .string(base64URL(point.suffix(32))),
                ]
            ]
        ]
    }

    /// Seconds since 1970, `offset` seconds from now.
    static func time(_ offset: Int) -> JSONValue {
        .int(Int(Date().timeIntervalSince1970) + offset)
    }

    private static func sign(_ claims: JSONValue, header: JSONValue, with signature: (Data) throws -> Data) rethrows
        -> String
    {
        let input = base64URL(Data(header.text.utf8)) + "." + base64URL(Data(claims.text.utf8))
        return input + "." + base64URL(try signature(Data(input.utf8)))
    }

    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
