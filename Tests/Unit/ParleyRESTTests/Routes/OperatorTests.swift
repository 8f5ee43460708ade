import HTTPTypes
import ParleyAccounts
import ParleyMessaging
import ParleyModel
import ParleyREST
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("Operator rights over REST")
struct OperatorTests {
    private static let path = "/v1/admin/nodes"

    /// A logged-in user of this name, with the standard test password.
    private func sessionUser(_ name: String, _ origin: AccountOrigin, in fixture: AdminFixture) async throws
        -> SessionUser
    {
        let fixture = fixture.rest
        let user = User(id: UserID(trusted: "id-of-\(origin.rawValue)"), name: name)
        let hash = try await fixture.services.auth.login.hash("correct horse")
        try await fixture.store.createUser(user, passwordHash: hash, origin: origin)
        let login = try await fixture.post("/auth/login", form: ["username": name, "password": "correct horse"])
        return SessionUser(fixture: fixture, user: user, session: try #require(login.session, "\(login.text)"))
    }

    @Test("a configured name grants rights only to accounts of a trusted origin", arguments: AccountOrigin.allCases)
    func byName(_ origin: AccountOrigin) async throws {
        try await AdminFixture.run { fixture in
            let root = try await sessionUser("root", origin, in: fixture)
            let reply = try await root.get(Self.path)
            #expect(reply.status == (origin.isOwn ? 200 : 403), "\(reply.text)")
            if !origin.isOwn {
                #expect(reply.message?.contains("grant-operator") == true)
                let says = ["auth.admins", "id-of-\(origin.rawValue)", "origin=\(origin.rawValue)"]
                #expect(fixture.rest.lines.all.contains { line in says.allSatisfy(line.contains) })
            }
            // Rights can be granted to an account of any origin.
            _ = try await fixture.rest.services.messaging.setOperator(true, of: root.user, by: .commandLine)
            #expect(try await root.get(Self.path).status == 200)
            _ = try await fixture.rest.services.messaging.setOperator(false, of: root.user, by: .commandLine)
            #expect(try await root.get(Self.path).status == (origin.isOwn ? 200 : 403))
        }
    }

    @Test("a name that only looks like a configured one grants nothing", arguments: ["Root", "ROOT", "root.", "rooT"])
    func likeName(_ name: String) async throws {
        try await AdminFixture.run { fixture async throws in
            #expect(try await sessionUser(name, .command, in: fixture).get(Self.path).status == 403)
        }
    }

    @Test("a grant and a revocation take effect with the next request, and end with the account")
    func granted() async throws {
        try await AdminFixture.run { fixture in
            let ann = try await fixture.rest.sessionUser("ann")
            let messaging = fixture.rest.services.messaging
            for isOperator in [false, true, false, true] {
                _ = try await messaging.setOperator(isOperator, of: ann.user, by: .commandLine)
                #expect(try await ann.get(Self.path).status == (isOperator ? 200 : 403))
            }
            // By any of her credentials, but not by a key that acts for somebody else.
            let key = ("Authorization", "Bearer \(AdminFixture.key)")
            for (user, status) in [("ann", 200), ("bob", 403)] {
                if user == "bob" { _ = try await fixture.rest.sessionUser("bob") }
                let headers = [key, ("X-Parley-User", user)]
                #expect(try await fixture.rest.send(.get, Self.path, headers: headers).status == status)
            }
            #expect(try await ann.call(.delete, "/v1/me").status == 204)
            let next = try await fixture.rest.sessionUser("ann")
            #expect(try await next.get(Self.path).status == 403)
        }
    }

    @Test("users created by operators and keys under a configured name are operators")
    func made() async throws {
        try await AdminFixture.run { fixture in
            let ann = try await fixture.rest.sessionUser("ann")
            _ = try await fixture.rest.services.messaging.setOperator(true, of: ann.user, by: .commandLine)
            let json = #"{"username":"root","id":"r","password":"correct horse"}"#
            #expect(try await ann.call(.post, "/v1/admin/users", json).status == 201)
            let login = try await fixture.rest.post(
                "/auth/login", form: ["username": "root", "password": "correct horse"])
            let root = SessionUser(
                fixture: fixture.rest, user: User(id: UserID(trusted: "r"), name: "root"),
                session: try #require(login.session))
            #expect(try await root.get(Self.path).status == 200)
            #expect(
                try await fixture.rest.store.operatorStatus(of: root.user.id)
                    == OperatorStatus(isGranted: false, origin: .operator))
            _ = try await fixture.post("/v1/admin/users", #"{"username":"by-key","id":"k"}"#)
            _ = try await fixture.post("/v1/admin/import", #"{"user":{"id":"i","username":"imported"}}"#)
            for id in ["k", "i"] {
                let readState = try await fixture.rest.store.operatorStatus(of: UserID(trusted: id))
                #expect(readState == OperatorStatus(isGranted: false, origin: .apiKey))
            }
            let signedUp = try await fixture.rest.store.operatorStatus(of: ann.user.id)
            #expect(signedUp?.origin == .signUp)
        }
    }
}
