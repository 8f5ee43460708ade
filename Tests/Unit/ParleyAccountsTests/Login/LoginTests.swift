import ParleyAccounts
import ParleyModel
import ParleyTestContracts
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
        let login = try await fixture.services.login.signUp(
            username: "ﬁsh", password: "correct horse", address: "192.0.2.1")
        let (user, token) = (login.user, login.sessionToken)
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

    @Test("who has logged in changes the password with the old one; a JWT and an API key set none")
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
        for credential in [.session(TokenHash("x"), expires: nil), .password] as [Identity.Credential] {
            #expect(await confirm(alice, credential, "correct horse") == nil)
            #expect(await confirm(alice, credential, "wrong horse") == .wrongCredentials)
            #expect(await confirm(alice, credential, nil) == .wrongCredentials)
            #expect(await confirm(bob, credential, nil) == .passwordNotAllowed)
        }
        let django = TokenHash(TokenHash.foreignPrefix + "x")
        for credential in [
            .jwt(expires: nil), .apiKey(name: "site", hash: TokenHash("site")), .session(django, expires: nil),
            .ticket(session: nil, expires: 5), .ticket(session: nil, apiKey: TokenHash("site"), expires: nil),
            .ticket(session: django, expires: nil),
        ] as [Identity.Credential] {
            #expect(await confirm(alice, credential, "correct horse") == .passwordNotAllowed)
            #expect(await confirm(bob, credential, nil) == .passwordNotAllowed)
        }
        #expect(await confirm(alice, .ticket(session: TokenHash("x"), expires: nil), "correct horse") == nil)
        // Another user has the name meanwhile.
        let other = User(id: UserID(trusted: "other"), name: "alice")
        #expect(await confirm(other, .password, "correct horse") == .wrongCredentials)
    }

    @Test("a setting lets a JWT and an API key set a password: a JWT with the old one if there is one")
    func tokenPasswords() async throws {
        let fixture = try await AccountsFixture { $0.allowsTokenPasswords = true }
        let (alice, bob) = (fixture.addUser("alice"), fixture.addUser("bob"))
        fixture.store.edit { $0.hashes[bob.id] = nil }
        let key = Identity.Credential.apiKey(name: "site", hash: TokenHash("site"))
        let cases: [(User, Identity.Credential, String?, AccountError?)] = [
            (alice, key, nil, nil), (bob, key, nil, nil), (bob, .jwt(expires: nil), nil, nil),
            (alice, .jwt(expires: nil), nil, .wrongCredentials), (alice, .jwt(expires: nil), "correct horse", nil),
        ]
        for (user, credential, password, expected) in cases {
            let error = await failure { () async throws(AccountError) in
                _ = try await fixture.services.login.confirm(
                    Identity(user: user, credential: credential), oldPassword: password, address: "a")
            }
            #expect(error == expected)
        }
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

    @Test("ten wrong passwords from elsewhere lock out neither other addresses nor known devices")
    func notLockedOut() async throws {
        let fixture = try await AccountsFixture()
        fixture.addUser("alice")
        let mallory = fixture.addUser("mallory")
        func logIn(
            _ password: String, _ address: String, _ device: String? = nil
        ) async -> Result<NewLogin, AccountError> {
            do {
                return .success(
                    try await fixture.services.login.logIn(
                        username: "alice", password: password, address: address, device: device))
            } catch { return .failure(error) }
        }
        func isIn(_ address: String, _ device: String? = nil) async -> Bool {
            if case .success = await logIn("correct horse", address, device) { true } else { false }
        }
        let device = try await logIn("correct horse", "192.0.2.1").get().deviceToken
        for _ in 0..<10 { _ = await logIn("wrong", "203.0.113.9") }
        #expect(await !isIn("203.0.113.9"))
        // From the attacker's own address too, as behind one NAT.
        #expect(await isIn("203.0.113.9", device))
        #expect(await isIn("192.0.2.2"))
        for number in 0..<100 { _ = await logIn("wrong", "198.51.100.\(number)") }
        #expect(await !isIn("192.0.2.2"))
        #expect(await isIn("192.0.2.2", device))
        // Guesses of the device itself are bounded, and no other token helps.
        for _ in 0..<10 { _ = await logIn("wrong", "192.0.2.1", device) }
        #expect(await !isIn("192.0.2.1", device))
        let other = try await fixture.services.login.logIn(
            username: mallory.name, password: "correct horse", address: "203.0.113.9"
        ).deviceToken
        for forged in [other, device + "A", String(device.dropLast()), "", "x"] {
            #expect(await !isIn("192.0.2.2", forged))
        }
    }

    @Test("a device stays known over logins, until the credentials change or it has not been used for long")
    func knownDevice() async throws {
        let fixture = try await AccountsFixture()
        let alice = fixture.addUser("alice")
        func logIn(_ device: String?) async throws -> String {
            try await fixture.services.login.logIn(
                username: "alice", password: "correct horse", address: "192.0.2.1", device: device
            ).deviceToken
        }
        func isKnown(_ device: String) async throws -> Bool {
            // Whether it counts for itself: the address is at its limit.
            for number in 0..<30 {
                await #expect(throws: AccountError.self) {
                    try await fixture.services.login.logIn(
                        username: "user\(number)", password: "wrong", address: "192.0.2.1")
                }
            }
            defer { fixture.clock.advance(milliseconds: 60_000) }
            do {
                _ = try await logIn(device)
                return true
            } catch AccountError.rateLimited {
                return false
            }
        }
        let first = try await logIn(nil)
        fixture.clock.advance(milliseconds: 200 * 86_400_000)
        let second = try await logIn(first)
        #expect(try await isKnown(second))
        fixture.clock.advance(milliseconds: 200 * 86_400_000)
        #expect(try await !isKnown(first))
        #expect(try await isKnown(second))
        fixture.store.edit { $0.credentialsVersions[alice.id, default: 0] += 1 }
        #expect(try await !isKnown(second))
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
