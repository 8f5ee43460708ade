import Crypto
import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

/// Rows 4, 5 and 8 of what must hold: a lost right is lost on every node, even if its control event is lost.
@Suite("Changes that nodes are not told of", .timeLimit(.minutes(5)))
struct LostChangesTests {
    private static let tokenKey = "a key of the tests for their JWTs, 32 bytes or more"
    /// Maximum time until a node finds a change whose control event was lost.
    private static let limit = Duration.seconds(10)

    private static func start(gateways: Int = 2) async throws -> Cluster {
        try await Cluster.start(
            gateways: gateways, persisters: 2, hasLines: true, environment: ["PARLEY_JWT_HS256_KEY": tokenKey])
    }

    // MARK: The node that serves REST is cut from Redis

    @Test("a logout at a node that is cut from Redis closes the sockets on the others, and no ticket opens one again")
    func logout() async throws {
        let cluster = try await Self.start()
        let ann = try await TestUser.signUp("ann", port: cluster.persisters[0].port)
        var (sockets, tickets): ([TestSocket], [String]) = ([], [])
        for gateway in cluster.gateways {
            let socket = try await Self.v1(gateway, ann.cookieHeader)
            tickets.append(try #require(try await socket.nextJSON()["ticket"]?.string))
            sockets.append(socket)
        }
        let other = try await TestUser.logIn("ann", port: cluster.persisters[0].port)
        let stays = try await Self.v1(cluster.gateways[0], other.cookieHeader)
        cluster.persisterLines[0].redis.become(.cut)
        let began = ContinuousClock.now
        #expect(try await ann.http.post("/auth/logout", form: [:]).status == 200)
        for socket in sockets { #expect(try await socket.closeCode(within: Self.limit) == 4001) }
        print("logout found after \(ContinuousClock.now - began)")
        #expect(ContinuousClock.now - began < Self.limit)
        for gateway in cluster.gateways {
            for ticket in tickets { #expect(try await Self.status(gateway, ticket: ticket) == 401) }
            #expect(try await Self.status(gateway, ann.cookieHeader) == 401)
        }
        try await Self.isOpen(stays)
        cluster.persisterLines[0].redis.become(.normal)
        try await cluster.stop()
    }

    @Test("revoke-sessions at such a node closes what hangs on no session too, and voids every ticket")
    func revokeSessions() async throws {
        let cluster = try await Self.start()
        let ann = try await TestUser.signUp("ann", port: cluster.persisters[0].port)
        let credentials = [ann.cookieHeader, Self.jwt(ann.id), Self.basic("ann", "correct horse"), Self.acting("ann")]
        var (sockets, tickets): ([TestSocket], [String]) = ([], [])
        for (index, headers) in credentials.enumerated() {
            let socket = try await Self.v1(cluster.gateways[index % 2], headers)
            tickets.append(try #require(try await socket.nextJSON()["ticket"]?.string))
            let reply = try await HTTPClient(port: cluster.persisters[1].port, headers: headers).post(
                "/v1/tickets", form: [:])
            tickets.append(try #require(try reply.json()["ticket"]?.string))
            sockets.append(socket)
        }
        cluster.persisterLines[0].redis.become(.cut)
        let began = ContinuousClock.now
        let reply = try await cluster.rest().post("/v1/admin/users/ann/revoke-sessions", form: [:])
        #expect(reply.status == 200)
        for socket in sockets { #expect(try await socket.closeCode(within: Self.limit) == 4001) }
        #expect(ContinuousClock.now - began < Self.limit)
        for ticket in tickets {
            for gateway in cluster.gateways { #expect(try await Self.status(gateway, ticket: ticket) == 401) }
        }
        // Who proves anew who they are comes in.
        for headers in credentials.dropFirst() {
            #expect(try await Self.status(cluster.gateways[0], headers) == 101)
        }
        try await cluster.stop()
    }

    @Test("an erasure at such a node closes all sockets, and no credential opens one on any node from then on")
    func erasure() async throws {
        let cluster = try await Self.start()
        let ann = try await TestUser.signUp("ann", port: cluster.persisters[0].port)
        let credentials = [ann.cookieHeader, Self.jwt(ann.id), Self.basic("ann", "correct horse"), Self.acting(ann.id)]
        var (sockets, tickets): ([TestSocket], [String]) = ([], [])
        for (index, headers) in credentials.enumerated() {
            let socket = try await Self.v1(cluster.gateways[index % 2], headers)
            tickets.append(try #require(try await socket.nextJSON()["ticket"]?.string))
            sockets.append(socket)
        }
        cluster.persisterLines[0].redis.become(.cut)
        let began = ContinuousClock.now
        #expect(try await ann.http.send("DELETE", "/v1/me").status == 204)
        for gateway in cluster.gateways {
            for headers in credentials { #expect(try await Self.status(gateway, headers) == 401) }
            for ticket in tickets { #expect(try await Self.status(gateway, ticket: ticket) == 401) }
        }
        for socket in sockets { #expect(try await socket.closeCode(within: Self.limit) == 4001) }
        #expect(ContinuousClock.now - began < Self.limit)
        try await cluster.stop()
    }

    @Test("without any cut, an erased user's JWT and API key open no socket from the answer on, and REST refuses them")
    func redial() async throws {
        let cluster = try await Self.start()
        for round in 0..<5 {
            let name = "user\(round)"
            let user = try await TestUser.signUp(name, port: cluster.persisters[0].port)
            let credentials = [Self.jwt(user.id), Self.acting(user.id), Self.acting(name)]
            // Every node has just met the user by each of them.
            for headers in credentials {
                for gateway in cluster.gateways { #expect(try await Self.status(gateway, headers) == 101) }
                for persister in cluster.persisters {
                    #expect(try await HTTPClient(port: persister.port, headers: headers).get("/v1/me").status == 200)
                }
            }
            #expect(try await user.http.send("DELETE", "/v1/me").status == 204)
            for headers in credentials {
                for gateway in cluster.gateways { #expect(try await Self.status(gateway, headers) == 401) }
                for persister in cluster.persisters {
                    let rest = HTTPClient(port: persister.port, headers: headers)
                    #expect(try await rest.post("/v1/threads", form: ["title": "garden"]).status == 401)
                }
            }
        }
        try await cluster.stop()
    }

    // MARK: The gateway is cut from the bus

    @Test("a demotion and a removal while a gateway is cut from the bus reach its live sockets and its new ones")
    func rights() async throws {
        let cluster = try await Self.start()
        let owner = try await TestUser.signUp("owner", port: cluster.persisters[0].port)
        let ann = try await TestUser.signUp("ann", port: cluster.persisters[0].port)
        var rooms: [String] = []
        for title in ["demoted", "removed", "stays"] {
            rooms.append(try await owner.join(title))
            _ = try await ann.join(title)
        }
        let gateway = cluster.gateways[0]
        let live = try await Self.v1(gateway, ann.cookieHeader)
        _ = try await live.nextJSON()
        for (ref, room) in rooms.enumerated() { #expect(try await Self.send(live, ref, room) == "accepted") }
        cluster.gatewayLines[0].redis.become(.cut)
        try await Self.demote(ann, in: rooms[0], by: owner)
        #expect(try await owner.http.send("DELETE", "/v1/threads/\(rooms[1])/members/\(ann.id)").status == 204)
        cluster.gatewayLines[0].redis.become(.normal)
        let healed = ContinuousClock.now
        var ref = 10
        var responses: [String] = []
        // Without anybody asking for anything but the rights themselves.
        _ = try await eventually(within: Self.limit, every: .milliseconds(200)) {
            ref += 10
            responses = []
            for (index, room) in rooms.enumerated() { responses.append(try await Self.send(live, ref + index, room)) }
            return responses == ["forbidden", "not_a_member", "accepted"]
        }
        #expect(responses == ["forbidden", "not_a_member", "accepted"])
        print("rights found \(ContinuousClock.now - healed) after the cut")
        let fresh = try await Self.v1(gateway, ann.cookieHeader)
        let hello = try await fresh.nextJSON()
        let roles = (hello["threads"]?.array ?? []).reduce(into: [String: String]()) {
            $0[$1["id"]?.string ?? ""] = $1["role"]?.string
        }
        #expect(roles == [rooms[0]: "read_only", rooms[2]: "member"])
        try await cluster.stop()
    }

    @Test("a room that becomes private while a gateway is cut from the bus is hidden on every node from the answer on")
    func visibility() async throws {
        let cluster = try await Self.start()
        let owner = try await TestUser.signUp("owner", port: cluster.persisters[0].port)
        let ann = try await TestUser.signUp("ann", port: cluster.persisters[0].port)
        let member = try await TestUser.signUp("member", port: cluster.persisters[0].port)
        let room = try await owner.join("garden")
        _ = try await member.join("garden")
        var sockets: [TestSocket] = []
        for (index, gateway) in cluster.gateways.enumerated() {
            let socket = try await Self.v1(gateway, ann.cookieHeader)
            #expect(try await Self.send(socket, index, room) == "not_a_member")
            sockets.append(socket)
        }
        let inside = try await Self.v1(cluster.gateways[0], member.cookieHeader)
        cluster.gatewayLines[0].redis.become(.cut)
        for (round, visibility) in ["private", "unlisted", "private"].enumerated() {
            try await Self.setVisibility(visibility, of: room, by: owner)
            let code = visibility == "private" ? "not_found" : "not_a_member"
            for socket in sockets { #expect(try await Self.send(socket, 10 + round, room) == code) }
            for persister in cluster.persisters {
                let rest = HTTPClient(port: persister.port, headers: ann.cookieHeader)
                #expect(try await rest.get("/v1/threads/\(room)").json()["error"]?["code"]?.string == code)
            }
        }
        cluster.gatewayLines[0].redis.become(.normal)
        // Members are not affected.
        var ref = 100
        #expect(
            try await eventually(within: Self.limit) {
                ref += 1
                return try await Self.send(inside, ref, room) == "accepted"
            })
        #expect(try await cluster.rest().get("/v1/threads/\(room)").json()["visibility"]?.string == "private")
        try await cluster.stop()
    }

    // MARK: Credentials

    @Test("a password change closes sockets by the old password and its tickets, and keeps the session that made it")
    func password() async throws {
        let cluster = try await Self.start(gateways: 1)
        let gateway = cluster.gateways[0]
        let ann = try await TestUser.signUp("ann", port: cluster.persisters[0].port)
        let old = Self.basic("ann", "correct horse")
        let basic = try await Self.v1(gateway, old)
        let ticket = try #require(try await basic.nextJSON()["ticket"]?.string)
        let reply = try await HTTPClient(port: cluster.persisters[0].port, headers: old).post("/v1/tickets", form: [:])
        let once = try #require(try reply.json()["ticket"]?.string)
        let own = try await Self.v1(gateway, ann.cookieHeader)
        _ = try await own.nextJSON()
        let began = ContinuousClock.now
        let change = JSONValue.object(["old_password": .string("correct horse"), "password": .string("battery staple")])
        let changed = try await ann.http.send(
            "PATCH", "/v1/me", headers: [("Content-Type", "application/json")], body: Array(change.text.utf8))
        #expect(changed.status == 200)
        #expect(try await Self.status(gateway, old) == 401)
        for ticket in [ticket, once] { #expect(try await Self.status(gateway, ticket: ticket) == 401) }
        #expect(try await basic.closeCode(within: Self.limit) == 4001)
        print("sockets of the old password closed after \(ContinuousClock.now - began)")
        #expect(try await Self.status(gateway, Self.basic("ann", "battery staple")) == 101)
        try await Self.isOpen(own)
        try await cluster.stop()
    }

    @Test("the sockets of a deleted API key close, and its tickets are void")
    func apiKey() async throws {
        let cluster = try await Self.start(gateways: 1)
        let gateway = cluster.gateways[0]
        _ = try await TestUser.signUp("ann", port: cluster.persisters[0].port)
        let database = cluster.postgres.url(database: cluster.database)
        let made = try await ParleyBinary.run(["admin", "create-key", "shop", "--database", database])
        let line = try #require(made.output.split(separator: "\n").first { $0.hasPrefix("key: ") })
        let key = String(line.dropFirst(5))
        let headers: HTTPClient.Headers = [("Authorization", "Bearer \(key)"), ("X-Parley-User", "ann")]
        let stored = try await Self.v1(gateway, headers)
        let ticket = try #require(try await stored.nextJSON()["ticket"]?.string)
        let byTicket = try await TestSocket.connect(
            port: gateway.port, path: "/v1/socket?ticket=\(ticket)", subprotocols: ["parley.v1"])
        let configured = try await Self.v1(gateway, Self.acting("ann"))
        let began = ContinuousClock.now
        let revoked = try await ParleyBinary.run(["admin", "revoke-key", "shop", "--database", database])
        #expect(revoked.status == .exited(0))
        for socket in [stored, byTicket] { #expect(try await socket.closeCode(within: Self.limit) == 4001) }
        print("sockets of the key closed after \(ContinuousClock.now - began)")
        #expect(try await Self.status(gateway, ticket: ticket) == 401)
        #expect(try await Self.status(gateway, headers) == 401)
        try await Self.isOpen(configured)
        try await cluster.stop()
    }

    @Test("while the database is away a handshake is 503 with Retry-After, and open sockets chat on")
    func databaseAway() async throws {
        let cluster = try await Self.start(gateways: 1)
        let gateway = cluster.gateways[0]
        let ann = try await TestUser.signUp("ann", port: cluster.persisters[0].port)
        let room = try await ann.join("garden")
        let live = try await Self.v1(gateway, Self.jwt(ann.id))
        let ticket = try #require(try await live.nextJSON()["ticket"]?.string)
        cluster.gatewayLines[0].postgres.become(.cut)
        let ways: [(HTTPClient.Headers, String)] = [
            (Self.jwt(ann.id), ""), (ann.cookieHeader, ""), ([], "?ticket=\(ticket)"),
        ]
        for (headers, query) in ways {
            let opened = try await TestSocket.open(
                port: gateway.port, path: "/v1/socket\(query)", headers: headers, subprotocols: ["parley.v1"])
            #expect(opened.status == 503)
            guard case .refused(let reply) = opened else { continue }
            #expect(reply.header("Retry-After") != nil)
        }
        #expect(try await Self.send(live, 1, room) == "accepted")
        cluster.gatewayLines[0].postgres.become(.normal)
        #expect(try await eventually { try await Self.status(gateway, ticket: ticket) == 101 })
        try await cluster.stop()
    }

    // MARK: Clients

    private static func basic(_ name: String, _ password: String) -> HTTPClient.Headers {
        [("Authorization", "Basic \(Data("\(name):\(password)".utf8).base64EncodedString())")]
    }

    private static func acting(_ user: String) -> HTTPClient.Headers {
        [("Authorization", "Bearer \(Cluster.apiKey)"), ("X-Parley-User", user)]
    }

    /// A JWT that does not end.
    private static func jwt(_ subject: String) -> HTTPClient.Headers {
        func encode(_ bytes: some Sequence<UInt8>) -> String {
            Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=", with: "")
        }
        let signed =
            encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + "." + encode(Array(#"{"sub":"\#(subject)"}"#.utf8))
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(signed.utf8), using: SymmetricKey(data: Array(tokenKey.utf8)))
        return [("Authorization", "Bearer \(signed).\(encode(code))")]
    }

    private static func v1(_ gateway: ParleyProcess, _ headers: HTTPClient.Headers) async throws -> TestSocket {
        try await TestSocket.connect(port: gateway.port, headers: headers, subprotocols: ["parley.v1"])
    }

    /// What a handshake is answered by; a socket is closed again.
    private static func status(
        _ gateway: ParleyProcess, _ headers: HTTPClient.Headers = [], ticket: String? = nil
    ) async throws -> Int {
        let path = "/v1/socket" + (ticket.map { "?ticket=\($0)" } ?? "")
        let opened = try await TestSocket.open(
            port: gateway.port, path: path, headers: headers, subprotocols: ["parley.v1"])
        if case .accepted(let socket) = opened { await socket.drop() }
        return opened.status
    }

    private static func isOpen(_ socket: TestSocket) async throws {
        try await socket.send(text: #"{"ref":999,"ping":1}"#)
        _ = try await socket.nextJSON { $0["ref"]?.int == 999 }
    }

    /// Sends a message; the level of its ack, or the code of the error.
    private static func send(_ socket: TestSocket, _ ref: Int, _ room: String) async throws -> String {
        try await socket.send(text: #"{"ref":\#(ref),"message":{"id":"\#(room)","text":"hi"}}"#)
        let response = try await socket.nextJSON(within: .seconds(30)) { $0["ref"]?.int == ref }
        return response["level"]?.string ?? response["code"]?.string ?? ""
    }

    private static func setVisibility(_ visibility: String, of room: String, by owner: TestUser) async throws {
        let reply = try await owner.http.send(
            "PATCH", "/v1/threads/\(room)", headers: [("Content-Type", "application/json")],
            body: Array(JSONValue.object(["visibility": .string(visibility)]).text.utf8))
        #expect(reply.status == 200)
    }

    private static func demote(_ user: TestUser, in room: String, by owner: TestUser) async throws {
        let reply = try await owner.http.post(
            "/v1/threads/\(room)/members", form: ["user": user.id, "role": "read_only"])
        #expect(reply.status == 200)
    }
}
