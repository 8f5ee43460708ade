import Crypto
import Foundation
import JWTKit
import Logging
import ParleyAccounts
import Testing

@Suite("A JWT")
struct JWTVerifierTests {
    private static let now: Int64 = 1_790_000_000_000
    private static let seconds = now / 1000

    private struct Payload: JWTPayload {
        var sub: SubjectClaim
        var exp: ExpirationClaim

        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    private func verifier(_ mint: JWTIssuer, _ change: (inout JWTSettings) -> Void = { _ in }) async throws
        -> JWTVerifier
    {
        var settings = JWTSettings(hs256Key: JWTIssuer.hs256Key, jwks: mint.jwks)
        change(&settings)
        return try await JWTVerifier(
            settings: settings, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func rejection(_ verifier: JWTVerifier, _ token: String, at now: Int64 = now) -> JWTRejection? {
        do {
            _ = try verifier.claims(of: token, at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test("made by jwt-kit is accepted for each algorithm", arguments: JWTIssuer.Algorithm.allCases)
    func algorithms(_ algorithm: JWTIssuer.Algorithm) async throws {
        let mint = try await JWTIssuer()
        let payload = Payload(
            sub: "alice", exp: ExpirationClaim(value: .init(timeIntervalSince1970: Double(Self.seconds + 60))))
        let claims = try await verifier(mint).claims(of: try await mint.sign(payload, algorithm), at: Self.now)
        #expect(claims.subject == "alice")
        #expect(claims.expires == Self.now + 60_000)
    }

    @Test("with another key or a changed part is rejected for each algorithm", arguments: JWTIssuer.Algorithm.allCases)
    func wrongKey(_ algorithm: JWTIssuer.Algorithm) async throws {
        let mint = try await JWTIssuer()
        let verifier = try await verifier(mint)
        let token = try mint.token(algorithm, claims: #"{"sub":"alice"}"#)
        #expect(rejection(verifier, token) == nil)
        let parts = token.split(separator: ".").map(String.init)
        let other = try mint.token(algorithm, claims: #"{"sub":"bob"}"#).split(separator: ".").map(String.init)
        #expect(rejection(verifier, "\(parts[0]).\(other[1]).\(parts[2])") == .signature)
        #expect(rejection(verifier, "\(parts[0]).\(parts[1]).") == .signature)
        #expect(rejection(verifier, "\(parts[0]).\(parts[1]).AAAA") == .signature)
        // Another key of the same kind; the RSA key is the same in every mint.
        if algorithm == .es256 || algorithm == .edDSA {
            let stranger = try await JWTIssuer().token(algorithm, claims: #"{"sub":"alice"}"#)
            #expect(rejection(verifier, stranger) == .signature)
        }
        for next in JWTIssuer.Algorithm.allCases where next != algorithm {
            // Signed with one algorithm, labelled as another.
            let token = try mint.token(algorithm, header: #"{"alg":"\#(next.rawValue)"}"#, claims: #"{"sub":"alice"}"#)
            #expect(rejection(verifier, token) == .signature, "\(algorithm) as \(next)")
        }
    }

    @Test("signed by HS256 with a public key as secret is rejected")
    func confusion() async throws {
        let mint = try await JWTIssuer()
        let signed =
            "\(Base64URL.encode(#"{"alg":"HS256","kid":"RS256"}"#.utf8)).\(Base64URL.encode(#"{"sub":"a"}"#.utf8))"
        let mac = HMAC<SHA256>.authenticationCode(
            for: Array(signed.utf8), using: SymmetricKey(data: Array(mint.rsaPublicPEM.utf8)))
        let token = "\(signed).\(Base64URL.encode(mac))"
        #expect(rejection(try await verifier(mint), token) == .unknownKey)
        #expect(rejection(try await verifier(mint) { $0.hs256Key = nil }, token) == .unknownKey)
        let plain = token.replacing(
            Base64URL.encode(#"{"alg":"HS256","kid":"RS256"}"#.utf8), with: Base64URL.encode(#"{"alg":"HS256"}"#.utf8))
        #expect(rejection(try await verifier(mint) { $0.hs256Key = nil }, plain) == .unknownKey)
    }

    @Test(
        "of another algorithm is rejected, and so is an unsigned one",
        arguments: [
            (#"{"alg":"none"}"#, JWTRejection.algorithm), (#"{"alg":"None"}"#, .algorithm),
            (#"{"alg":""}"#, .algorithm),
            (#"{"alg":"HS512"}"#, .algorithm), (#"{"alg":"PS256"}"#, .algorithm), (#"{"alg":"hs256"}"#, .algorithm),
            (#"{}"#, .algorithm), (#"{"alg":"HS256","crit":["x"]}"#, .malformed), (#"{"alg":7}"#, .malformed),
            (#"["HS256"]"#, .malformed), (#"{"alg":"HS256""#, .malformed), ("", .malformed),
            (#"{"alg":"HS256","kid":"RS256"}"#, .unknownKey), (#"{"alg":"RS256","kid":"ES256"}"#, .unknownKey),
            (#"{"alg":"RS256","kid":"unheard-of"}"#, .unknownKey),
        ])
    func headers(header: String, expected: JWTRejection) async throws {
        let mint = try await JWTIssuer()
        let verifier = try await verifier(mint)
        let token = try mint.token(.hs256, header: header, claims: #"{"sub":"alice"}"#)
        #expect(rejection(verifier, token) == expected)
        let unsigned =
            token.split(separator: ".", omittingEmptySubsequences: false).prefix(2).joined(separator: ".") + "."
        #expect(rejection(verifier, unsigned) != nil)
    }

    @Test("is accepted with the kid of a key, or of none for the HS256 key")
    func kids() async throws {
        let mint = try await JWTIssuer()
        let verifier = try await verifier(mint)
        for algorithm in [JWTIssuer.Algorithm.rs256, .es256, .edDSA] {
            let header = #"{"alg":"\#(algorithm.rawValue)","kid":"\#(algorithm.rawValue)"}"#
            #expect(rejection(verifier, try mint.token(algorithm, header: header, claims: #"{"sub":"a"}"#)) == nil)
        }
        let header = #"{"alg":"HS256","kid":"unheard-of"}"#
        #expect(rejection(verifier, try mint.token(.hs256, header: header, claims: #"{"sub":"a"}"#)) == nil)
    }

    @Test(
        "is bounded by exp and nbf, with 10 s of clock skew",
        arguments: [
            (#""exp":\#(seconds + 1)"#, nil), (#""exp":\#(seconds - 9)"#, nil),
            (#""exp":\#(seconds - 9).999"#, nil),
            (#""exp":\#(seconds - 10)"#, JWTRejection.expired), (#""exp":\#(seconds - 3600)"#, .expired),
            (#""exp":0"#, .expired),
            (#""exp":-1e300"#, .expired), (#""exp":1e300"#, nil), (#""exp":"tomorrow""#, .malformed),
            (#""exp":true"#, .malformed), (#""nbf":\#(seconds)"#, nil), (#""nbf":\#(seconds + 10)"#, nil),
            (#""nbf":\#(seconds + 11)"#, .notYetValid), (#""nbf":1e300"#, .notYetValid), (#""nbf":-1e300"#, nil),
            (#""exp":null"#, nil),
        ])
    func times(claim: String, expected: JWTRejection?) async throws {
        let mint = try await JWTIssuer()
        let token = try mint.token(.hs256, claims: #"{"sub":"alice",\#(claim)}"#)
        #expect(rejection(try await verifier(mint), token) == expected)
    }

    @Test(
        "must have the configured issuer and audience",
        arguments: [
            (#""iss":"us","aud":"chat""#, true, nil), (#""iss":"us","aud":["mail","chat"]"#, true, nil),
            (#""aud":"chat""#, true, JWTRejection.issuer), (#""iss":"them","aud":"chat""#, true, .issuer),
            (#""iss":"us""#, true, .audience), (#""iss":"us","aud":"mail""#, true, .audience),
            (#""iss":"us","aud":[]"#, true, .audience), (#""iss":"us","aud":7"#, true, .malformed),
            (#""iss":"us","aud":"chatter""#, true, .audience),
            // Nothing configured: any issuer, but no token for a named audience.
            (#""iss":"them""#, false, nil), (#""x":1"#, false, nil), (#""aud":"chat""#, false, .audience),
        ])
    func issuerAndAudience(claims: String, areSet: Bool, expected: JWTRejection?) async throws {
        let mint = try await JWTIssuer()
        let verifier = try await verifier(mint) {
            if areSet {
                $0.issuer = "us"
                $0.audience = "chat"
            }
        }
        #expect(rejection(verifier, try mint.token(.hs256, claims: #"{"sub":"alice",\#(claims)}"#)) == expected)
    }

    @Test("needs a sub", arguments: ["{}", #"{"sub":""}"#, #"{"sub":null}"#])
    func noSubject(claims: String) async throws {
        let mint = try await JWTIssuer()
        let verifier = try await verifier(mint)
        #expect(rejection(verifier, try mint.token(.hs256, claims: claims)) == .noSubject)
        #expect(rejection(verifier, try mint.token(.hs256, claims: #"{"sub":7}"#)) == .malformed)
    }

    @Test("is malformed when a name stands there twice: another reader may have taken the other value")
    func duplicates() async throws {
        let mint = try await JWTIssuer()
        let verifier = try await verifier(mint)
        #expect(rejection(verifier, try mint.token(.hs256, claims: #"{"sub":"ann","sub":"bob"}"#)) == .malformed)
        let header = #"{"alg":"HS256","alg":"HS256"}"#
        #expect(rejection(verifier, try mint.token(.hs256, header: header, claims: #"{"sub":"ann"}"#)) == .malformed)
    }

    @Test("is malformed when it is", arguments: ["", "..", "a.b", "a.b.c.d", "a.b.c", "é.é.é", "eyJ9.eyJ9.AAAA"])
    func malformed(token: String) async throws {
        #expect(rejection(try await verifier(JWTIssuer()), token) == .malformed)
    }

    @Test("is bounded in size")
    func size() async throws {
        let mint = try await JWTIssuer()
        let token = try mint.token(.hs256, claims: #"{"sub":"a","x":"\#(String(repeating: "x", count: 13_000))"}"#)
        #expect(token.utf8.count > JWTVerifier.maximumBytes)
        #expect(rejection(try await verifier(mint), token) == .malformed)
    }

    @Test("may be signed with a short HS256 key, as in other libraries")
    func shortKey() async throws {
        let signed = "\(Base64URL.encode(#"{"alg":"HS256"}"#.utf8)).\(Base64URL.encode(#"{"sub":"alice"}"#.utf8))"
        let mac = HMAC<SHA256>.authenticationCode(
            for: Array(signed.utf8), using: SymmetricKey(data: Array("short".utf8)))
        let settings = JWTSettings(hs256Key: Secret(text: "short"))
        let verifier = try await JWTVerifier(
            settings: settings, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        #expect(rejection(verifier, "\(signed).\(Base64URL.encode(mac))") == nil)
    }

    @Test("may be signed with a secret of the JWKS")
    func symmetricJWK() async throws {
        let mint = try await JWTIssuer()
        let key = Base64URL.encode(JWTIssuer.hs256Key.bytes)
        let verifier = try await verifier(mint) {
            $0.hs256Key = nil
            $0.jwks = #"{"keys":[{"kty":"oct","k":"\#(key)"}]}"#
        }
        #expect(rejection(verifier, try mint.token(.hs256, claims: #"{"sub":"alice"}"#)) == nil)
    }

    @Test(
        "needs readable keys",
        arguments: [
            "", "[]", "{}", #"{"keys":[]}"#, #"{"keys":[{"kty":"EC","crv":"P-521","x":"AA","y":"AA"}]}"#,
            #"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}"#, #"{"keys":[{"kty":"RSA","e":"AQAB"}]}"#,
            #"{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]}"#, #"{"keys":[{"kty":"oct","k":""}]}"#,
            #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA"}]}"#,
            #"{"keys":[\#(Array(repeating: "{}", count: 101).joined(separator: ","))]}"#,
        ])
    func brokenKeys(jwks: String) async throws {
        let violation = await #expect(throws: SettingError.self) {
            _ = try await JWTVerifier(
                settings: JWTSettings(jwks: jwks), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        #expect(violation?.setting == "PARLEY_JWT_JWKS_FILE")
    }
}
