import Crypto
import ParleyAccounts
import ParleyModel
import ParleyTestContracts
import Testing

@Suite("A Django session", .timeLimit(.minutes(5)))
struct DjangoSessionsTests {
    private static let vectors = try? Vectors.load()

    private static let presented = PresentedCredentials(
        cookies: ["sessionid=\(TestSite.alice)"], address: "192.0.2.1")

    private let clock = TestClock()
    private let site: TestSite
    private let fixture: AccountsFixture

    init() async throws {
        site = try TestSite(clock: clock)
        let django = try TestSite.settings()
        fixture = try await AccountsFixture(clock: clock, djangoSite: site) { $0.django = django }
    }

    private func user(_ cookie: String) async throws -> User? {
        try await fixture.services.sessions.session(cookie: cookie)?.user
    }

    /// The name of the site's user with this key.
    private func name(_ key: String?) -> String? {
        key.flatMap { key in site.edit { $0.users[key]?.username } }
    }

    @Test("in the database belongs to the user Django resolves it to", arguments: vectors?.dbSessions.vectors ?? [])
    func rows(vector: Vectors.RowSession) async throws {
        #expect(try await user(vector.cookie)?.name == name(vector.expectedUserIdDjango))
    }

    @Test(
        "in its cookie belongs to the user Django resolves it to",
        arguments: vectors?.signedCookieSessions.vectors ?? [])
    func cookies(vector: Vectors.CookieSession) async throws {
        clock.milliseconds = vector.now * 1000
        #expect(try await user(vector.cookie)?.name == name(vector.expectedUserIdDjango))
    }

    @Test("is covered by vectors of every kind")
    func vectorsAreThere() {
        #expect((Self.vectors?.dbSessions.vectors.count ?? 0) >= 30)
        #expect((Self.vectors?.signedCookieSessions.vectors.count ?? 0) >= 10)
    }

    @Test("is valid only if its backend is one of the site's")
    func backends() async throws {
        let django = try TestSite.settings()
        let other = try await AccountsFixture(clock: clock, djangoSite: site) {
            $0.django = django
            $0.django?.backends = ["example.Backend"]
        }
        #expect(try await other.services.sessions.session(cookie: TestSite.alice) == nil)
        #expect(try await user(TestSite.alice)?.name == "alice")
    }

    @Test(
        "with an operator's name in any width or case creates no user, and stays foreign if there is one",
        arguments: ["boss", "Boss", "BOSS"])
    func operatorsName(_ name: String) async throws {
        let django = try TestSite.settings()
        let other = try await AccountsFixture(clock: clock, djangoSite: site) {
            $0.django = django
            $0.admins = ["boss"]
        }
        site.edit { state in
            for (key, user) in state.users where user.username == "alice" { state.users[key]?.username = name }
        }
        #expect(try await other.services.sessions.session(cookie: TestSite.alice) == nil)
        #expect(other.store.edit { $0.users.isEmpty })
        // An account created by an operator, for example.
        let boss = other.addUser(name)
        let principal = await other.authenticate(Self.presented)
        guard case .success(.user(let identity)) = principal else {
            Issue.record("\(principal)")
            return
        }
        #expect(identity.user == boss)
        #expect(identity.isForeign && !identity.isOperatorByCredential)
    }

    @Test("creates a user whose origin is Django")
    func origin() async throws {
        let alice = try #require(try await user(TestSite.alice))
        #expect(fixture.store.edit { $0.origins[alice.id] } == .django)
    }

    @Test("is unavailable, not invalid, while the site's database is unavailable")
    func away() async throws {
        site.edit { $0.failure = .unavailable("away") }
        await #expect(throws: AuthFailure.unavailable("accounts cannot be looked up at the moment")) {
            try await fixture.services.authenticator.authenticate(Self.presented)
        }
    }

    @Test("signed with an empty fallback key is invalid, as in Django")
    func emptyFallback() async throws {
        // Signed under the empty key, for erin.
        let django = try TestSite.settings()
        let forged = try await AccountsFixture(clock: clock, djangoSite: site) {
            $0.django = django
            $0.django?.fallbacks = [Secret(text: "")]
            $0.django?.secretKey = Secret(text: "unknown")
        }
        let payload = Base64URL.encode(
            Array(
                #"{"_auth_user_id":"5","_auth_user_backend":"django.contrib.auth.backends.ModelBackend","_auth_user_hash":"\#(hash(site.edit { $0.users["5"]?.password ?? "" }))"}"#
                    .utf8))
        let text = "\(payload):1r31eq"
        let key = SHA256.hash(data: Array("django.contrib.sessions.backends.signed_cookiessigner".utf8))
        let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: Array(key)))
        let cookie = "\(text):\(Base64URL.encode(code))"
        clock.milliseconds = 1_700_000_060_000
        #expect(try await forged.services.sessions.session(cookie: cookie) == nil)
    }

    /// The hash of a password under the empty key.
    private func hash(_ password: String) -> String {
        let salt = "django.contrib.auth.models.AbstractBaseUser.get_session_auth_hash"
        let key = SHA256.hash(data: Array(salt.utf8))
        return HMAC<SHA256>.authenticationCode(for: Array(password.utf8), using: SymmetricKey(data: Array(key)))
            .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    // MARK: Parley users

    @Test("creates its user once, at first contact, with the primary key as id")
    func firstContact() async throws {
        let first = try await user(TestSite.alice)
        #expect(first == User(id: UserID(trusted: "1"), name: "alice"))
        #expect(try await user(TestSite.alice) == first)
        #expect(fixture.store.edit { $0.users.count } == 1)
    }

    @Test("maps to the Parley user of the same name, whatever the id")
    func sameName() async throws {
        let alice = fixture.addUser("alice", id: "imported")
        #expect(try await user(TestSite.alice) == alice)
    }

    @Test("gives a generated id if the primary key is taken")
    func idTaken() async throws {
        let other = fixture.addUser("somebody", id: "1")
        let alice = try #require(try await user(TestSite.alice))
        #expect(alice.name == "alice")
        #expect(alice.id != other.id)
        #expect(try await user(TestSite.alice) == alice)
    }

    @Test("maps to the user that another node has just created")
    func race() async throws {
        let alice = User(id: UserID(trusted: "made-elsewhere"), name: "alice")
        fixture.store.edit { $0.faster = alice }
        #expect(try await user(TestSite.alice) == alice)
    }

    @Test("with a username that Parley would normalise differently is invalid", arguments: ["ａlice", "al ice", ""])
    func badName(name: String) async throws {
        fixture.addUser("alice")
        site.edit { $0.users["1"]?.username = name }
        #expect(try await user(TestSite.alice) == nil)
    }

    // MARK: Tokens

    @Test("has the same token on every node, which does not reveal the cookie")
    func token() async throws {
        let django = try TestSite.settings()
        let other = try await AccountsFixture(clock: clock, djangoSite: site) { $0.django = django }
        let session = try #require(try await fixture.services.sessions.session(cookie: TestSite.alice))
        let (token, alice) = (session.token, session.user)
        #expect(token.isForeign)
        #expect(!token.text.contains(TestSite.alice))
        #expect(try await other.services.sessions.session(cookie: TestSite.alice)?.token == token)
        #expect(try await other.services.sessions.isAlive(token, of: alice))
        let stranger = try await AccountsFixture(clock: clock, djangoSite: site) {
            $0.secret = Secret(text: "another secret of these tests, 32 bytes or more")
            $0.django = django
        }
        #expect(try await !stranger.services.sessions.isAlive(token, of: alice))
        for other in [token.text + "A", "~", String(token.text.dropFirst())] {
            #expect(try await !fixture.services.sessions.isAlive(TokenHash(other), of: alice))
        }
    }

    /// The events that end a session in Django.
    enum End: String, CaseIterable {
        case logout, password, inactive, deletion, expiry
        /// A renamed user is another user.
        case renaming
    }

    private func end(_ end: End) {
        site.edit { state in
            switch end {
            case .logout: state.sessions[TestSite.alice] = nil
            case .password: state.users["1"]?.password = "pbkdf2_sha256$1$a$b"
            case .inactive: state.users["1"]?.isActive = false
            case .deletion: state.users["1"] = nil
            case .expiry: state.sessions[TestSite.alice]?.expires = 0
            case .renaming: state.users["1"]?.username = "alicia"
            }
        }
    }

    @Test("ends by its token as soon as it ends in Django", arguments: End.allCases)
    func ends(_ how: End) async throws {
        let session = try #require(try await fixture.services.sessions.session(cookie: TestSite.alice))
        let bob = User(id: UserID(trusted: "2"), name: "bob")
        #expect(try await fixture.services.sessions.isAlive(session.token, of: session.user))
        #expect(try await !fixture.services.sessions.isAlive(session.token, of: bob))
        end(how)
        #expect(try await !fixture.services.sessions.isAlive(session.token, of: session.user))
        // A check never creates a user.
        #expect(fixture.store.edit { $0.users.count } == 1)
    }

    @Test("in its cookie expires by its token with its age", arguments: [(1_209_600, true), (1_209_601, false)])
    func cookieAge(seconds: Int64, isAlive: Bool) async throws {
        let vector = try #require(Self.vectors?.signedCookieSessions.vectors.first)
        let signed: Int64 = 1_700_000_000
        clock.milliseconds = signed * 1000
        let session = try #require(try await fixture.services.sessions.session(cookie: vector.cookie))
        clock.milliseconds = (signed + seconds) * 1000
        #expect(try await fixture.services.sessions.isAlive(session.token, of: session.user) == isAlive)
        site.edit { $0.users["1"]?.password = "pbkdf2_sha256$1$a$b" }
        #expect(try await !fixture.services.sessions.isAlive(session.token, of: session.user))
    }

    @Test("does not circumvent a revocation by an operator: its resume ticket is void, though the session is not")
    func revocation() async throws {
        guard case .user(let identity) = try await fixture.services.authenticator.authenticate(Self.presented) else {
            Issue.record("the cookie is a user's")
            return
        }
        let once = try await fixture.services.tickets.issue(for: identity)
        let snapshot = try #require(try await fixture.directory.snapshot(of: identity.user.id))
        let ticket = fixture.services.tickets.issueResume(for: try #require(identity.confirmed(by: snapshot)))
        #expect(try await fixture.services.tickets.redeem(ticket).user == identity.user)
        fixture.store.edit { $0.credentialsVersions[identity.user.id] = 1 }
        await #expect(throws: AuthFailure.self) { try await fixture.services.tickets.redeem(once) }
        await #expect(throws: AuthFailure.self) { try await fixture.services.tickets.redeem(ticket) }
    }

    @Test("voids its tickets when it ends, resume tickets included", arguments: End.allCases)
    func tickets(_ how: End) async throws {
        guard case .user(let identity) = try await fixture.services.authenticator.authenticate(Self.presented) else {
            Issue.record("the cookie is a user's")
            return
        }
        let tickets = fixture.services.tickets
        let (once, unused, resume) = (
            try await tickets.issue(for: identity), try await tickets.issue(for: identity),
            tickets.issueResume(
                for: Identity(user: identity.user, credential: identity.credential, credentialsVersion: 0))
        )
        #expect(try await tickets.redeem(once).user == identity.user)
        #expect(try await tickets.redeem(resume).session == identity.session)
        end(how)
        for ticket in [unused, resume] {
            await #expect(throws: AuthFailure.self) { try await tickets.redeem(ticket) }
        }
    }
}
