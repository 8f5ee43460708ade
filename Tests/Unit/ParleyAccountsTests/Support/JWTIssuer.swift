import Crypto
import Foundation
import JWTKit
import ParleyAccounts

/// Test keys of all four algorithms, and tokens made with them.
struct JWTIssuer {
    enum Algorithm: String, CaseIterable, Sendable {
        case hs256 = "HS256"
        case rs256 = "RS256"
        case es256 = "ES256"
        case edDSA = "EdDSA"
    }

    static let hs256Key = Secret(text: "an HS256 key of these tests, 32 bytes or more")

    private let collections: [Algorithm: JWTKeyCollection]
    private let keys: [Algorithm: any JWTAlgorithm]
    /// The public keys as a JWKS with the kids `RS256`, `ES256` and `EdDSA`.
    let jwks: String
    let rsaPublicPEM: String

    init() async throws {
        let rsa = try Insecure.RSA.PrivateKey(pem: Self.rsaPEM)
        let ecdsa = ES256PrivateKey()
        let eddsa = try EdDSA.PrivateKey(curve: .ed25519)
        collections = [
            .hs256: await JWTKeyCollection().add(hmac: HMACKey(from: Self.hs256Key.bytes), digestAlgorithm: .sha256),
            .rs256: await JWTKeyCollection().add(rsa: rsa, digestAlgorithm: .sha256),
            .es256: await JWTKeyCollection().add(ecdsa: ecdsa),
            .edDSA: await JWTKeyCollection().add(eddsa: eddsa),
        ]
        var keys: [Algorithm: any JWTAlgorithm] = [:]
        for (algorithm, collection) in collections { keys[algorithm] = try await collection.getKey() }
        self.keys = keys
        let numbers = try rsa.publicKey.getKeyPrimitives()
        func url(_ base64: String) -> String {
            Data(base64Encoded: base64).map { Base64URL.encode($0) } ?? ""
        }
        jwks = """
            {"keys":[
            {"kty":"RSA","kid":"RS256","use":"sig","alg":"RS256","n":"\(Base64URL.encode(numbers.modulus))",\
            "e":"\(Base64URL.encode(numbers.publicExponent))"},
            {"kty":"EC","kid":"ES256","crv":"P-256","x":"\(url(ecdsa.parameters?.x ?? ""))",\
            "y":"\(url(ecdsa.parameters?.y ?? ""))"},
            {"kty":"OKP","kid":"EdDSA","crv":"Ed25519","x":"\(Base64URL.encode(eddsa.publicKey.rawRepresentation))"},
            {"kty":"RSA","kid":"other","use":"enc","alg":"RSA-OAEP-256","n":"AQAB","e":"AQAB"},
            {"kty":"EC","kid":"large","crv":"P-521","x":"AA","y":"AA"}
            ]}
            """
        rsaPublicPEM = rsa.publicKey.pemRepresentation
    }

    /// A token with this header (`alg` is added if absent) and claims, signed with the key of `algorithm`.
    func token(_ algorithm: Algorithm, header: String? = nil, claims: String) throws -> String {
        let header = header ?? #"{"alg":"\#(algorithm.rawValue)","typ":"JWT"}"#
        let signed = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
        guard let key = keys[algorithm] else { throw CancellationError() }
        return "\(signed).\(Base64URL.encode(try key.sign(Array(signed.utf8))))"
    }

    /// A token made entirely by jwt-kit.
    func sign(_ payload: some JWTPayload, _ algorithm: Algorithm) async throws -> String {
        guard let collection = collections[algorithm] else { throw CancellationError() }
        return try await collection.sign(payload)
    }

    /// Made for these tests, used nowhere else.
    private static let rsaPEM = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEowIBAAKCAQEA1/KO6bynDVeu+bWXS4Rh5MCHOjZD2HrR4BWYb4m/89UvYIr6
        ouXGZ3Mg4xM/1+TNWux5V55wCQjaiHbvMEtToSHXsqFPc3S30SBxyAhG68yLApiz
        LbSO5jFUZ87R9URX/ZF8EQqdZvhs0N0hJROupO+/ICouHmCAYZYv23WRwOaMciTz
        fJ+UFBNBIxgkgjkkL5tORfnhKDbkNLOoytVKnxYkGlxnJd447C27PAMiypWK4Hqq
        nSsg7BG8LAFfFFD4N6C9NY/7ZrjzEwOUWlvG1def1bJ3DSgZBT/BjyyWKNEdFWwI
        4nHicA5gtfc5um3pUt0o6CmtxzLwK4cklFjsPQIDAQABAoIBAAaW2mkD7mYAE7D/
        a0Es5i7MeCPc1YekwcQwbIEUxzRpwCMWQo0XbU0pTGrZYsST8PcyCYbUqQ8Bg+eP
        l39WARSE25fSB8JaYKSDNK2ZoQ5fZKt83NTLcmPQRAbR3wK4peWxG4PKmuByOqHJ
        6ZG/zr+uKBsTZmpbX/d6VXYBGaQ05leXXlciaaWC07Rn9fbgIPL2bQApDoZReSJR
        4/R84oFLkWFvRAWnHBblxsiLVuOL60/+wil01P9d1G4LQF8XjAp9zGQ/RZCPvL3W
        VsdLYhWpH4qHFLaCxu2MyxeB99OxWX73tFMjO3qM4WceeeBSrKsjdlVROH2Fw1XE
        Kqp7I3ECgYEA/Onrkhyu2Hxy42+WEG0g/HImmua9jfvXx1f7aEeGfwUxLno5I1Y+
        2tAiwJUYLwCYW0kRmuIuKAuR/aUYLsWAmERO4p9onGliieQ59cHGj/fpHMuFCVmH
        u8HgdyU1EPRtWfVZn46I4QFjUyy9klB4fT/1TAtHAKnarplEaV5lnM0CgYEA2pUo
        pqm9vxcqb4eT00NkaUXG5ENaUipKouOxhylNEWksyTQjNNf1bWgRzgeFqw77cZg7
        wXQBCubbny3iclonYGz0m/LpmG0Wv4UfwmxlizlO+mU2lTcBDmU8c8GuoupwF3J9
        E0oLrtuYh0+ykNATsvRjoDYjQL/9GFB+AumtjTECgYAqsXYhsRPW2ZMvT2vek/1o
        gACCT4caC7ROI0z+Omy6zm6R8PHqRCnSGCZ1qfVuIcSWTExbf+jYu7NGRPNDGfXu
        PkGuwcgP9z46Frut/6r8LJY+VSC9Bk8CY+T3V+GQXiKDeAZMB+yVRv20Ua4in9Dn
        G7/VuWWf+AxBQwAoZVXz1QKBgHGphIT92SRoCHIMfyspbSps1VrXRz1Yroz7d9JA
        AMpf9aD+0pvk/MOSjUekk7Z6yPet4Mzc5LnliCjC9HDgPn+eyKfbbesMNvsKX5R7
        R2ZZO59rSDHZc1wn+oJ7IbOn0vfuWenQ5DheCne6UrGI8eVpvfCOllBSRWsCWDRt
        jQjRAoGBAKpnHo1SYgZkUzOmDAcQdj9aLLBXalNvIVGKEvIdAvEmjz6IPuRIOcHh
        nVUlKpelCu1zFvnWEfEq5g0mI6qMpVMIwDdt20zsd5hhGqrmfdC1gE2P2REgStmX
        3NcUTL0cbfyl70bAffnnInKYJNw19pj6X5mjSM8dkUa8e9nJj+im
        -----END RSA PRIVATE KEY-----
        """
}
