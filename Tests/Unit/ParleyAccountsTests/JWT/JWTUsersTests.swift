import Logging
import ParleyAccounts
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("The user of a JWT", .timeLimit(.minutes(5)))
struct JWTUsersTests {
    private func fixture(creating: Bool = true) async throws -> AccountsFixture {
        try await AccountsFixture {
            $0.jwt = JWTSettings(hs256Key: JWTIssuer.hs256Key)
            $0.jwt?.createsUsers = creating
        }
    }

    private func user(_ claims: String, in fixture: AccountsFixture) async throws -> User? {
        let token = try await JWTIssuer().token(.hs256, claims: claims)
        let result = await fixture.authenticate(PresentedCredentials(authorization: "Bearer \(token)", address: "a"))
        guard case .success(.user(let identity)) = result else { return nil }
        return identity.user
    }

    @Test("is created at first contact, with sub as id and a name from the token")
    func created() async throws {
        let fixture = try await fixture()
        let alice = try await user(#"{"sub":"42","preferred_username":"alice"}"#, in: fixture)
        #expect(alice == User(id: UserID(trusted: "42"), name: "alice"))
        #expect(try await user(#"{"sub":"42","preferred_username":"renamed"}"#, in: fixture) == alice)
        #expect(fixture.store.edit { $0.hashes[UserID(trusted: "42")] } == nil, "there is a password")
        #expect(try await user(#"{"sub":"bob"}"#, in: fixture) == User(id: UserID(trusted: "bob"), name: "bob"))
    }

    @Test("has a stable, distinct id if sub is not a valid id")
    func oddSubject() async throws {
        let fixture = try await fixture()
        let odd = try #require(try await user(#"{"sub":"auth0|7","preferred_username":"a b"}"#, in: fixture))
        #expect(odd.id == JWTUsers.id(of: "auth0|7"))
        #expect(odd.id.text.hasPrefix("jwt."))
        #expect(odd.id != JWTUsers.id(of: "auth0|8"))
        #expect(UsernameRules.normalized(odd.name) == odd.name)
        #expect(try await user(#"{"sub":"auth0|7"}"#, in: fixture) == odd)
        let mail = try #require(try await user(#"{"sub":"eva@example.org"}"#, in: fixture))
        #expect(mail.name == "eva@example.org")
    }

    @Test("gets a name with a suffix if it is taken, never another's account")
    func nameTaken() async throws {
        let fixture = try await fixture()
        let first = fixture.addUser("alice")
        let second = try #require(try await user(#"{"sub":"42","preferred_username":"alice"}"#, in: fixture))
        #expect(second.id != first.id)
        #expect(second.name.hasPrefix("alice-"))
        let long = String(repeating: "ä", count: 150)
        fixture.addUser(long, id: "long")
        let third = try #require(try await user(#"{"sub":"43","preferred_username":"\#(long)"}"#, in: fixture))
        #expect(third.name.unicodeScalars.count == 150)
    }

    @Test("never gets the name of an operator, in whatever width or case", arguments: ["root", "ROOT", "ｒoot"])
    func operatorsName(name: String) async throws {
        let fixture = try await AccountsFixture {
            $0.jwt = JWTSettings(hs256Key: JWTIssuer.hs256Key)
            $0.jwt?.createsUsers = true
            $0.admins = ["root"]
        }
        let user = try #require(try await user(#"{"sub":"42","preferred_username":"\#(name)"}"#, in: fixture))
        #expect(user.name.lowercased().hasPrefix("root-"))
        #expect(fixture.store.edit { $0.origins[user.id] } == .jwt)
    }

    @Test(
        "is an operator by exactly the configured claim",
        arguments: [
            ("staff", #""staff":true"#, true), ("staff", #""staff":false"#, false),
            ("staff", #""staff":"true""#, false),
            ("staff", #""staff":1"#, false), ("staff", #""staff":["staff"]"#, false),
            ("staff", #""Staff":true"#, false),
            ("staff", #""x":{"staff":true}"#, false), ("staff", #""x":1"#, false),
            ("roles=ops", #""roles":"ops""#, true), ("roles=ops", #""roles":["a","ops"]"#, true),
            ("roles=ops", #""roles":"ops2""#, false), ("roles=ops", #""roles":["Ops","op","ｏps"]"#, false),
            ("roles=ops", #""roles":true"#, false), ("roles=ops", #""roles":[["ops"]]"#, false),
            ("roles=ops", #""roles":["ops",1]"#, false), ("roles=ops", #""roles":{"ops":true}"#, false),
            ("roles=ops", #""roles":null"#, false), ("roles=a=b", #""roles":"a=b""#, true),
            ("https://x.example/roles=ops", #""https://x.example/roles":["ops"]"#, true),
            (nil, #""staff":true,"roles":"ops""#, false),
        ] as [(String?, String, Bool)])
    func operatorClaim(setting: String?, claim: String, isOperator: Bool) async throws {
        let fixture = try await AccountsFixture {
            $0.jwt = JWTSettings(hs256Key: JWTIssuer.hs256Key)
            $0.jwt?.operatorClaim = setting.flatMap { OperatorClaim($0) }
        }
        let alice = fixture.addUser("alice", id: "42")
        let token = try await JWTIssuer().token(.hs256, claims: #"{"sub":"42",\#(claim)}"#)
        let result = await fixture.authenticate(PresentedCredentials(authorization: "Bearer \(token)", address: "a"))
        guard case .success(.user(let identity)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(identity.user == alice)
        #expect(identity.isOperatorByCredential == isOperator)
        // Credentials issued for the token do not inherit its rights.
        let ticket = try await fixture.services.tickets.issue(for: identity)
        let second = await fixture.authenticate(PresentedCredentials(ticket: ticket, address: "a"))
        guard case .success(.user(let bearer)) = second else {
            Issue.record("\(second)")
            return
        }
        #expect(!bearer.isOperatorByCredential)
    }

    @Test("the operator claim needs a name, and a value after an =", arguments: ["", "=", "=x", "x="])
    func badClaim(text: String) {
        #expect(OperatorClaim(text) == nil)
        #expect(OperatorClaim(String(repeating: "x", count: 1025)) == nil)
    }

    @Test("is the one that another node creates concurrently")
    func race() async throws {
        let fixture = try await fixture()
        // The lookup finds nobody, the creation finds the id taken: the gate blocks the lookup after its read.
        let gate = Gate()
        let store = TestStore(gate: gate)
        let directory = BatchedDirectory(store, clock: fixture.clock.wall)
        let made = User(id: UserID(trusted: "42"), name: "other")
        let verifier = try await JWTVerifier(
            settings: JWTSettings(hs256Key: JWTIssuer.hs256Key), logger: .init(label: "test"))
        let firstContact = FirstContact(
            origin: .jwt, accounts: store, directory: directory, logger: .init(label: "test"))
        let users = JWTUsers(
            verifier: verifier, directory: directory, firstContact: firstContact, clock: fixture.clock.wall,
            logger: .init(label: "test"))
        let token = try await JWTIssuer().token(.hs256, claims: #"{"sub":"42"}"#)
        async let identity = users.identity(of: token)
        #expect(try await eventually { gate.waitingCount == 1 })
        store.edit { $0.users[made.id] = made }
        gate.open()
        #expect(try await identity.user == made)
    }

    @Test("is rejected if creation of users is disabled")
    func notCreated() async throws {
        let fixture = try await fixture(creating: false)
        #expect(try await user(#"{"sub":"42"}"#, in: fixture) == nil)
        fixture.addUser("alice", id: "42")
        #expect(try await user(#"{"sub":"42"}"#, in: fixture)?.name == "alice")
    }
}
