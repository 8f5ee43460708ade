import HTTPTypes
import ParleyAccounts
import ParleyMessaging
import ParleyModel
import ParleyREST
import ParleySQLite
import ParleyTestSupport
import Testing

@Suite("Operator rights over REST")
struct OperatorTests {
    private static let path = "/v1/admin/nodes"

    /// A logged-in user of this name, with the standard test password.
    private func visitor(_ name: String, _ origin: AccountOrigin, in scene: AdminScene) async throws -> Visitor {
        let world = scene.world
        let user = User(id: UserID(trusted: "id-of-\(origin.rawValue)"), name: name)
        let hash = try await world.services.auth.login.hash("correct horse")
        try await world.store.createUser(user, passwordHash: hash, origin: origin)
        let login = try await world.post("/auth/login", form: ["username": name, "password": "correct horse"])
        return Visitor(world: world, user: user, session: try #require(login.session, "\(login.text)"))
    }

    @Test("a configured name grants rights only to accounts of a trusted origin", arguments: AccountOrigin.allCases)
    func byName(_ origin: AccountOrigin) async throws {
        try await AdminScene.run { scene in
            let root = try await visitor("root", origin, in: scene)
            let reply = try await root.get(Self.path)
            #expect(reply.status == (origin.isOwn ? 200 : 403), "\(reply.text)")
            if !origin.isOwn {
                #expect(reply.message?.contains("grant-operator") == true)
                let says = ["auth.admins", "id-of-\(origin.rawValue)", "origin=\(origin.rawValue)"]
                #expect(scene.world.lines.all.contains { line in says.allSatisfy(line.contains) })
            }
            // Rights can be granted to an account of any origin.
            _ = try await scene.world.services.changes.setOperator(true, of: root.user)
            #expect(try await root.get(Self.path).status == 200)
            _ = try await scene.world.services.changes.setOperator(false, of: root.user)
            #expect(try await root.get(Self.path).status == (origin.isOwn ? 200 : 403))
        }
    }

    @Test("a name that only looks like a configured one grants nothing", arguments: ["Root", "ROOT", "root.", "rooT"])
    func likeName(_ name: String) async throws {
        try await AdminScene.run { scene async throws in
            #expect(try await visitor(name, .command, in: scene).get(Self.path).status == 403)
        }
    }

    @Test("a grant and a revocation take effect with the next request, and end with the account")
    func granted() async throws {
        try await AdminScene.run { scene in
            let ann = try await scene.world.visitor("ann")
            let changes = scene.world.services.changes
            for isOperator in [false, true, false, true] {
                _ = try await changes.setOperator(isOperator, of: ann.user)
                #expect(try await ann.get(Self.path).status == (isOperator ? 200 : 403))
            }
            // By any of her credentials, but not by a key that acts for somebody else.
            let key = ("Authorization", "Bearer \(AdminScene.key)")
            for (user, status) in [("ann", 200), ("bob", 403)] {
                if user == "bob" { _ = try await scene.world.visitor("bob") }
                let headers = [key, ("X-Parley-User", user)]
                #expect(try await scene.world.send(.get, Self.path, headers: headers).status == status)
            }
            #expect(try await ann.call(.delete, "/v1/me").status == 204)
            let next = try await scene.world.visitor("ann")
            #expect(try await next.get(Self.path).status == 403)
        }
    }

    @Test("users created by operators and keys under a configured name are operators")
    func made() async throws {
        try await AdminScene.run { scene in
            let ann = try await scene.world.visitor("ann")
            _ = try await scene.world.services.changes.setOperator(true, of: ann.user)
            let json = #"{"username":"root","id":"r","password":"correct horse"}"#
            #expect(try await ann.call(.post, "/v1/admin/users", json).status == 201)
            let login = try await scene.world.post(
                "/auth/login", form: ["username": "root", "password": "correct horse"])
            let root = Visitor(
                world: scene.world, user: User(id: UserID(trusted: "r"), name: "root"),
                session: try #require(login.session))
            #expect(try await root.get(Self.path).status == 200)
            #expect(
                try await scene.world.store.operatorStatus(of: root.user.id)
                    == OperatorStatus(isGranted: false, origin: .operator))
            _ = try await scene.post("/v1/admin/users", #"{"username":"by-key","id":"k"}"#)
            _ = try await scene.post("/v1/admin/import", #"{"user":{"id":"i","username":"imported"}}"#)
            for id in ["k", "i"] {
                let readState = try await scene.world.store.operatorStatus(of: UserID(trusted: id))
                #expect(readState == OperatorStatus(isGranted: false, origin: .apiKey))
            }
            let signedUp = try await scene.world.store.operatorStatus(of: ann.user.id)
            #expect(signedUp?.origin == .signUp)
        }
    }
}
