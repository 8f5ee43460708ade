import Logging
import ParleyAccounts
import ParleyModel
import Testing

@Suite("Resume tickets")
struct ResumeTicketsTests {
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

    /// A user with a session, and a resume ticket made with it.
    private func ticket(
        in world: World, seconds: Int64 = 3600
    ) -> (text: String, identity: Identity, token: String, hash: TokenHash) {
        let user = world.addUser("alice")
        let token = world.addSession(of: user, seconds: seconds)
        let hash = SessionTokens.hash(of: token)
        let identity = Identity(
            user: user, credential: .session(hash, expires: world.clock.milliseconds + seconds * 1000))
        return (world.services.tickets.issueResume(for: identity), identity, token, hash)
    }

    @Test("can be used repeatedly, on every node that has the session in its store")
    func again() async throws {
        let world = try await World()
        let ticket = ticket(in: world)
        let other = try await World()
        let session = world.store.edit { $0.sessions[ticket.hash] }
        other.store.edit { $0.sessions[ticket.hash] = session }
        for round in 1...3 {
            for node in [world, other] {
                let expected = Identity(
                    user: ticket.identity.user,
                    credential: .ticket(session: ticket.hash, expires: ticket.identity.expires))
                #expect(await redeem(ticket.text, in: node) == .success(expected))
                #expect(node.store.queryCount == round, "one look-up for each")
            }
        }
        #expect(world.ticketStore.count == 0)
    }

    @Test("expire after 10 minutes, or after the configured time", arguments: [(600, 600), (60, 60), (10_000, 600)])
    func expiry(setting: Int64, seconds: Int64) async throws {
        let world = try await World { $0.resumeTicketLifetime = .seconds(setting) }
        let ticket = ticket(in: world)
        world.clock.advance(milliseconds: seconds * 1000 - 1)
        #expect(!isUnauthorized(await redeem(ticket.text, in: world)))
        world.clock.advance(milliseconds: 1)
        #expect(isUnauthorized(await redeem(ticket.text, in: world)))
    }

    @Test("expire with the credential they were issued for, through any number of tickets")
    func credentialExpiry() async throws {
        let world = try await World()
        var ticket = ticket(in: world, seconds: 1500).text
        for _ in 0..<2 {
            world.clock.advance(milliseconds: 500_000)
            ticket = world.services.tickets.issueResume(for: try await redeem(ticket, in: world).get())
        }
        world.clock.advance(milliseconds: 499_999)
        #expect(!isUnauthorized(await redeem(ticket, in: world)))
        world.clock.advance(milliseconds: 1)
        #expect(isUnauthorized(await redeem(ticket, in: world)))
    }

    @Test(
        "issued without a session or expiry end after a day, through any number of tickets",
        arguments: [Identity.Credential.password, .apiKey(name: "django", hash: TokenHash("d")), .jwt(expires: nil)])
    func chain(_ credential: Identity.Credential) async throws {
        let (world, key) = (try await World(), TokenHash("d"))
        world.store.edit { $0.apiKeys[key] = APIKeyRecord(name: "django", hash: key, created: 1) }
        let user = world.addUser("alice")
        var ticket = world.services.tickets.issueResume(
            for: Identity(user: user, credential: credential, credentialsVersion: 0))
        for _ in 0..<(24 * 60 / 8 - 1) {
            world.clock.advance(milliseconds: 8 * 60_000)
            ticket = world.services.tickets.issueResume(for: try await redeem(ticket, in: world).get())
        }
        world.clock.advance(milliseconds: 8 * 60_000 - 1)
        #expect(!isUnauthorized(await redeem(ticket, in: world)))
        world.clock.advance(milliseconds: 1)
        #expect(isUnauthorized(await redeem(ticket, in: world)))
    }

    @Test("are void once their user has logged out")
    func logout() async throws {
        let world = try await World()
        let ticket = ticket(in: world)
        #expect(!isUnauthorized(await redeem(ticket.text, in: world)))
        world.store.edit { $0.sessions[ticket.hash] = nil }
        #expect(isUnauthorized(await redeem(ticket.text, in: world)))
    }

    @Test("issued without a session are void when the credentials version rises, and always have a version")
    func version() async throws {
        let world = try await World()
        let user = world.addUser("alice")
        let identity = Identity(user: user, credential: .password, credentialsVersion: 0)
        let ticket = world.services.tickets.issueResume(for: identity)
        #expect(await redeem(ticket, in: world).map(\.credentialsVersion) == .success(0))
        let unchecked = world.services.tickets.issueResume(for: Identity(user: user, credential: .password))
        #expect(isUnauthorized(await redeem(unchecked, in: world)))
        world.store.edit { $0.credentialsVersions[user.id] = 1 }
        #expect(isUnauthorized(await redeem(ticket, in: world)))
    }

    @Test("of an erased user are void, whatever they were issued for")
    func erased() async throws {
        let world = try await World()
        let ticket = ticket(in: world)
        let user = ticket.identity.user
        let plain = world.services.tickets.issueResume(
            for: Identity(user: user, credential: .password, credentialsVersion: 0))
        #expect(!isUnauthorized(await redeem(plain, in: world)))
        world.store.edit {
            $0.users[user.id] = nil
            $0.sessions[ticket.hash] = nil
        }
        for text in [ticket.text, plain] { #expect(isUnauthorized(await redeem(text, in: world))) }
    }

    @Test("are not accepted while the store is unavailable")
    func away() async throws {
        let world = try await World()
        let ticket = ticket(in: world)
        let plain = world.services.tickets.issueResume(
            for: Identity(user: ticket.identity.user, credential: .password, credentialsVersion: 0))
        world.store.edit { $0.failure = .unavailable("away") }
        for text in [ticket.text, plain] {
            guard case .failure(.unavailable) = await redeem(text, in: world) else {
                Issue.record("not unavailable")
                continue
            }
        }
        world.store.edit { $0.failure = nil }
        for text in [ticket.text, plain] { #expect(!isUnauthorized(await redeem(text, in: world))) }
    }

    @Test("cannot be turned into one-time tickets, nor the other way round, by changing any bit")
    func forged() async throws {
        let world = try await World()
        let ticket = ticket(in: world)
        let bytes = try #require(Base64URL.decode(ticket.text))
        for bit in 0..<(bytes.count * 8) {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(isUnauthorized(await redeem(Base64URL.encode(changed), in: world)), "bit \(bit)")
        }
        for length in 0..<bytes.count {
            #expect(isUnauthorized(await redeem(Base64URL.encode(bytes.prefix(length)), in: world)))
        }
        #expect(ticket.text.utf8.count < 300)
    }

    @Test("open a socket as ?ticket= does")
    func authenticator() async throws {
        let world = try await World()
        let ticket = ticket(in: world)
        var presented = PresentedCredentials(address: "192.0.2.1")
        presented.ticket = ticket.text
        let principal = try await world.authenticate(presented).get()
        guard case .user(let identity) = principal else {
            Issue.record("nobody")
            return
        }
        #expect(identity.user == ticket.identity.user)
        #expect(identity.session == ticket.hash)
    }
}
