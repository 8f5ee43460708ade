import Logging
import ParleyAccounts
import ParleyModel
import Testing

@Suite("Tickets")
struct TicketsTests {
    private func redeem(_ ticket: String, in world: World) async -> Result<Identity, AuthFailure> {
        do {
            return .success(try await world.services.tickets.redeem(ticket))
        } catch {
            return .failure(error)
        }
    }

    private func isUnauthorized(_ result: Result<Identity, AuthFailure>) -> Bool {
        if case .failure(.unauthorized) = result { true } else { false }
    }

    @Test("carry the identity they were issued for, once")
    func once() async throws {
        let world = try await World()
        let user = world.addUser("Zoë", id: "zoe")
        let hash = SessionTokens.hash(of: world.addSession(of: user))
        let end = world.clock.milliseconds + 3_600_000
        let key = TokenHash("key")
        world.store.edit {
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
            let ticket = try await world.services.tickets.issue(for: Identity(user: user, credential: credential))
            let expected = Identity(user: user, credential: redeemed, credentialsVersion: version)
            #expect(try world.services.tickets.read(ticket) == expected)
            #expect(await redeem(ticket, in: world) == .success(expected))
            #expect(isUnauthorized(await redeem(ticket, in: world)), "a ticket counted twice")
        }
    }

    @Test("are void when the credentials version rises, the user is erased or the API key deleted")
    func voidCredentials() async throws {
        let world = try await World()
        let (user, key) = (world.addUser("alice"), TokenHash("key"))
        world.store.edit { $0.apiKeys[key] = APIKeyRecord(name: "stored", hash: key, created: 1) }
        for credential in [Identity.Credential.password, .jwt(expires: nil), .apiKey(name: "stored", hash: key)] {
            let identity = Identity(user: user, credential: credential)
            let ticket = try await world.services.tickets.issue(for: identity)
            world.store.edit { $0.credentialsVersions[user.id, default: 0] += 1 }
            #expect(isUnauthorized(await redeem(ticket, in: world)))
        }
        let identity = Identity(user: user, credential: .apiKey(name: "stored", hash: key))
        let ticket = try await world.services.tickets.issue(for: identity)
        world.store.edit { $0.apiKeys = [:] }
        #expect(isUnauthorized(await redeem(ticket, in: world)))
        // A node that is not configured with the key rejects it.
        let configured = try await World { $0.apiKeys = try APIKeys(parsing: "site:pk_site") }
        configured.store.edit { $0.users[user.id] = user }
        let site = Identity(user: user, credential: .apiKey(name: "site", hash: APIKeys.hash(of: "pk_site")))
        let tickets = configured.services.tickets
        let resume = tickets.issueResume(for: try tickets.read(try await tickets.issue(for: site)))
        #expect(!isUnauthorized(await redeem(resume, in: configured)))
        world.store.edit { $0.credentialsVersions[user.id] = 0 }
        #expect(isUnauthorized(await redeem(resume, in: world)))
        let plain = try await world.services.tickets.issue(for: Identity(user: user, credential: .password))
        world.store.edit { $0.users = [:] }
        #expect(isUnauthorized(await redeem(plain, in: world)))
        await #expect(throws: AuthFailure.self) {
            try await world.services.tickets.issue(for: Identity(user: user, credential: .password))
        }
        #expect(world.ticketStore.count == 0)
    }

    @Test("of an earlier version are valid if they depend on a session, and void if nothing in them can be checked")
    func earlierVersion() async throws {
        let world = try await World()
        let user = world.addUser("alice")
        let token = world.addSession(of: user)
        for (kind, nonce) in [(UInt8(1), 16), (2, 0)] {
            let withSession = world.earlierTicket(kind, nonce: nonce, session: SessionTokens.hash(of: token), user)
            #expect(!isUnauthorized(await redeem(withSession, in: world)))
            let without = world.earlierTicket(kind, nonce: nonce, session: nil, user)
            #expect(isUnauthorized(await redeem(without, in: world)))
        }
    }

    @Test("expire after 30 s", arguments: [(29_999, true), (30_000, false), (90_000, false)])
    func expiry(milliseconds: Int64, counts: Bool) async throws {
        let world = try await World()
        let ticket = try await world.services.tickets.issue(
            for: Identity(user: world.addUser("alice"), credential: .password))
        world.clock.advance(milliseconds: milliseconds)
        #expect(isUnauthorized(await redeem(ticket, in: world)) == !counts)
        #expect(world.services.tickets.lifetimeSeconds == 30)
    }

    @Test("expire with the credential they were issued for", arguments: [(4_999, true), (5_000, false)])
    func credentialExpiry(milliseconds: Int64, counts: Bool) async throws {
        let world = try await World()
        let identity = Identity(
            user: world.addUser("alice"), credential: .jwt(expires: world.clock.milliseconds + 5000))
        let ticket = try await world.services.tickets.issue(for: identity)
        world.clock.advance(milliseconds: milliseconds)
        #expect(isUnauthorized(await redeem(ticket, in: world)) == !counts)
    }

    @Test("are void when their session is, even if it was valid a moment ago")
    func revokedSession() async throws {
        let world = try await World { $0.directory.sessionMemory = .seconds(60) }
        let user = world.addUser("alice")
        let token = world.addSession(of: user)
        let hash = SessionTokens.hash(of: token)
        let identity = Identity(user: user, credential: .session(hash, expires: world.clock.milliseconds + 3_600_000))
        let ticket = try await world.services.tickets.issue(for: identity)
        _ = try await world.directory.session(hash)
        world.store.edit { $0.sessions[hash] = nil }
        #expect(isUnauthorized(await redeem(ticket, in: world)))
        #expect(world.ticketStore.count == 0)
    }

    @Test("are void if the session belongs to another user")
    func foreignSession() async throws {
        let world = try await World()
        let hash = SessionTokens.hash(of: world.addSession(of: world.addUser("bob")))
        let identity = Identity(user: world.addUser("alice"), credential: .session(hash, expires: .max))
        let ticket = try await world.services.tickets.issue(for: identity)
        #expect(isUnauthorized(await redeem(ticket, in: world)))
    }

    @Test("are not used up while the store is unavailable")
    func storeAway() async throws {
        let world = try await World()
        let user = world.addUser("alice")
        let hash = SessionTokens.hash(of: world.addSession(of: user))
        let end = world.clock.milliseconds + 3_600_000
        let ticket = try await world.services.tickets.issue(
            for: Identity(user: user, credential: .session(hash, expires: end)))
        world.store.edit { $0.failure = .unavailable("away") }
        guard case .failure(.unavailable) = await redeem(ticket, in: world) else {
            Issue.record("not unavailable")
            return
        }
        world.store.edit { $0.failure = nil }
        #expect(!isUnauthorized(await redeem(ticket, in: world)))
    }

    @Test("are rejected with any bit changed, cut, lengthened, or made with another secret")
    func forged() async throws {
        let world = try await World()
        let identity = Identity(user: world.addUser("alice"), credential: .password)
        let ticket = try await world.services.tickets.issue(for: identity)
        let bytes = try #require(Base64URL.decode(ticket))
        for bit in 0..<(bytes.count * 8) {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(isUnauthorized(await redeem(Base64URL.encode(changed), in: world)), "bit \(bit)")
        }
        for length in 0..<bytes.count {
            #expect(isUnauthorized(await redeem(Base64URL.encode(bytes.prefix(length)), in: world)), "\(length) bytes")
        }
        for text in ["", "a.b.c", "{}", ticket + "=", ticket + "A", String(repeating: "A", count: 5000)] {
            #expect(isUnauthorized(await redeem(text, in: world)))
        }
        let other = try await World { $0.secret = Secret(text: "another secret of these tests, 32 bytes") }
        other.addUser("alice")
        let foreign = try await other.services.tickets.issue(for: identity)
        #expect(isUnauthorized(await redeem(foreign, in: world)))
        #expect(!isUnauthorized(await redeem(ticket, in: world)))
    }

    @Test("need a secret of 32 bytes", arguments: [(31, false), (32, true)])
    func secret(bytes: Int, isAllowed: Bool) async throws {
        let secret = Secret(bytes: Array(repeating: 7, count: bytes))
        do {
            _ = try await World { $0.secret = secret }
            #expect(isAllowed)
        } catch let violation as SettingError {
            #expect(!isAllowed)
            #expect(violation.setting == "PARLEY_SECRET")
        }
    }
}
