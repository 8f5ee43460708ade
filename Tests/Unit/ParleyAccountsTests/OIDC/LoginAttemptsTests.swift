import ParleyAccounts
import ParleyTestContracts
import Testing

@Suite("The cookie of a login at a provider")
struct LoginAttemptsTests {
    private let clock = TestClock()

    private func attempts(
        secret: String = "a secret of these tests, 32 bytes or more", issuer: String = "https://id.example",
        client: String = "parley"
    ) throws -> LoginAttempts {
        LoginAttempts(
            secret: Secret(text: secret),
            settings: OIDCSettings(issuer: try #require(ProviderAddress(issuer)), clientID: client), clock: clock.wall)
    }

    @Test("brings the attempt back on every node with the same settings, until it expires")
    func roundTrip() throws {
        let attempt = try attempts().begin(next: "/messenger/#/t/x")
        let cookie = try attempts().cookie(of: attempt)
        #expect(try attempts().read(cookie) == attempt)
        #expect(try attempts().read(cookie)?.next == "/messenger/#/t/x")
        clock.advance(milliseconds: 599_999)
        #expect(try attempts().read(cookie) == attempt)
        clock.advance(milliseconds: 1)
        #expect(try attempts().read(cookie) == nil)
        clock.advance(milliseconds: -600_001)
        #expect(try attempts().read(cookie) == nil, "of the future")
    }

    @Test("is void with any changed byte, and with another secret, issuer or client")
    func forged() throws {
        let own = try attempts()
        let cookie = own.cookie(of: own.begin(next: "/"))
        let bytes = try #require(Base64URL.decode(cookie))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(own.read(Base64URL.encode(changed)) == nil, "\(index)")
        }
        for length in 0..<bytes.count { #expect(own.read(Base64URL.encode(bytes.prefix(length))) == nil) }
        #expect(own.read(cookie + "=") == nil)
        #expect(own.read(String(repeating: "A", count: 100_000)) == nil)
        #expect(try attempts(secret: "another secret of these tests, 32 bytes").read(cookie) == nil)
        #expect(try attempts(issuer: "https://id.example/b").read(cookie) == nil)
        #expect(try attempts(client: "other").read(cookie) == nil)
    }

    @Test("shows neither state nor nonce nor verifier, which are different texts of 43 characters")
    func derived() throws {
        let own = try attempts()
        let (attempt, other) = (own.begin(next: "/"), own.begin(next: "/"))
        let texts = [own.state(of: attempt), own.nonce(of: attempt), own.verifier(of: attempt)]
        #expect(Set(texts + [own.state(of: other), own.nonce(of: other), own.verifier(of: other)]).count == 6)
        for text in texts {
            #expect(text.utf8.count == 43)
            let bytes = try #require(Base64URL.decode(text))
            let cookie = try #require(Base64URL.decode(own.cookie(of: attempt)))
            #expect(!cookie.indices.contains { cookie[$0...].starts(with: bytes) })
        }
    }

    @Test("the challenge of a verifier is that of RFC 7636, appendix B")
    func challenge() {
        #expect(
            LoginAttempts.challenge(of: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
                == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test(
        "next is a path of this server",
        arguments: [
            ("/", true), ("/messenger/?a=b#/t/x", true), ("/authors", true), ("/%2F%2Fevil", true), ("/a//b", true),
            ("", false), ("a", false), ("//evil", false), ("/\\evil", false), ("\\evil", false), ("/a\\b", false),
            ("/\t/evil", false), ("/\n/evil", false), (" /", false), ("/ü", false), ("https://evil/", false),
            ("javascript:alert(1)", false), ("/auth/logout", false), ("/auth", false), ("/x/../auth/logout", false),
            ("/../auth/logout", false), ("/x/%2e%2E/auth/logout", false), ("/./auth/x", false), ("/%zz", true),
            ("/" + String(repeating: "x", count: 1023), true),
            ("/" + String(repeating: "x", count: 1024), false),
        ])
    func next(text: String, isAllowed: Bool) {
        #expect(LocalPath.isAllowed(text) == isAllowed)
    }

    @Test(
        "an address of a provider is HTTPS, or HTTP on this machine",
        arguments: [
            ("https://id.example", true), ("https://id.example:8443/realms/a?x=1", true),
            ("http://localhost:9400", true),
            ("http://127.0.0.1:1", true), ("http://[::1]:1/", true), ("http://id.example", false),
            ("http://localhost.evil/", false), ("http://127.0.0.1.evil/", false), ("HTTPS://id.example", false),
            ("https://user@id.example", false), ("http://localhost:1@evil/", false), ("https://id.example#a", false),
            ("https:///x", false), ("https://", false), ("//id.example", false), ("id.example", false), ("", false),
            ("https://id.example/\\evil", false), ("https://id example/", false), ("ftp://localhost", false),
            ("https://" + String(repeating: "x", count: 2048), false),
        ])
    func addresses(text: String, isAllowed: Bool) {
        #expect((ProviderAddress(text) != nil) == isAllowed)
    }

    @Test(
        "scopes are divided by one space, with openid among them",
        arguments: [
            ("openid", true), ("openid profile email", true), ("profile openid", true), ("profile", false), ("", false),
            ("openid  profile", false), ("openid\"x", false), ("openid,profile", false), (" openid", false),
        ])
    func scopes(text: String, isAllowed: Bool) {
        #expect(OIDCSettings.areScopes(text) == isAllowed)
    }
}
