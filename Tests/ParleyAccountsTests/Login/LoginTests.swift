import ParleyAccounts
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("Sign-up, login and logout", .timeLimit(.minutes(5)))
struct LoginTests {
    private func failure(_ body: () async throws(AccountError) -> Void) async -> AccountError? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test("signing up creates a user, a password and a session")
    func signUp() async throws {
        let fixture = try await AccountsFixture()
        let (user, token) = try await fixture.services.login.signUp(
            username: "ﬁsh", password: "correct horse", address: "192.0.2.1")
        #expect(user.name == "fish")
        let session = try #require(fixture.store.edit { $0.sessions[SessionTokens.hash(of: token)] })
        #expect(session.user == user)
        #expect(session.expires == fixture.clock.milliseconds + 14 * 24 * 3600 * 1000)
        let stored = try #require(fixture.store.edit { $0.hashes[user.id] })
        #expect(stored.hasPrefix("pbkdf2_sha256$10$"))
        // Another spelling of the same name is the same user.
        let again = try await fixture.services.login.logIn(
            username: "fish", password: "correct horse", address: "192.0.2.1")
        #expect(again.user == user)
        #expect(again.sessionToken != token)
    }

    @Test(
        "nobody signs up under a name that is always an id here",
        arguments: [
            "921894", "９21894", "0", "0190b7c179b07cc398c4dc0c0c07398f", "0190B7C1-79B0-7CC3-98C4-DC0C0C07398F",
        ])
    func ids(name: String) async throws {
        let fixture = try await AccountsFixture()
        let error = await failure { () async throws(AccountError) in
            _ = try await fixture.services.login.signUp(username: name, password: "correct horse", address: "a")
        }
        #expect(error == .badInput(UsernameRules.idExplanation))
        // A site whose ids have another form says so.
        let other = try await AccountsFixture { $0.idForm = try #require(UserIDForm("emp-*")) }
        _ = try await other.services.login.signUp(username: name, password: "correct horse", address: "a")
        let refused = await failure { () async throws(AccountError) in
            _ = try await other.services.login.signUp(username: "emp-7", password: "correct horse", address: "a")
        }
        #expect(refused == .badInput(UsernameRules.idExplanation))
    }

    @Test("nobody signs up under a name that people would take for a user's or an operator's")
    func lookAlikes() async throws {
        let fixture = try await AccountsFixture { $0.admins = ["boss"] }
        fixture.addUser("alice")
        fixture.addUser("modem")
        let login = fixture.services.login
        for name in ["Alice", "аlice", "ａｌｉｃｅ", "mоdern", "bоss", "BОSS"] {
            let error = await failure { () async throws(AccountError) in
                _ = try await login.signUp(username: name, password: "correct horse", address: "a")
            }
            #expect(error == .nameTaken, "\(name)")
        }
        for name in ["alice\u{3164}", "alice\u{115F}"] {
            let error = await failure { () async throws(AccountError) in
                _ = try await login.signUp(username: name, password: "correct horse", address: "a")
            }
            #expect(error == .badInput(UsernameRules.explanation), "\(name)")
        }
        _ = try await login.signUp(username: "modern", password: "correct horse", address: "a")
    }

    @Test("a login whose password is replaced during the check creates no session")
    func overtaken() async throws {
        let fixture = try await AccountsFixture()
        let alice = fixture.addUser("alice")
        fixture.store.edit { $0.afterCredentials = { $0.credentialsVersions[alice.id, default: 0] += 1 } }
        let error = await failure { () async throws(AccountError) in
            _ = try await fixture.services.login.logIn(username: "alice", password: "correct horse", address: "a")
        }
        #expect(error == .wrongCredentials)
        #expect(fixture.store.edit { $0.sessions.isEmpty })
    }

    @Test("a change needs the old password if there is one, except with an API key")
    func confirm() async throws {
        let fixture = try await AccountsFixture()
        let (alice, bob) = (fixture.addUser("alice"), fixture.addUser("bob"))
        fixture.store.edit { $0.hashes[bob.id] = nil }
        func confirm(
            _ user: User, _ credential: Identity.Credential, _ password: String?
        ) async -> AccountError? {
            await failure { () async throws(AccountError) in
                _ = try await fixture.services.login.confirm(
                    Identity(user: user, credential: credential), oldPassword: password, address: "a")
            }
        }
        for credential in [.session(TokenHash("x"), expires: nil), .jwt(expires: nil), .password]
            as [Identity.Credential]
        {
            #expect(await confirm(alice, credential, "correct horse") == nil)
            #expect(await confirm(alice, credential, "wrong horse") == .wrongCredentials)
            #expect(await confirm(alice, credential, nil) == .wrongCredentials)
            #expect(await confirm(bob, credential, nil) == nil)
        }
        #expect(await confirm(alice, .apiKey(name: "site", hash: TokenHash("site")), nil) == nil)
        // Another user has the name meanwhile.
        let other = User(id: UserID(trusted: "other"), name: "alice")
        #expect(await confirm(other, .jwt(expires: nil), "correct horse") == .wrongCredentials)
    }

    @Test("a name can be taken once")
    func nameTaken() async throws {
        let fixture = try await AccountsFixture()
        fixture.addUser("alice")
        fixture.store.edit { $0.takenNames = ["bob"] }
        for name in ["alice", "ａlice", "bob"] {
            let error = await failure { () async throws(AccountError) in
                _ = try await fixture.services.login.signUp(username: name, password: "correct horse", address: "a")
            }
            #expect(error == .nameTaken)
        }
    }

    @Test(
        "bad input is explained",
        arguments: [("", "12345678"), ("a b", "12345678"), ("alice", "1234567"), ("alice", "")])
    func badInput(username: String, password: String) async throws {
        let fixture = try await AccountsFixture()
        let error = await failure { () async throws(AccountError) in
            _ = try await fixture.services.login.signUp(username: username, password: password, address: "a")
        }
        guard case .badInput(let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!text.isEmpty)
    }

    @Test("sign-up can be disabled")
    func closed() async throws {
        let fixture = try await AccountsFixture { $0.allowsSignup = false }
        let error = await failure { () async throws(AccountError) in
            _ = try await fixture.services.login.signUp(username: "alice", password: "correct horse", address: "a")
        }
        #expect(error == .signupClosed)
    }

    @Test(
        "a wrong name and a wrong password give the same error",
        arguments: [
            ("alice", "wrong"), ("alice", ""), ("nobody", "correct horse"), ("", ""), ("a b", "x"),
            ("alice", String(repeating: "x", count: 5000)), ("unusable", ""), ("passwordless", ""),
        ])
    func wrong(username: String, password: String) async throws {
        let fixture = try await AccountsFixture()
        fixture.addUser("alice")
        let unusable = fixture.addUser("unusable")
        let passwordless = fixture.addUser("passwordless")
        fixture.store.edit {
            $0.hashes[unusable.id] = "!"
            $0.hashes[passwordless.id] = nil
        }
        let error = await failure { () async throws(AccountError) in
            _ = try await fixture.services.login.logIn(username: username, password: password, address: "a")
        }
        #expect(error == .wrongCredentials)
    }

    @Test("after 10 failures the account's right password is rejected too, until the window closes")
    func throttled() async throws {
        let fixture = try await AccountsFixture()
        fixture.addUser("alice")
        fixture.addUser("bob")
        func logIn(_ name: String, _ password: String) async -> AccountError? {
            await failure { () async throws(AccountError) in
                _ = try await fixture.services.login.logIn(username: name, password: password, address: "192.0.2.1")
            }
        }
        for _ in 0..<9 { #expect(await logIn("alice", "wrong") == .wrongCredentials) }
        #expect(await logIn("alice", "correct horse") == nil)
        #expect(await logIn("alice", "wrong") == .wrongCredentials)
        #expect(await logIn("alice", "correct horse") == .rateLimited(retryAfterSeconds: 60))
        #expect(await logIn("bob", "correct horse") == nil)
        fixture.clock.advance(milliseconds: 60_000)
        #expect(await logIn("alice", "correct horse") == nil)
    }

    @Test("failures count over all nodes, and locally while the store is unavailable", arguments: [false, true])
    func throttledEverywhere(isAway: Bool) async throws {
        let rates = TestRates()
        let nodes = [try await AccountsFixture(rates: rates), try await AccountsFixture(rates: rates)]
        for node in nodes { node.addUser("alice") }
        rates.setAway(isAway)
        func logIn(_ node: AccountsFixture, _ password: String) async -> AccountError? {
            await failure { () async throws(AccountError) in
                _ = try await node.services.login.logIn(
                    username: "alice", password: password, address: "192.0.2.1")
            }
        }
        for number in 0..<10 { #expect(await logIn(nodes[number % 2], "wrong") == .wrongCredentials) }
        for node in nodes {
            #expect(await logIn(node, "correct horse") == (isAway ? nil : .rateLimited(retryAfterSeconds: 60)))
            for _ in 0..<5 { _ = await logIn(node, "wrong") }
            #expect(await logIn(node, "correct horse") == .rateLimited(retryAfterSeconds: 60))
            node.clock.advance(milliseconds: 59_999)
            #expect(await logIn(node, "correct horse") == .rateLimited(retryAfterSeconds: 1))
        }
    }

    @Test("parallel guesses get no further than sequential ones")
    func throttledInParallel() async throws {
        let fixture = try await AccountsFixture()
        fixture.addUser("alice")
        let outcomes = await withTaskGroup(of: AccountError?.self) { group in
            for index in 0..<100 {
                group.addTask {
                    await failure { () async throws(AccountError) in
                        _ = try await fixture.services.login.logIn(
                            username: "alice", password: "wrong\(index)", address: "192.0.2.1")
                    }
                }
            }
            return await group.reduce(into: [AccountError?]()) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == .wrongCredentials } == 10)
        #expect(outcomes.count { $0 == .rateLimited(retryAfterSeconds: 60) } == 90)
    }

    @Test("an unavailable store and stopped workers are reported as unavailable")
    func unavailable() async throws {
        let fixture = try await AccountsFixture()
        fixture.addUser("alice")
        func isUnavailable(_ body: () async throws(AccountError) -> Void) async -> Bool {
            if case .unavailable = await failure(body) { true } else { false }
        }
        fixture.store.edit { $0.failure = .unavailable("away") }
        #expect(
            await isUnavailable { () async throws(AccountError) in
                _ = try await fixture.services.login.logIn(username: "alice", password: "correct horse", address: "a")
            })
        #expect(
            await isUnavailable { () async throws(AccountError) in
                _ = try await fixture.services.login.signUp(username: "bob", password: "correct horse", address: "a")
            })
        fixture.store.edit { $0.failure = nil }
        await fixture.services.workers.shutDown()
        #expect(
            await isUnavailable { () async throws(AccountError) in
                _ = try await fixture.services.login.logIn(username: "alice", password: "correct horse", address: "a")
            })
    }
}
