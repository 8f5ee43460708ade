import Foundation
import ParleyAccounts
import ParleyModel
import ParleyTestContracts
import Testing

/// The time of the tests in seconds.
private let second = TestClock().milliseconds / 1000

@Suite("A login at an OpenID provider", .timeLimit(.minutes(5)))
struct OIDCLoginTests {
    @Test("asks for a code with PKCE, and ends with a session and the page that it began at")
    func wholeLogin() async throws {
        let fixture = try await OIDCFixture()
        let beginning = try await fixture.begin(next: "/messenger/#/t/x")
        let address = try #require(URLComponents(string: beginning.address))
        #expect("\(address.scheme ?? "")://\(address.host ?? "")\(address.path)" == "https://id.example/login")
        let query = TestProvider.fields(address.percentEncodedQuery ?? "")
        #expect(
            query.filter { !["state", "nonce", "code_challenge"].contains($0.key) } == [
                "theme": "x", "response_type": "code", "client_id": "parley", "redirect_uri": OIDCFixture.callback,
                "scope": "openid profile email", "code_challenge_method": "S256",
            ])
        let (code, state) = fixture.provider.authorize(beginning.address)
        let ending = try await fixture.login.finish(
            OIDCLogin.Callback(state: state, code: code, error: nil, issuer: nil), cookie: beginning.cookie,
            at: OIDCFixture.callback, device: nil)
        #expect(ending.next == "/messenger/#/t/x")
        #expect(ending.login.user.name == "alice")
        #expect(SessionTokens.isToken(ending.login.sessionToken))
        let cookie = PresentedCredentials(cookies: ["sessionid=\(ending.login.sessionToken)"], address: "a")
        guard case .success(.user(let identity)) = await fixture.accounts.authenticate(cookie) else {
            Issue.record("the session is not accepted")
            return
        }
        #expect(identity.user == ending.login.user)
        let token = try #require(fixture.provider.edit { $0.requests.first { $0.form != nil } })
        #expect(token.authorization == "Basic " + Data("parley:s3cr%3At%20%26".utf8).base64EncodedString())
        let form = TestProvider.fields(token.form ?? "")
        #expect(form["grant_type"] == "authorization_code" && form["redirect_uri"] == OIDCFixture.callback)
        #expect(form["client_id"] == nil && form["client_secret"] == nil)
    }

    @Test("sends the secret as the provider wants it, and a public client has none")
    func clientAuthentication() async throws {
        let post = try await OIDCFixture()
        post.provider.edit { $0.document["token_endpoint_auth_methods_supported"] = #"["client_secret_post"]"# }
        #expect(await post.failure() == nil)
        let posted = try #require(post.provider.edit { $0.requests.first { $0.form != nil } })
        #expect(posted.authorization == nil)
        #expect(TestProvider.fields(posted.form ?? "")["client_secret"] == "s3cr:t &")
        let open = try await OIDCFixture { $0.oidc?.clientSecret = nil }
        #expect(await open.failure() == nil)
        let sent = try #require(open.provider.edit { $0.requests.first { $0.form != nil } })
        #expect(sent.authorization == nil)
        #expect(TestProvider.fields(sent.form ?? "")["client_id"] == "parley")
        let other = try await OIDCFixture()
        other.provider.edit { $0.document["token_endpoint_auth_methods_supported"] = #"["private_key_jwt"]"# }
        #expect(await other.failure() == .unavailable)
    }

    // MARK: Attempts

    @Test("is finished in the browser that began it, once, and in time")
    func attempts() async throws {
        let fixture = try await OIDCFixture()
        let other = try await fixture.begin()
        #expect(await fixture.failure(cookie: other.cookie) == .expired, "the state of another browser")
        #expect(await fixture.failure(cookie: "x") == .expired)
        #expect(await fixture.failure { $0.state = nil } == .expired)
        #expect(await fixture.failure { $0.state? += "A" } == .expired)

        let beginning = try await fixture.begin()
        let (code, state) = fixture.provider.authorize(beginning.address)
        let callback = OIDCLogin.Callback(state: state, code: code, error: nil, issuer: nil)
        func finish(_ cookie: String?) async -> OIDCFailure? {
            do throws(OIDCFailure) {
                _ = try await fixture.login.finish(callback, cookie: cookie, at: OIDCFixture.callback, device: nil)
                return nil
            } catch {
                return error
            }
        }
        #expect(await finish(nil) == .expired)
        #expect(await finish(beginning.cookie) == nil)
        _ = fixture.provider.asked()
        #expect(await finish(beginning.cookie) == .expired, "replayed")
        #expect(fixture.provider.asked() == [], "a replay reached the provider")

        let late = try await fixture.begin()
        let (lateCode, lateState) = fixture.provider.authorize(late.address)
        fixture.clock.advance(milliseconds: 600_000)
        await #expect(throws: OIDCFailure.expired) {
            try await fixture.login.finish(
                OIDCLogin.Callback(state: lateState, code: lateCode, error: nil, issuer: nil), cookie: late.cookie,
                at: OIDCFixture.callback, device: nil)
        }
        fixture.accounts.ticketStore.isAway = true
        #expect(await fixture.failure() == .unavailable)
    }

    @Test("leads nowhere else", arguments: ["//evil", "/\\evil", "https://evil/", "/auth/logout", ""])
    func next(next: String) async throws {
        let fixture = try await OIDCFixture()
        await #expect(throws: OIDCFailure.badNext) { try await fixture.begin(next: next) }
        #expect(fixture.provider.asked() == [])
    }

    @Test("a code of another login is worth nothing, since the verifier differs")
    func injectedCode() async throws {
        let fixture = try await OIDCFixture()
        let stolen = fixture.provider.authorize(try await fixture.begin().address).code
        #expect(await fixture.failure { $0.code = stolen } == .rejected)
        #expect(await fixture.failure { $0.code = nil } == .rejected)
        #expect(await fixture.failure { $0.code = String(repeating: "x", count: 4097) } == .rejected)
    }

    @Test(
        "tells the refusals of a provider apart",
        arguments: [
            ("access_denied", OIDCFailure.denied), ("consent_required", OIDCFailure.denied),
            ("server_error", OIDCFailure.unavailable),
            ("temporarily_unavailable", OIDCFailure.unavailable), ("invalid_scope", OIDCFailure.rejected),
            ("<script>", OIDCFailure.rejected),
        ])
    func refusals(error: String, failure: OIDCFailure) async throws {
        let fixture = try await OIDCFixture()
        #expect(
            await fixture.failure {
                $0.error = error
                $0.code = nil
            } == failure)
        #expect(
            await fixture.failure {
                $0 = OIDCLogin.Callback(state: nil, code: $0.code, error: error, issuer: nil)
            } == (error == "access_denied" ? .denied : .expired), "without a state")
    }

    @Test("refuses the redirect of another provider, and one without a name where there must be one")
    func mixUp() async throws {
        let fixture = try await OIDCFixture()
        #expect(await fixture.failure { $0.issuer = TestProvider.issuer } == nil)
        #expect(await fixture.failure { $0.issuer = "https://evil.example" } == .rejected)
        let strict = try await OIDCFixture()
        strict.provider.edit { $0.document["authorization_response_iss_parameter_supported"] = "true" }
        #expect(await strict.failure() == .rejected)
        #expect(await strict.failure { $0.issuer = TestProvider.issuer } == nil)
    }

    // MARK: ID tokens

    @Test(
        "accepts an ID token for this client and this login",
        arguments: [
            [:], ["aud": #"["parley"]"#], ["aud": #"["parley","other"]"#, "azp": #""parley""#], ["azp": #""parley""#],
            ["exp": "\(second - 59)"], ["iat": "\(second + 60)"], ["iat": "\(second - 660)"],
            ["nbf": "\(second + 60)"],
        ] as [[String: String]])
    func rightClaims(claims: [String: String]) async throws {
        let fixture = try await OIDCFixture()
        fixture.provider.edit { $0.claims = claims }
        #expect(await fixture.failure() == nil)
    }

    @Test(
        "refuses an ID token for another client or login, too old or too new, or without what it must have",
        arguments: [
            ["nonce": #""other""#], ["nonce": ""], ["nonce": "7"], ["aud": #""other""#], ["aud": ""],
            ["aud": #"["parley","other"]"#], ["aud": #"["parley","other"]"#, "azp": #""other""#],
            ["azp": #""other""#], ["azp": "7"], ["iss": #""https://evil.example""#], ["iss": ""],
            ["iss": #""https://id.example/""#], ["exp": ""], ["exp": "\(second - 60)"],
            ["exp": #""\#(second + 300)""#], ["iat": ""], ["iat": "\(second + 61)"], ["iat": "\(second - 661)"],
            ["nbf": "\(second + 61)"], ["sub": ""], ["sub": #""""#], ["sub": "17"],
        ] as [[String: String]])
    func wrongClaims(claims: [String: String]) async throws {
        let fixture = try await OIDCFixture()
        fixture.provider.edit { $0.claims = claims }
        #expect(await fixture.failure() == .rejected)
    }

    @Test("accepts RS256, ES256 and EdDSA of the provider's keys, and no other signature")
    func signatures() async throws {
        let fixture = try await OIDCFixture()
        for algorithm in [JWTIssuer.Algorithm.rs256, .es256, .edDSA] {
            fixture.provider.edit { $0.algorithm = algorithm }
            #expect(await fixture.failure() == nil, "\(algorithm)")
        }
        let encoded = { (text: String) in Base64URL.encode(text.utf8) }
        let none = "\(encoded(#"{"alg":"none"}"#)).\(encoded(#"{"sub":"17"}"#))."
        fixture.provider.edit { $0.token = none }
        #expect(await fixture.failure() == .rejected, "alg none")
        // A key that the provider publishes must not verify HS256, whether it is a secret or a public key.
        let jwks = #"{"keys":[{"kty":"oct","kid":"HS256","k":"\#(Base64URL.encode(JWTIssuer.hs256Key.bytes))"}]}"#
        let symmetric = try await OIDCFixture()
        symmetric.provider.edit {
            $0.jwks = jwks
            $0.algorithm = .hs256
        }
        #expect(await symmetric.failure() == .rejected, "HS256")
        let stranger = try await JWTIssuer()
        let forged = try await OIDCFixture()
        forged.provider.edit {
            $0.algorithm = .es256
            $0.signer = stranger
        }
        #expect(await forged.failure() == .rejected, "another key")
    }

    @Test("reads the keys again for a new one, at most once in ten seconds")
    func rotation() async throws {
        let fixture = try await OIDCFixture()
        fixture.provider.edit { $0.algorithm = .es256 }
        #expect(await fixture.failure() == nil)
        _ = fixture.provider.asked()
        let renewed = try await JWTIssuer()
        fixture.provider.edit {
            $0.signer = renewed
            $0.header = #"{"alg":"ES256","kid":"new"}"#
            $0.jwks = renewed.jwks.replacing(#""kid":"ES256""#, with: #""kid":"new""#)
        }
        #expect(await fixture.failure() == .rejected, "too soon")
        #expect(fixture.provider.asked() == ["/token"])
        fixture.clock.advance(milliseconds: 10_000)
        #expect(await fixture.failure() == nil)
        #expect(fixture.provider.asked() == ["/token", "/jwks"])
        fixture.provider.edit { $0.header = #"{"alg":"ES256","kid":"unknown"}"# }
        for _ in 0..<3 { #expect(await fixture.failure() == .rejected) }
        #expect(!fixture.provider.asked().contains("/jwks"))
    }

    // MARK: The provider's documents

    @Test(
        "refuses a discovery document that is wrong",
        arguments: [
            ("issuer", #""https://evil.example""#), ("issuer", "7"), ("issuer", #""https://id.example/""#),
            ("authorization_endpoint", #""javascript:alert(1)""#), ("authorization_endpoint", "null"),
            ("token_endpoint", #""http://id.example/token""#), ("token_endpoint", #""http://localhost/token""#),
            ("jwks_uri", #""https://user:pass@id.example/""#), ("jwks_uri", "[]"),
            ("userinfo_endpoint", #""file:///x""#),
            ("code_challenge_methods_supported", #"["plain"]"#), ("code_challenge_methods_supported", "7"),
        ])
    func wrongDocument(member: String, value: String) async throws {
        let fixture = try await OIDCFixture()
        fixture.provider.edit { $0.document[member] = value }
        await #expect(throws: OIDCFailure.unavailable) { try await fixture.begin() }
    }

    @Test("asks a provider that is away once in five seconds, and keeps what it knows for a day")
    func away() async throws {
        let fixture = try await OIDCFixture()
        fixture.provider.edit { $0.failure = .unavailable("away") }
        for _ in 0..<3 { await #expect(throws: OIDCFailure.unavailable) { try await fixture.begin() } }
        #expect(fixture.provider.asked().count == 1)
        fixture.provider.edit { $0.failure = nil }
        await #expect(throws: OIDCFailure.unavailable) { try await fixture.begin() }
        fixture.clock.advance(milliseconds: 5_000)
        _ = try await fixture.begin()
        _ = try await fixture.begin()
        #expect(fixture.provider.asked().count == 1, "not kept")

        fixture.provider.edit { $0.failure = .unavailable("away") }
        fixture.clock.advance(milliseconds: 3_600_000)
        _ = try await fixture.begin()
        _ = try await fixture.begin()
        #expect(fixture.provider.asked().count == 1)
        fixture.clock.advance(milliseconds: 82_800_000)
        await #expect(throws: OIDCFailure.unavailable) { try await fixture.begin() }
    }

    @Test(
        "says whether another attempt may help",
        arguments: [
            (500, OIDCFailure.unavailable), (429, OIDCFailure.unavailable), (400, OIDCFailure.rejected),
            (302, OIDCFailure.rejected), (204, OIDCFailure.rejected),
        ])
    func statuses(status: Int, failure: OIDCFailure) async throws {
        let fixture = try await OIDCFixture()
        fixture.provider.edit { $0.statuses["/token"] = status }
        #expect(await fixture.failure() == failure)
    }
}
