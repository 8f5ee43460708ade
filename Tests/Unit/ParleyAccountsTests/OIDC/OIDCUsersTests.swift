import Foundation
import ParleyAccounts
import ParleyModel
import ParleyTestContracts
import Testing

@Suite("The user of a login at an OpenID provider", .timeLimit(.minutes(5)))
struct OIDCUsersTests {
    @Test("is the same at every login, whatever the provider calls them then")
    func same() async throws {
        let fixture = try await OIDCFixture()
        let alice = try await fixture.logIn().login.user
        #expect(alice.name == "alice")
        #expect(alice.id.text.hasPrefix("oidc."))
        fixture.provider.edit { $0.claims = ["preferred_username": #""renamed""#] }
        #expect(try await fixture.logIn().login.user == alice)
        fixture.provider.edit { $0.claims = ["sub": #""18""#] }
        let other = try await fixture.logIn().login.user
        #expect(other.id != alice.id)
        #expect(other.name.hasPrefix("alice-"))
        #expect(fixture.accounts.store.edit { $0.hashes[alice.id] } == nil, "there is a password")
    }

    @Test("differs between issuers with the same sub")
    func issuers() async throws {
        let fixture = try await OIDCFixture()
        let other = try await OIDCFixture {
            $0.oidc?.issuer = try #require(ProviderAddress("https://id.example/2"))
        }
        other.provider.edit {
            $0.document["issuer"] = #""https://id.example/2""#
            $0.claims = ["iss": #""https://id.example/2""#]
        }
        let first = try await fixture.logIn().login.user
        #expect(try await other.logIn().login.user.id != first.id)
    }

    @Test(
        "never becomes somebody who has the name, looks like it, or is an operator",
        arguments: [
            ("bob", "bob-"), ("Bob", "Bob-"), ("b\u{043E}b", "b\u{043E}b-"), ("root", "root-"), ("ROOT", "ROOT-"),
            ("12345", "user-"), ("0190a5a2-7c1e-7bbb-8000-000000000001", "user-"), ("a b", "user-"), ("", "user-"),
            ("a\u{200B}b", "user-"), ("carol", "carol"),
        ])
    func names(name: String, result: String) async throws {
        let fixture = try await OIDCFixture { $0.admins = ["root"] }
        let bob = fixture.accounts.addUser("bob")
        fixture.provider.edit {
            $0.claims = ["preferred_username": "\"\(name)\"", "sub": #""s 1""#]
            $0.userInfo = #"{"sub":"s 1"}"#
        }
        let user = try await fixture.logIn().login.user
        #expect(user.id != bob.id)
        #expect(user.name.hasPrefix(result), "\(user.name)")
        #expect(UsernameRules.chosen(user.name) == user.name)
        #expect(try await fixture.logIn().login.user == user)
    }

    @Test("has the name of another claim, or of the user info, or sub")
    func claims() async throws {
        let mail = try await OIDCFixture { $0.oidc?.usernameClaim = "email" }
        mail.provider.edit { $0.claims = ["email": #""eve@example.org""#] }
        #expect(try await mail.logIn().login.user.name == "eve@example.org")
        #expect(!mail.provider.asked().contains("/me"))

        let info = try await OIDCFixture()
        info.provider.edit {
            $0.claims = ["preferred_username": ""]
            $0.userInfo = #"{"sub":"17","preferred_username":"dave"}"#
        }
        #expect(try await info.logIn().login.user.name == "dave")
        #expect(info.provider.edit { $0.requests.last?.authorization } == "Bearer at")

        let sub = try await OIDCFixture()
        sub.provider.edit { $0.claims = ["preferred_username": "", "sub": #""frank""#] }
        sub.provider.edit { $0.userInfo = #"{"sub":"frank"}"# }
        #expect(try await sub.logIn().login.user.name == "frank")

        let foreign = try await OIDCFixture()
        foreign.provider.edit {
            $0.claims = ["preferred_username": ""]
            $0.userInfo = #"{"sub":"18","preferred_username":"dave"}"#
        }
        #expect(await foreign.failure() == .rejected, "the user info of another user")
    }

    @Test("sets no password, since the provider vouches and nothing else")
    func passwords() async throws {
        let fixture = try await OIDCFixture()
        let login = try await fixture.logIn().login
        let cookie = PresentedCredentials(cookies: ["sessionid=\(login.sessionToken)"], address: "a")
        guard case .success(.user(let identity)) = await fixture.accounts.authenticate(cookie) else {
            Issue.record("the session is not accepted")
            return
        }
        await #expect(throws: AccountError.passwordNotAllowed) {
            try await fixture.accounts.services.login.confirm(identity, oldPassword: nil, address: "a")
        }
    }

    @Test("waits while the store is away, and gets another name if its own is taken at the last moment")
    func store() async throws {
        let fixture = try await OIDCFixture()
        fixture.accounts.store.edit { $0.failure = .unavailable("away") }
        #expect(await fixture.failure() == .unavailable)
        fixture.accounts.store.edit {
            $0.failure = nil
            $0.takenNames = ["alice"]
        }
        let user = try await fixture.logIn().login.user
        #expect(user.name.hasPrefix("alice-"))
    }
}
