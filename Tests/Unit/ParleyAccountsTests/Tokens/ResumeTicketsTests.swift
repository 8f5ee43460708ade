import Logging
import ParleyAccounts
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("Resume tickets")
struct ResumeTicketsTests {
    private func redeem(_ ticket: String, in fixture: AccountsFixture) async -> Result<Identity, AuthFailure> {
        do {
            return .success(try await fixture.services.tickets.redeem(ticket))
        } catch {
            return .failure(error)
        }
    }

    private func isUnauthorized(_ result: Result<Identity, AuthFailure>) -> Bool {
        if case .failure(.unauthorized) = result { true } else { false }
    }

    /// A user with a session, and a resume ticket made with it.
    private func ticket(
        in fixture: AccountsFixture, seconds: Int64 = 3600
    ) -> (text: String, identity: Identity, token: String, hash: TokenHash) {
        let user = fixture.addUser("alice")
        let token = fixture.addSession(of: user, seconds: seconds)
        let hash = SessionTokens.hash(of: token)
        let identity = Identity(
            user: user, credential: .session(hash, expires: fixture.clock.milliseconds + seconds * 1000))
        return (fixture.services.tickets.issueResume(for: identity), identity, token, hash)
    }

    @Test("can be used repeatedly, on every node that has the session in its store")
    func again() async throws {
        let fixture = try await AccountsFixture()
        let ticket = ticket(in: fixture)
        let other = try await AccountsFixture()
        let session = fixture.store.edit { $0.sessions[ticket.hash] }
        other.store.edit { $0.sessions[ticket.hash] = session }
        for round in 1...3 {
            for node in [fixture, other] {
                let expected = Identity(
                    user: ticket.identity.user,
                    credential: .ticket(session: ticket.hash, expires: ticket.identity.expires))
                #expect(await redeem(ticket.text, in: node) == .success(expected))
                #expect(node.store.queryCount == round, "one look-up for each")
            }
        }
        #expect(fixture.ticketStore.count == 0)
    }

    @Test("expire after 10 minutes, or after the configured time", arguments: [(600, 600), (60, 60), (10_000, 600)])
    func expiry(setting: Int64, seconds: Int64) async throws {
        let fixture = try await AccountsFixture { $0.resumeTicketLifetime = .seconds(setting) }
        let ticket = ticket(in: fixture)
        fixture.clock.advance(milliseconds: seconds * 1000 - 1)
        #expect(!isUnauthorized(await redeem(ticket.text, in: fixture)))
        fixture.clock.advance(milliseconds: 1)
        #expect(isUnauthorized(await redeem(ticket.text, in: fixture)))
    }

    @Test("expire with the credential they were issued for, through any number of tickets")
    func credentialExpiry() async throws {
        let fixture = try await AccountsFixture()
        var ticket = ticket(in: fixture, seconds: 1500).text
        for _ in 0..<2 {
            fixture.clock.advance(milliseconds: 500_000)
            ticket = fixture.services.tickets.issueResume(for: try await redeem(ticket, in: fixture).get())
        }
        fixture.clock.advance(milliseconds: 499_999)
        #expect(!isUnauthorized(await redeem(ticket, in: fixture)))
        fixture.clock.advance(milliseconds: 1)
        #expect(isUnauthorized(await redeem(ticket, in: fixture)))
    }

    @Test(
        "issued without a session or expiry end after a day, through any number of tickets",
        arguments: [Identity.Credential.password, .apiKey(name: "django", hash: TokenHash("d")), .jwt(expires: nil)])
    func chain(_ credential: Identity.Credential) async throws {
        let (fixture, key) = (try await AccountsFixture(), TokenHash("d"))
        fixture.store.edit { $0.apiKeys[key] = APIKeyRecord(name: "django", hash: key, created: 1) }
        let user = fixture.addUser("alice")
        var ticket = fixture.services.tickets.issueResume(
            for: Identity(user: user, credential: credential, credentialsVersion: 0))
        for _ in 0..<(24 * 60 / 8 - 1) {
            fixture.clock.advance(milliseconds: 8 * 60_000)
            ticket = fixture.services.tickets.issueResume(for: try await redeem(ticket, in: fixture).get())
        }
        fixture.clock.advance(milliseconds: 8 * 60_000 - 1)
        #expect(!isUnauthorized(await redeem(ticket, in: fixture)))
        fixture.clock.advance(milliseconds: 1)
        #expect(isUnauthorized(await redeem(ticket, in: fixture)))
    }

    @Test("are void once their user has logged out")
    func logout() async throws {
        let fixture = try await AccountsFixture()
        let ticket = ticket(in: fixture)
        #expect(!isUnauthorized(await redeem(ticket.text, in: fixture)))
        fixture.store.edit { $0.sessions[ticket.hash] = nil }
        #expect(isUnauthorized(await redeem(ticket.text, in: fixture)))
    }

    @Test("issued without a session are void when the credentials version rises, and always have a version")
    func version() async throws {
        let fixture = try await AccountsFixture()
        let user = fixture.addUser("alice")
        let identity = Identity(user: user, credential: .password, credentialsVersion: 0)
        let ticket = fixture.services.tickets.issueResume(for: identity)
        #expect(await redeem(ticket, in: fixture).map(\.credentialsVersion) == .success(0))
        let unchecked = fixture.services.tickets.issueResume(for: Identity(user: user, credential: .password))
        #expect(isUnauthorized(await redeem(unchecked, in: fixture)))
        fixture.store.edit { $0.credentialsVersions[user.id] = 1 }
        #expect(isUnauthorized(await redeem(ticket, in: fixture)))
    }

    @Test("of an erased user are void, whatever they were issued for")
    func erased() async throws {
        let fixture = try await AccountsFixture()
        let ticket = ticket(in: fixture)
        let user = ticket.identity.user
        let plain = fixture.services.tickets.issueResume(
            for: Identity(user: user, credential: .password, credentialsVersion: 0))
        #expect(!isUnauthorized(await redeem(plain, in: fixture)))
        fixture.store.edit {
            $0.users[user.id] = nil
            $0.sessions[ticket.hash] = nil
        }
        for text in [ticket.text, plain] { #expect(isUnauthorized(await redeem(text, in: fixture))) }
    }

    @Test("are not accepted while the store is unavailable")
    func away() async throws {
        let fixture = try await AccountsFixture()
        let ticket = ticket(in: fixture)
        let plain = fixture.services.tickets.issueResume(
            for: Identity(user: ticket.identity.user, credential: .password, credentialsVersion: 0))
        fixture.store.edit { $0.failure = .unavailable("away") }
        for text in [ticket.text, plain] {
            guard case .failure(.unavailable) = await redeem(text, in: fixture) else {
                Issue.record("not unavailable")
                continue
            }
        }
        fixture.store.edit { $0.failure = nil }
        for text in [ticket.text, plain] { #expect(!isUnauthorized(await redeem(text, in: fixture))) }
    }

    @Test("cannot be turned into one-time tickets, nor the other way round, by changing any bit")
    func forged() async throws {
        let fixture = try await AccountsFixture()
        let ticket = ticket(in: fixture)
        let bytes = try #require(Base64URL.decode(ticket.text))
        for bit in 0..<(bytes.count * 8) {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(isUnauthorized(await redeem(Base64URL.encode(changed), in: fixture)), "bit \(bit)")
        }
        for length in 0..<bytes.count {
            #expect(isUnauthorized(await redeem(Base64URL.encode(bytes.prefix(length)), in: fixture)))
        }
        #expect(ticket.text.utf8.count < 300)
    }

    @Test("open a socket as ?ticket= does")
    func authenticator() async throws {
        let fixture = try await AccountsFixture()
        let ticket = ticket(in: fixture)
        var presented = PresentedCredentials(address: "192.0.2.1")
        presented.ticket = ticket.text
        let principal = try await fixture.authenticate(presented).get()
        guard case .user(let identity) = principal else {
            Issue.record("nobody")
            return
        }
        #expect(identity.user == ticket.identity.user)
        #expect(identity.session == ticket.hash)
    }
}
