import Foundation
import ParleyAccounts
import ParleyModel
import ParleyTestContracts
import Testing

@Suite("Authentication of requests", .timeLimit(.minutes(5)))
struct AuthenticatorTests {
    /// A request in which `{name}` stands for one of the test's credentials, and its result.
    struct Case: Sendable, CustomStringConvertible {
        var authorization: String?
        var acting: String?
        var cookies: [String] = []
        var origin: String?
        var ticket: String?
        var isSafe = false
        var expected: String

        var description: String {
            [
                authorization, acting.map { "acting for \($0)" }, cookies.isEmpty ? nil : "\(cookies)",
                origin.map { "from \($0)" }, ticket.map { "ticket \($0)" }, isSafe ? "read" : nil, "→ \(expected)",
            ]
            .compactMap { $0 }.joined(separator: " · ")
        }
    }

    static let cases: [Case] = [
        Case(expected: "unauthorized"),
        Case(authorization: "", expected: "unauthorized"),
        // Bearer: session, JWT, API key.
        Case(authorization: "Bearer {session}", expected: "alice session"),
        Case(authorization: "bearer {session}", origin: "http://evil.example", expected: "alice session"),
        Case(authorization: "Bearer {over}", expected: "unauthorized"),
        Case(authorization: "Bearer {revoked}", expected: "unauthorized"),
        Case(authorization: "Bearer {foreign}", expected: "erin session"),
        Case(authorization: "Bearer", expected: "unauthorized"),
        Case(authorization: "Bearer x", expected: "unauthorized"),
        Case(authorization: "Bearer {jwt}", expected: "bob jwt"),
        Case(authorization: "Bearer {badjwt}", expected: "unauthorized"),
        Case(authorization: "Bearer {strangerjwt}", expected: "unauthorized"),
        Case(authorization: "Bearer a.b.c", expected: "unauthorized"),
        Case(authorization: "Bearer ..", expected: "unauthorized"),
        Case(authorization: "Bearer a.b", expected: "unauthorized"),
        Case(authorization: "Bearer pk_right", expected: "service django"),
        // eve took the id of carol as her name: the id takes precedence.
        Case(authorization: "Bearer pk_right", acting: "id-of-carol", expected: "carol apiKey"),
        Case(authorization: "Bearer pk_right", acting: "carol", expected: "carol apiKey"),
        Case(authorization: "Bearer pk_right", acting: "ｃarol", expected: "carol apiKey"),
        // frank took digits, and a UUID, as names before anybody had them as ids.
        Case(authorization: "Bearer pk_right", acting: "921894", expected: "unauthorized"),
        Case(authorization: "Bearer pk_right", acting: "９21894", expected: "unauthorized"),
        Case(authorization: "Bearer pk_right", acting: "id:921894", expected: "unauthorized"),
        Case(authorization: "Bearer pk_right", acting: "name:921894", expected: "921894 apiKey"),
        Case(
            authorization: "Bearer pk_right", acting: "0190B7C1-79b0-7cc3-98c4-dc0c0c07398f", expected: "unauthorized"),
        Case(authorization: "Bearer pk_right", acting: "name:id-of-carol", expected: "id-of-carol apiKey"),
        Case(authorization: "Bearer pk_right", acting: "id:carol", expected: "unauthorized"),
        Case(authorization: "Bearer pk_right", acting: "id:id-of-carol", expected: "carol apiKey"),
        Case(authorization: "Bearer pk_right", acting: "id:", expected: "unauthorized"),
        Case(authorization: "Bearer pk_right", acting: "name:", expected: "unauthorized"),
        Case(authorization: "Bearer pk_right", acting: "nobody", expected: "unauthorized"),
        Case(authorization: "Bearer pk_right", acting: "", expected: "unauthorized"),
        Case(authorization: "Bearer pk_right", acting: "a b", expected: "unauthorized"),
        Case(authorization: "Bearer {stored}", expected: "service stored"),
        Case(authorization: "Bearer {stored}", acting: "carol", expected: "carol apiKey"),
        Case(authorization: "Bearer {stored}x", expected: "unauthorized"),
        Case(authorization: "Bearer pk_wrong", acting: "carol", expected: "unauthorized"),
        Case(authorization: "Bearer pk_wrong", expected: "unauthorized"),
        Case(authorization: "Bearer {session}", acting: "carol", expected: "alice session"),
        // Basic.
        Case(authorization: "Basic {alice:correct horse}", expected: "alice password"),
        Case(authorization: "basic {alice:correct horse}", expected: "alice password"),
        Case(authorization: "Basic {alice:wrong}", expected: "unauthorized"),
        Case(authorization: "Basic {nobody:correct horse}", expected: "unauthorized"),
        Case(authorization: "Basic ???", expected: "unauthorized"),
        Case(authorization: "Digest username=alice", expected: "unauthorized"),
        // Cookie, and the page it comes from.
        Case(cookies: ["sessionid={session}"], expected: "alice session"),
        Case(cookies: ["a=b; sessionid={session}; c=d"], expected: "alice session"),
        Case(cookies: ["sessionid={foreign}"], expected: "erin session"),
        Case(cookies: ["django={foreign}"], expected: "erin session"),
        Case(cookies: ["django={session}"], expected: "alice session"),
        Case(cookies: ["django={foreign}; sessionid={session}"], expected: "alice session"),
        Case(cookies: ["django={foreign}; sessionid={over}"], expected: "erin session"),
        Case(cookies: ["django=x; sessionid={over}"], expected: "unauthorized"),
        Case(cookies: ["django={foreign}"], origin: "http://evil.example", expected: "forbidden"),
        Case(cookies: ["sessionid={session}"], origin: "http://chat.example.org:8080", expected: "alice session"),
        Case(cookies: ["sessionid={session}"], origin: "https://app.example.org", expected: "alice session"),
        Case(cookies: ["sessionid={session}"], origin: "http://evil.example", expected: "forbidden"),
        Case(cookies: ["sessionid={session}"], origin: "null", expected: "forbidden"),
        Case(cookies: ["sessionid={session}"], origin: "http://chat.example.org", expected: "forbidden"),
        Case(cookies: ["sessionid={session}"], origin: "http://evil.example", isSafe: true, expected: "alice session"),
        Case(cookies: ["sessionid={over}"], expected: "unauthorized"),
        Case(cookies: ["sessionid={revoked}"], expected: "unauthorized"),
        Case(cookies: ["sessionid=x"], expected: "unauthorized"),
        Case(cookies: ["sessionid=pk_right"], expected: "unauthorized"),
        Case(cookies: ["sessionid={jwt}"], expected: "unauthorized"),
        Case(cookies: ["a=b", "sessionid={session}"], expected: "unauthorized"),
        Case(acting: "carol", cookies: ["sessionid={session}"], expected: "alice session"),
        // Ticket.
        Case(ticket: "{ticket}", expected: "carol ticket"),
        Case(origin: "http://evil.example", ticket: "{ticket}", expected: "carol ticket"),
        Case(ticket: "", expected: "unauthorized"),
        Case(ticket: "{session}", expected: "unauthorized"),
        // The first credential present decides, valid or not.
        Case(authorization: "Bearer {jwt}", cookies: ["sessionid={session}"], ticket: "{ticket}", expected: "bob jwt"),
        Case(authorization: "Bearer x", cookies: ["sessionid={session}"], expected: "unauthorized"),
        Case(authorization: "Bearer {badjwt}", ticket: "{ticket}", expected: "unauthorized"),
        Case(authorization: "Bearer pk_wrong", cookies: ["sessionid={session}"], expected: "unauthorized"),
        Case(authorization: "Basic {alice:wrong}", cookies: ["sessionid={session}"], expected: "unauthorized"),
        Case(authorization: "Digest x", cookies: ["sessionid={session}"], expected: "unauthorized"),
        Case(
            authorization: "Bearer {jwt}", cookies: ["sessionid={session}"], origin: "http://evil.example",
            expected: "bob jwt"),
        Case(authorization: " ", cookies: ["sessionid={session}"], expected: "alice session"),
        Case(cookies: ["sessionid={session}"], ticket: "{ticket}", expected: "alice session"),
        Case(cookies: ["sessionid={over}"], ticket: "{ticket}", expected: "unauthorized"),
        Case(
            cookies: ["sessionid={session}"], origin: "http://evil.example", ticket: "{ticket}", expected: "forbidden"),
        Case(cookies: ["sessionid="], ticket: "{ticket}", expected: "carol ticket"),
        Case(cookies: ["other=1"], ticket: "{ticket}", expected: "carol ticket"),
    ]

    @Test("the first credential decides, in the order of the protocol", arguments: cases)
    func order(_ item: Case) async throws {
        let mint = try await JWTIssuer()
        let clock = TestClock()
        var django = try TestSite.settings()
        django.cookie = "django"
        let fixture = try await AccountsFixture(clock: clock, djangoSite: TestSite(clock: clock)) {
            $0.django = django
            $0.apiKeys = (try? APIKeys(parsing: "django:pk_right")) ?? $0.apiKeys
            $0.origins = (try? OriginPolicy(parsing: "https://app.example.org")) ?? $0.origins
            $0.jwt = JWTSettings(hs256Key: JWTIssuer.hs256Key)
        }
        let alice = fixture.addUser("alice")
        let carol = fixture.addUser("carol")
        fixture.addUser("bob")
        fixture.addUser("id-of-carol", id: "id-of-eve")
        fixture.addUser("921894", id: "id-of-frank")
        fixture.addUser("0190b7c1-79b0-7cc3-98c4-dc0c0c07398f", id: "id-of-grace")
        let (storedKey, storedHash) = APIKeys.make()
        fixture.store.edit { $0.apiKeys[storedHash] = APIKeyRecord(name: "stored", hash: storedHash, created: 1) }
        var words = [
            "stored": storedKey,
            "session": fixture.addSession(of: alice), "over": fixture.addSession(of: alice, seconds: 0),
            "revoked": SessionTokens.make().token, "foreign": TestSite.erin,
            "jwt": try mint.token(.hs256, claims: #"{"sub":"id-of-bob"}"#),
            "strangerjwt": try mint.token(.hs256, claims: #"{"sub":"id-of-nobody"}"#),
            "ticket": try await fixture.services.tickets.issue(for: Identity(user: carol, credential: .password)),
        ]
        words["badjwt"] = words["jwt"].map { String($0.dropLast()) + ($0.last == "A" ? "E" : "A") }
        for pair in ["alice:correct horse", "alice:wrong", "nobody:correct horse"] {
            words[pair] = Data(pair.utf8).base64EncodedString()
        }
        func fill(_ text: String) -> String {
            words.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
        }
        let result = await fixture.authenticate(
            PresentedCredentials(
                authorization: item.authorization.map(fill), actingUser: item.acting, cookies: item.cookies.map(fill),
                origin: item.origin, host: "chat.example.org:8080", ticket: item.ticket.map(fill),
                address: "192.0.2.1", isSafeMethod: item.isSafe))
        let outcome =
            switch result {
            case .success(.service(let name)): "service \(name)"
            case .success(.user(let identity)): "\(identity.user.name) \(Self.kind(of: identity.credential))"
            case .failure(let failure): failure.kind
            }
        #expect(outcome == item.expected)
    }

    private static func kind(of credential: Identity.Credential) -> String {
        switch credential {
        case .session: "session"
        case .jwt: "jwt"
        case .password: "password"
        case .apiKey: "apiKey"
        case .ticket: "ticket"
        }
    }

    @Test(
        "a request is unavailable while the store is",
        arguments: ["Bearer {session}", "Bearer pk_right", "Bearer pk_other", "Basic YTpi"])
    func storeAway(authorization: String) async throws {
        let fixture = try await AccountsFixture { $0.apiKeys = (try? APIKeys(parsing: "a:pk_right")) ?? $0.apiKeys }
        let token = fixture.addSession(of: fixture.addUser("alice"))
        for failure in [StoreError.unavailable("secret host name"), .failed("secret query")] {
            fixture.store.edit { $0.failure = failure }
            let result = await fixture.authenticate(
                PresentedCredentials(
                    authorization: authorization.replacing("{session}", with: token), actingUser: "alice", address: "a")
            )
            guard case .failure(.unavailable(let text)) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(!text.contains("secret"))
        }
    }

    @Test("an identity has the session and the expiry of its credential")
    func sessionAndExpiry() async throws {
        let fixture = try await AccountsFixture()
        let token = fixture.addSession(of: fixture.addUser("alice"), seconds: 60)
        let result = await fixture.authenticate(PresentedCredentials(cookies: ["sessionid=\(token)"], address: "a"))
        guard case .success(.user(let identity)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(identity.session == SessionTokens.hash(of: token))
        #expect(identity.expires == fixture.clock.milliseconds + 60_000)
        fixture.clock.advance(milliseconds: 60_000)
        let later = await fixture.authenticate(PresentedCredentials(cookies: ["sessionid=\(token)"], address: "a"))
        #expect(later == .failure(.unauthorized("the session is unknown or has ended")))
    }

    @Test("a revoked session is void at once with default settings")
    func revokedElsewhere() async throws {
        let fixture = try await AccountsFixture()
        let token = fixture.addSession(of: fixture.addUser("alice"))
        let presented = PresentedCredentials(cookies: ["sessionid=\(token)"], address: "a")
        guard case .success = await fixture.authenticate(presented) else {
            Issue.record("not recognised")
            return
        }
        // Another node revoked it, and no event arrived here.
        fixture.store.edit { $0.sessions = [:] }
        #expect(await fixture.authenticate(presented) == .failure(.unauthorized("the session is unknown or has ended")))
    }

    @Test("Basic failures count as failed logins, and apply to a cached right password too")
    func basicThrottle() async throws {
        let fixture = try await AccountsFixture()
        fixture.addUser("alice")
        func basic(_ password: String) async -> String {
            let encoded = Data("alice:\(password)".utf8).base64EncodedString()
            let result = await fixture.authenticate(
                PresentedCredentials(authorization: "Basic \(encoded)", address: "192.0.2.1"))
            if case .failure(let failure) = result { return failure.kind } else { return "ok" }
        }
        #expect(await basic("correct horse") == "ok")
        for _ in 0..<10 { #expect(await basic("wrong") == "unauthorized") }
        #expect(await basic("correct horse") == "rateLimited")
        await #expect(throws: AccountError.rateLimited(retryAfterSeconds: 60)) {
            try await fixture.services.login.logIn(username: "alice", password: "correct horse", address: "192.0.2.1")
        }
        // Another address has a budget of its own.
        _ = try await fixture.services.login.logIn(
            username: "alice", password: "correct horse", address: "192.0.2.2")
        fixture.clock.advance(milliseconds: 60_000)
        #expect(await basic("correct horse") == "ok")
    }

    @Test("a right Basic password costs no hash for a minute, until the password changes")
    func basicMemory() async throws {
        let fixture = try await AccountsFixture()
        let alice = fixture.addUser("alice")
        let presented = PresentedCredentials(
            authorization: "Basic \(Data("alice:correct horse".utf8).base64EncodedString())", address: "a")
        func isRecognised() async -> Bool {
            if case .success = await fixture.authenticate(presented) { true } else { false }
        }
        #expect(await isRecognised())
        // Without workers nothing can be hashed: a success now comes from the cache.
        await fixture.services.workers.shutDown()
        #expect(await isRecognised())
        fixture.clock.advance(milliseconds: 59_999)
        #expect(await isRecognised())
        fixture.clock.advance(milliseconds: 1)
        #expect(await !isRecognised())
        fixture.clock.advance(milliseconds: -1)
        let other = PasswordHasher(iterations: 10).hash("another horse")
        fixture.store.edit { $0.hashes[alice.id] = other }
        #expect(await !isRecognised())
    }
}
