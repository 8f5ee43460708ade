import Foundation
import ParleyAccounts
import ParleyModel
import ParleyTestContracts
import Testing

@Suite("Suspended users", .timeLimit(.minutes(5)))
struct SuspensionTests {
    /// Credentials of a user; `{name}` stands for one of the test's.
    struct Kind: Sendable, CustomStringConvertible {
        let description: String
        let presented: @Sendable (AccountsFixture, User) async throws -> PresentedCredentials
    }

    static let kinds = [
        Kind(description: "session cookie") { fixture, user in
            PresentedCredentials(cookies: ["sessionid=\(fixture.addSession(of: user))"], address: "a")
        },
        Kind(description: "session as a token") { fixture, user in
            PresentedCredentials(authorization: "Bearer \(fixture.addSession(of: user))", address: "a")
        },
        Kind(description: "JWT") { _, user in
            let token = try await JWTIssuer().token(.hs256, claims: #"{"sub":"\#(user.id)"}"#)
            return PresentedCredentials(authorization: "Bearer \(token)", address: "a")
        },
        Kind(description: "API key acting by id") { _, user in
            PresentedCredentials(authorization: "Bearer pk_right", actingUser: "id:\(user.id)", address: "a")
        },
        Kind(description: "API key acting by name") { _, user in
            PresentedCredentials(authorization: "Bearer pk_right", actingUser: user.name, address: "a")
        },
        Kind(description: "Basic") { _, user in
            let basic = Data("\(user.name):correct horse".utf8).base64EncodedString()
            return PresentedCredentials(authorization: "Basic \(basic)", address: "a")
        },
        Kind(description: "session of Django") { _, _ in
            PresentedCredentials(authorization: "Bearer \(TestSite.erin)", address: "a")
        },
    ]

    private func fixture() async throws -> AccountsFixture {
        let clock = TestClock()
        return try await AccountsFixture(clock: clock, djangoSite: TestSite(clock: clock)) {
            $0.django = try TestSite.settings()
            $0.apiKeys = try APIKeys(parsing: "django:pk_right")
            $0.jwt = JWTSettings(hs256Key: JWTIssuer.hs256Key)
            // Remembered look-ups must not hide the changes of this test.
            $0.directory.memory = .zero
        }
    }

    @Test("every kind of credentials is refused with the suspension, until its end", arguments: kinds)
    func refused(_ kind: Kind) async throws {
        let fixture = try await fixture()
        let erin = fixture.addUser("erin")
        let bob = fixture.addUser("bob")
        let presented = try await kind.presented(fixture, erin)
        func isAccepted() async -> Bool {
            if case .success(.user(let identity)) = await fixture.authenticate(presented) {
                identity.user == erin
            } else {
                false
            }
        }
        #expect(await isAccepted())
        let suspension = Suspension(until: fixture.clock.milliseconds + 1_000, reason: "spam")
        fixture.store.edit { $0.suspensions[bob.id] = Suspension() }
        #expect(await isAccepted())
        fixture.store.edit { $0.suspensions[erin.id] = suspension }
        #expect(await fixture.authenticate(presented) == .failure(.suspended(suspension)))
        fixture.clock.advance(milliseconds: 999)
        #expect(await fixture.authenticate(presented) == .failure(.suspended(suspension)))
        fixture.clock.advance(milliseconds: 1)
        #expect(await isAccepted())
        fixture.store.edit { $0.suspensions[erin.id] = Suspension() }
        #expect(await fixture.authenticate(presented) == .failure(.suspended(Suspension())))
    }

    @Test("a login tells only the right password of the suspension")
    func logIn() async throws {
        let fixture = try await fixture()
        let ann = fixture.addUser("ann")
        fixture.store.edit { $0.suspensions[ann.id] = Suspension(reason: "spam") }
        await #expect(throws: AccountError.suspended(Suspension(reason: "spam"))) {
            try await fixture.services.login.logIn(username: "ann", password: "correct horse", address: "a")
        }
        await #expect(throws: AccountError.wrongCredentials) {
            try await fixture.services.login.logIn(username: "ann", password: "wrong horse", address: "a")
        }
        await #expect(throws: AccountError.nameTaken) {
            try await fixture.services.login.signUp(username: "ann", password: "correct horse", address: "a")
        }
        #expect(fixture.store.edit { $0.sessions.isEmpty })
        fixture.store.edit { $0.suspensions[ann.id] = nil }
        let login = try await fixture.services.login.logIn(username: "ann", password: "correct horse", address: "a")
        #expect(login.user == ann)
    }

    @Test("the text for the user has the end and the reason, if there are any")
    func texts() {
        #expect(Suspension().explanation == "this account is suspended")
        #expect(Suspension(reason: "spam").explanation == "this account is suspended: spam")
        #expect(
            Suspension(until: 1_795_255_800_123, reason: "spam").explanation
                == "this account is suspended until 2026-11-21T10:10:00Z: spam")
    }

    @Test("a suspension ends at its time, and not before")
    func end() {
        #expect(Suspension(until: 5).isInForce(at: 4))
        #expect(!Suspension(until: 5).isInForce(at: 5))
        #expect(Suspension().isInForce(at: .max))
    }
}
