import Logging
import ParleyAccounts
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("Tickets")
struct TicketsTests {
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

    @Test("that cannot be checked are unavailable, and no mistake of the client's")
    func away() async throws {
        let fixture = try await AccountsFixture()
        let user = fixture.addUser("Zoë", id: "zoe")
        let hash = SessionTokens.hash(of: fixture.addSession(of: user))
        let ticket = try await fixture.services.tickets.issue(
            for: Identity(user: user, credential: .session(hash, expires: fixture.clock.milliseconds + 3_600_000)))
        fixture.ticketStore.isAway = true
        guard case .failure(.unavailable) = await redeem(ticket, in: fixture) else {
            Issue.record("not unavailable")
            return
        }
        fixture.ticketStore.isAway = false
        _ = try await redeem(ticket, in: fixture).get()
    }

    @Test("carry the identity they were issued for, once")
    func once() async throws {
        let fixture = try await AccountsFixture()
        let user = fixture.addUser("Zoë", id: "zoe")
        let hash = SessionTokens.hash(of: fixture.addSession(of: user))
        let end = fixture.clock.milliseconds + 3_600_000
        let key = TokenHash("key")
        fixture.store.edit {
            $0.credentialsVersions[user.id] = 7
            $0.apiKeys[key] = APIKeyRecord(name: "stored", hash: key, created: 1)
        }
        let cases: [(Identity.Credential, ticket: Identity.Credential, version: Int64?)] = [
            (.session(hash, expires: end), .ticket(session: hash, expires: end), nil),
            (.jwt(expires: end), .ticket(session: nil, expires: end), 7),
            (.jwt(expires: nil), .ticket(session: nil, expires: nil), 7),
            (.password, .ticket(session: nil, expires: nil), 7),
            (.apiKey(name: "stored", hash: key), .ticket(session: nil, apiKey: key, expires: nil), 7),
            (.ticket(session: hash, expires: end), .ticket(session: hash, expires: end), nil),
        ]
        for (credential, redeemed, version) in cases {
            let ticket = try await fixture.services.tickets.issue(for: Identity(user: user, credential: credential))
            let expected = Identity(user: user, credential: redeemed, credentialsVersion: version)
            #expect(try fixture.services.tickets.read(ticket) == expected)
            #expect(await redeem(ticket, in: fixture) == .success(expected))
            #expect(isUnauthorized(await redeem(ticket, in: fixture)), "a ticket counted twice")
        }
    }

    @Test("are void when the credentials version rises, the user is erased or the API key deleted")
    func voidCredentials() async throws {
        let fixture = try await AccountsFixture()
        let (user, key) = (fixture.addUser("alice"), TokenHash("key"))
        fixture.store.edit { $0.apiKeys[key] = APIKeyRecord(name: "stored", hash: key, created: 1) }
        for credential in [Identity.Credential.password, .jwt(expires: nil), .apiKey(name: "stored", hash: key)] {
            let identity = Identity(user: user, credential: credential)
            let ticket = try await fixture.services.tickets.issue(for: identity)
            fixture.store.edit { $0.credentialsVersions[user.id, default: 0] += 1 }
            #expect(isUnauthorized(await redeem(ticket, in: fixture)))
        }
        let identity = Identity(user: user, credential: .apiKey(name: "stored", hash: key))
        let ticket = try await fixture.services.tickets.issue(for: identity)
        fixture.store.edit { $0.apiKeys = [:] }
        #expect(isUnauthorized(await redeem(ticket, in: fixture)))
        // A node that is not configured with the key rejects it.
        let configured = try await AccountsFixture { $0.apiKeys = try APIKeys(parsing: "site:pk_site") }
        configured.store.edit { $0.users[user.id] = user }
        let site = Identity(user: user, credential: .apiKey(name: "site", hash: APIKeys.hash(of: "pk_site")))
        let tickets = configured.services.tickets
        let resume = tickets.issueResume(for: try tickets.read(try await tickets.issue(for: site)))
        #expect(!isUnauthorized(await redeem(resume, in: configured)))
        fixture.store.edit { $0.credentialsVersions[user.id] = 0 }
        #expect(isUnauthorized(await redeem(resume, in: fixture)))
        let plain = try await fixture.services.tickets.issue(for: Identity(user: user, credential: .password))
        fixture.store.edit { $0.users = [:] }
        #expect(isUnauthorized(await redeem(plain, in: fixture)))
        await #expect(throws: AuthFailure.self) {
            try await fixture.services.tickets.issue(for: Identity(user: user, credential: .password))
        }
        #expect(fixture.ticketStore.count == 0)
    }

    @Test("without a credentials version are valid if they depend on a session, and void if nothing can be checked")
    func unversioned() async throws {
        let fixture = try await AccountsFixture()
        let user = fixture.addUser("alice")
        let token = fixture.addSession(of: user)
        for (kind, nonce) in [(UInt8(1), 16), (2, 0)] {
            let withSession = fixture.unversionedTicket(
                kind, nonce: nonce, session: SessionTokens.hash(of: token), user)
            #expect(!isUnauthorized(await redeem(withSession, in: fixture)))
            let without = fixture.unversionedTicket(kind, nonce: nonce, session: nil, user)
            #expect(isUnauthorized(await redeem(without, in: fixture)))
        }
    }

    @Test("expire after 30 s", arguments: [(29_999, true), (30_000, false), (90_000, false)])
    func expiry(milliseconds: Int64, counts: Bool) async throws {
        let fixture = try await AccountsFixture()
        let ticket = try await fixture.services.tickets.issue(
            for: Identity(user: fixture.addUser("alice"), credential: .password))
        fixture.clock.advance(milliseconds: milliseconds)
        #expect(isUnauthorized(await redeem(ticket, in: fixture)) == !counts)
        #expect(fixture.services.tickets.lifetimeSeconds == 30)
    }

    @Test("expire with the credential they were issued for", arguments: [(4_999, true), (5_000, false)])
    func credentialExpiry(milliseconds: Int64, counts: Bool) async throws {
        let fixture = try await AccountsFixture()
        let identity = Identity(
            user: fixture.addUser("alice"), credential: .jwt(expires: fixture.clock.milliseconds + 5000))
        let ticket = try await fixture.services.tickets.issue(for: identity)
        fixture.clock.advance(milliseconds: milliseconds)
        #expect(isUnauthorized(await redeem(ticket, in: fixture)) == !counts)
    }

    @Test("are void when their session is, even if it was valid a moment ago")
    func revokedSession() async throws {
        let fixture = try await AccountsFixture { $0.directory.sessionMemory = .seconds(60) }
        let user = fixture.addUser("alice")
        let token = fixture.addSession(of: user)
        let hash = SessionTokens.hash(of: token)
        let identity = Identity(user: user, credential: .session(hash, expires: fixture.clock.milliseconds + 3_600_000))
        let ticket = try await fixture.services.tickets.issue(for: identity)
        _ = try await fixture.directory.session(hash)
        fixture.store.edit { $0.sessions[hash] = nil }
        #expect(isUnauthorized(await redeem(ticket, in: fixture)))
        #expect(fixture.ticketStore.count == 0)
    }

    @Test("are void if the session belongs to another user")
    func foreignSession() async throws {
        let fixture = try await AccountsFixture()
        let hash = SessionTokens.hash(of: fixture.addSession(of: fixture.addUser("bob")))
        let identity = Identity(user: fixture.addUser("alice"), credential: .session(hash, expires: .max))
        let ticket = try await fixture.services.tickets.issue(for: identity)
        #expect(isUnauthorized(await redeem(ticket, in: fixture)))
    }

    @Test("are not used up while the store is unavailable")
    func storeAway() async throws {
        let fixture = try await AccountsFixture()
        let user = fixture.addUser("alice")
        let hash = SessionTokens.hash(of: fixture.addSession(of: user))
        let end = fixture.clock.milliseconds + 3_600_000
        let ticket = try await fixture.services.tickets.issue(
            for: Identity(user: user, credential: .session(hash, expires: end)))
        fixture.store.edit { $0.failure = .unavailable("away") }
        guard case .failure(.unavailable) = await redeem(ticket, in: fixture) else {
            Issue.record("not unavailable")
            return
        }
        fixture.store.edit { $0.failure = nil }
        #expect(!isUnauthorized(await redeem(ticket, in: fixture)))
    }

    @Test("are rejected with any bit changed, cut, lengthened, or made with another secret")
    func forged() async throws {
        let fixture = try await AccountsFixture()
        let identity = Identity(user: fixture.addUser("alice"), credential: .password)
        let ticket = try await fixture.services.tickets.issue(for: identity)
        let bytes = try #require(Base64URL.decode(ticket))
        for bit in 0..<(bytes.count * 8) {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(isUnauthorized(await redeem(Base64URL.encode(changed), in: fixture)), "bit \(bit)")
        }
        for length in 0..<bytes.count {
            #expect(
                isUnauthorized(await redeem(Base64URL.encode(bytes.prefix(length)), in: fixture)), "\(length) bytes")
        }
        for text in ["", "a.b.c", "{}", ticket + "=", ticket + "A", String(repeating: "A", count: 5000)] {
            #expect(isUnauthorized(await redeem(text, in: fixture)))
        }
        let other = try await AccountsFixture { $0.secret = Secret(text: "another secret of these tests, 32 bytes") }
        other.addUser("alice")
        let foreign = try await other.services.tickets.issue(for: identity)
        #expect(isUnauthorized(await redeem(foreign, in: fixture)))
        #expect(!isUnauthorized(await redeem(ticket, in: fixture)))
    }

    @Test("need a secret of 32 bytes", arguments: [(31, false), (32, true)])
    func secret(bytes: Int, isAllowed: Bool) async throws {
        let secret = Secret(bytes: Array(repeating: 7, count: bytes))
        do {
            _ = try await AccountsFixture { $0.secret = secret }
            #expect(isAllowed)
        } catch let violation as SettingError {
            #expect(!isAllowed)
            #expect(violation.setting == "PARLEY_SECRET")
        }
    }
}
