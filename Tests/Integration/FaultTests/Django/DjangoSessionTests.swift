import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("A login in Django", .timeLimit(.minutes(2)))
struct DjangoSessionTests {
    private static let key = "the example's key in these tests, which is no secret"

    private func start(_ site: DjangoSite) async throws -> ParleyProcess {
        try await start(database: site.database)
    }

    private func start(database: String) async throws -> ParleyProcess {
        try await ParleyProcess.start(environment: [
            "PARLEY_DJANGO_SECRET_KEY": Self.key, "PARLEY_DJANGO_DATABASE": "sqlite:\(database)",
            "PARLEY_DJANGO_RECHECK_SECONDS": "1", "PARLEY_AUTH_ADMINS": "boss",
        ])
    }

    private func browser(_ cookie: String, _ parley: ParleyProcess) -> HTTPClient {
        HTTPClient(port: parley.port, headers: [("Cookie", "sessionid=\(cookie)")])
    }

    @Test("opens sockets and REST, by the cookie and by tickets, until the logout in Django")
    func loginAndLogout() async throws {
        let site = try await DjangoSite.make(environment: ["DJANGO_SECRET_KEY": Self.key])
        let parley = try await start(site)
        let (alice, bob) = (try await site.logIn("alice"), try await site.logIn("bob"))
        let (rest, bobs) = (browser(alice, parley), browser(bob, parley))
        let me = try await rest.get("/v1/me").json()
        #expect(me["username"] == "alice")
        #expect(me["id"] == "1")

        let room = try await rest.post("/messaging/add-chatroom", form: ["title": "Team"]).json()["id"]
        let id = try #require(room)
        _ = try await bobs.post("/messaging/add-chatroom", form: ["title": "Team"])
        let socket = try await TestSocket.connect(port: parley.port, headers: rest.headers)
        let ticket = try #require(try await rest.send("POST", "/v1/tickets").json()["ticket"]?.string)
        let ticketed = try await TestSocket.connect(
            port: parley.port, path: "/chat?ticket=\(HTTPClient.escape(ticket))")
        let other = try await TestSocket.connect(port: parley.port, headers: bobs.headers)
        try await other.send(json: ["message": ["id": id, "text": "hi"]])
        for socket in [socket, ticketed, other] { #expect(try await socket.nextJSON()["text"] == "hi") }

        #expect(try await parley.metrics().sum("parley_django_up") == 1)

        // Accounts are Django's business.
        let signup = try await HTTPClient(port: parley.port)
            .post("/auth/signup", form: ["username": "carol", "password": "correct horse"])
        #expect(signup.status == 403)
        let logout = try await rest.post("/auth/logout", form: [:])
        #expect(logout.status == 403)
        #expect(logout.cookie("sessionid") == nil)
        let password = try await rest.send(
            "PATCH", "/v1/me", headers: [("Content-Type", "application/json")],
            body: Array(#"{"password":"correct horse"}"#.utf8))
        #expect(password.status == 403)
        #expect(try await rest.get("/v1/admin/nodes").status == 403)

        let unused = try #require(try await rest.send("POST", "/v1/tickets").json()["ticket"]?.string)
        try await site.run("logout", alice)
        // Long before the next look by the setting's default.
        for socket in [socket, ticketed] { #expect(try await socket.closeCode(within: .seconds(8)) == 4001) }
        #expect(try await rest.get("/v1/me").status == 401)
        let late = try await TestSocket.open(port: parley.port, path: "/chat?ticket=\(HTTPClient.escape(unused))")
        #expect(late.status == 401)

        // Bob is still there.
        try await other.send(json: ["message": ["id": id, "text": "alone"]])
        #expect(try await other.nextJSON()["text"] == "alone")
        try await parley.kill()
    }

    @Test("makes nobody an operator, whatever the name is in Django, and whatever the account may")
    func operatorsName() async throws {
        let site = try await DjangoSite.make(environment: ["DJANGO_SECRET_KEY": Self.key])
        let parley = try await start(site)
        for name in ["boss", "Boss", "BOSS"] {
            try await site.run("sign-up", name)
            let http = browser(try await site.logIn(name), parley)
            #expect(try await http.get("/v1/me").status == 401, "\(name)")
            #expect(try await http.get("/v1/admin/nodes").status == 401, "\(name)")
        }
        let made = try await ParleyBinary.run([
            "admin", "create-user", "boss", "--database", "sqlite:\(parley.databasePath)",
        ])
        #expect(made.status == .exited(0), "\(made.output)")
        let line = try #require(made.output.split(separator: "\n").first { $0.hasPrefix("password: ") })
        let boss = try await TestUser.logIn("boss", password: String(line.dropFirst(10)), port: parley.port)
        #expect(try await boss.http.get("/v1/admin/nodes").status == 200)
        let granted = try await ParleyBinary.run([
            "admin", "grant-operator", "bob", "--database", "sqlite:\(parley.databasePath)",
        ])
        #expect(granted.status != .exited(0))
        let bob = browser(try await site.logIn("bob"), parley)
        #expect(try await bob.get("/v1/me").status == 200)
        _ = try await ParleyBinary.run([
            "admin", "grant-operator", "bob", "--database", "sqlite:\(parley.databasePath)",
        ])
        for http in [browser(try await site.logIn("boss"), parley), bob] {
            #expect(try await http.get("/v1/me").status == 200)
            #expect(try await http.get("/v1/admin/nodes").status == 403)
        }
        try await parley.kill()
    }

    @Test("ends with the password and with the account", arguments: ["password", "disable"])
    func void(how: String) async throws {
        let site = try await DjangoSite.make(environment: ["DJANGO_SECRET_KEY": Self.key])
        let parley = try await start(site)
        let cookie = try await site.logIn("bob")
        let socket = try await TestSocket.connect(
            port: parley.port, headers: [("Cookie", "sessionid=\(cookie)")])
        try await site.run(how, "bob")
        #expect(try await socket.closeCode() == 4001)
        #expect(try await browser(cookie, parley).get("/v1/me").status == 401)
        try await parley.kill()
    }

    @Test("is believed while Django cannot be asked, and ends as soon as it can")
    func away() async throws {
        let site = try await DjangoSite.make(environment: ["DJANGO_SECRET_KEY": Self.key])
        let parley = try await start(site)
        // Two browsers of one user.
        let cookies = [try await site.logIn("alice"), try await site.logIn("alice")]
        var sockets: [TestSocket] = []
        for cookie in cookies {
            sockets.append(
                try await TestSocket.connect(port: parley.port, headers: [("Cookie", "sessionid=\(cookie)")]))
        }
        let room = try #require(
            try await browser(cookies[0], parley).post("/messaging/add-chatroom", form: ["title": "Team"]).json()["id"])
        try await site.run("hide")
        #expect(try await eventually { try await parley.metrics().sum("parley_django_up") == 0 })
        #expect(try await browser(cookies[0], parley).get("/v1/me").status == 503)
        try await sockets[0].send(json: ["message": ["id": room, "text": "still here"]])
        for socket in sockets { #expect(try await socket.nextJSON()["text"] == "still here") }

        try await site.run("show")
        try await site.run("logout", cookies[0])
        #expect(try await sockets[0].closeCode(within: .seconds(8)) == 4001)
        // The other login is another session.
        try await sockets[1].send(json: ["message": ["id": room, "text": "alone"]])
        #expect(try await sockets[1].nextJSON()["text"] == "alone")
        try await parley.kill()
    }

    @Test("waits for Django's tables, while everybody else can come in")
    func noTables() async throws {
        let directory = try TemporaryDirectory()
        let database = directory.path + "/db.sqlite3"
        try Data().write(to: URL(filePath: database))
        let parley = try await start(database: database)
        #expect(try await browser("abcdefghijklmnopqrstuvwxyz012345", parley).get("/v1/me").status == 503)
        #expect(try await parley.metrics().sum("parley_django_up") == 0)
        #expect(try await browser("", parley).get("/v1/me").status == 401)
        try await parley.kill()
    }

    @Test("counts for nothing with another secret key")
    func otherKey() async throws {
        let site = try await DjangoSite.make(environment: ["DJANGO_SECRET_KEY": "another key of the example, no secret"]
        )
        let parley = try await start(site)
        let cookie = try await site.logIn("alice")
        #expect(try await browser(cookie, parley).get("/v1/me").status == 401)
        try await parley.kill()
    }
}
