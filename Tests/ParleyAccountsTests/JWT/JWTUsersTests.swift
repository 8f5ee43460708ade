import Logging
import ParleyAccounts
import ParleyModel
import Testing

@Suite("The user of a JWT", .timeLimit(.minutes(5)))
struct JWTUsersTests {
    private func world(creating: Bool = true) async throws -> World {
        try await World {
            $0.jwt = JWTSettings(hs256Key: JWTMint.hs256Key)
            $0.jwt?.createsUsers = creating
        }
    }

    private func user(_ claims: String, in world: World) async throws -> User? {
        let token = try await JWTMint().token(.hs256, claims: claims)
        let result = await world.authenticate(PresentedCredentials(authorization: "Bearer \(token)", address: "a"))
        guard case .success(.user(let identity)) = result else { return nil }
        return identity.user
    }

    @Test("is created at first contact, with sub as id and a name from the token")
    func created() async throws {
        let world = try await world()
        let alice = try await user(#"{"sub":"42","preferred_username":"alice"}"#, in: world)
        #expect(alice == User(id: UserID(trusted: "42"), name: "alice"))
        #expect(try await user(#"{"sub":"42","preferred_username":"renamed"}"#, in: world) == alice)
        #expect(world.store.edit { $0.hashes[UserID(trusted: "42")] } == nil, "there is a password")
        #expect(try await user(#"{"sub":"bob"}"#, in: world) == User(id: UserID(trusted: "bob"), name: "bob"))
    }

    @Test("has a stable, distinct id if sub is not a valid id")
    func oddSubject() async throws {
        let world = try await world()
        let odd = try #require(try await user(#"{"sub":"auth0|7","preferred_username":"a b"}"#, in: world))
        #expect(odd.id == JWTUsers.id(of: "auth0|7"))
        #expect(odd.id.text.hasPrefix("jwt."))
        #expect(odd.id != JWTUsers.id(of: "auth0|8"))
        #expect(UsernameRules.normalized(odd.name) == odd.name)
        #expect(try await user(#"{"sub":"auth0|7"}"#, in: world) == odd)
        let mail = try #require(try await user(#"{"sub":"eva@example.org"}"#, in: world))
        #expect(mail.name == "eva@example.org")
    }

    @Test("gets a name with a suffix if it is taken, never another's account")
    func nameTaken() async throws {
        let world = try await world()
        let first = world.addUser("alice")
        let second = try #require(try await user(#"{"sub":"42","preferred_username":"alice"}"#, in: world))
        #expect(second.id != first.id)
        #expect(second.name.hasPrefix("alice-"))
        let long = String(repeating: "ä", count: 150)
        world.addUser(long, id: "long")
        let third = try #require(try await user(#"{"sub":"43","preferred_username":"\#(long)"}"#, in: world))
        #expect(third.name.unicodeScalars.count == 150)
    }

    @Test("never gets the name of an operator, in whatever width or case", arguments: ["root", "ROOT", "ｒoot"])
    func operatorsName(name: String) async throws {
        let world = try await World {
            $0.jwt = JWTSettings(hs256Key: JWTMint.hs256Key)
            $0.jwt?.createsUsers = true
            $0.admins = ["root"]
        }
        let user = try #require(try await user(#"{"sub":"42","preferred_username":"\#(name)"}"#, in: world))
        #expect(user.name.lowercased().hasPrefix("root-"))
        #expect(world.store.edit { $0.origins[user.id] } == .jwt)
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
        let world = try await World {
            $0.jwt = JWTSettings(hs256Key: JWTMint.hs256Key)
            $0.jwt?.operatorClaim = setting.flatMap { OperatorClaim($0) }
        }
        let alice = world.addUser("alice", id: "42")
        let token = try await JWTMint().token(.hs256, claims: #"{"sub":"42",\#(claim)}"#)
        let result = await world.authenticate(PresentedCredentials(authorization: "Bearer \(token)", address: "a"))
        guard case .success(.user(let identity)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(identity.user == alice)
        #expect(identity.isOperatorByCredential == isOperator)
        // Credentials issued for the token do not inherit its rights.
        let ticket = try await world.services.tickets.issue(for: identity)
        let second = await world.authenticate(PresentedCredentials(ticket: ticket, address: "a"))
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
        let world = try await world()
        // The lookup finds nobody, the creation finds the id taken: the gate blocks the lookup after its read.
        let gate = Gate()
        let store = TestStore(gate: gate)
        let directory = BatchedDirectory(store, clock: world.clock.wall)
        let made = User(id: UserID(trusted: "42"), name: "other")
        let verifier = try await JWTVerifier(
            settings: JWTSettings(hs256Key: JWTMint.hs256Key), logger: .init(label: "test"))
        let users = JWTUsers(
            verifier: verifier, createsUsers: true, accounts: store, directory: directory, clock: world.clock.wall,
            logger: .init(label: "test"))
        let token = try await JWTMint().token(.hs256, claims: #"{"sub":"42"}"#)
        async let identity = users.identity(of: token)
        await eventually { gate.waitingCount == 1 }
        store.edit { $0.users[made.id] = made }
        gate.open()
        #expect(try await identity.user == made)
    }

    @Test("is rejected if creation of users is disabled")
    func notCreated() async throws {
        let world = try await world(creating: false)
        #expect(try await user(#"{"sub":"42"}"#, in: world) == nil)
        world.addUser("alice", id: "42")
        #expect(try await user(#"{"sub":"42"}"#, in: world)?.name == "alice")
    }
}
