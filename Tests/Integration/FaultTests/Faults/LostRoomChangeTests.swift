import ParleyTestServers
import ParleyTestSupport
import Testing

/// Rights, slow mode and archives of rooms, blocks, invitations and groups hold on every node, even if the notification of them is lost.
@Suite("Changes of rooms and blocks that nodes are not told of", .timeLimit(.minutes(5)))
struct LostRoomChangeTests {
    /// Maximum time until a node finds a change whose notification was lost.
    private static let limit = Duration.seconds(10)
    private static let json = [("Content-Type", "application/json")]

    @Test("details of rooms and a block while a gateway is cut from the bus reach its live sockets")
    func cut() async throws {
        let cluster = try await Cluster.start(gateways: 2, persisters: 2, hasLines: true)
        let owner = try await TestUser.signUp("owner", port: cluster.persisters[0].port)
        let ann = try await TestUser.signUp("ann", port: cluster.persisters[0].port)
        var rooms: [String] = []
        for title in ["silent", "slow", "archived", "stays"] {
            rooms.append(try await owner.join(title))
            _ = try await ann.join(title)
        }
        let direct = try await owner.http.post("/v1/direct", form: ["user": ann.id])
        rooms.append(try #require(try direct.json()["id"]?.string))
        let live = try await TestSocket.connect(
            port: cluster.gateways[0].port, headers: ann.cookieHeader, subprotocols: ["parley.v1"])
        _ = try await live.nextJSON { $0["type"]?.string == "hello" }
        #expect(try await Self.send(live, 0, rooms) == Array(repeating: "accepted", count: 5))

        cluster.gatewayLines[0].redis.become(.cut)
        for (room, change) in [
            (rooms[0], #"{"rights":{"write":"moderators"}}"#), (rooms[1], #"{"slow_mode_seconds":3600}"#),
            (rooms[2], #"{"archived":true}"#),
        ] {
            let changed = try await owner.http.send(
                "PATCH", "/v1/threads/\(room)", headers: Self.json, body: Array(change.utf8))
            #expect(changed.status == 200)
        }
        #expect(try await owner.http.send("PUT", "/v1/me/blocks/\(ann.id)", headers: Self.json).status == 200)
        cluster.gatewayLines[0].redis.become(.normal)
        let expected = ["forbidden", "rate_limited", "forbidden", "accepted", "forbidden"]
        var (ref, responses): (Int, [String]) = (10, [])
        _ = try await eventually(within: Self.limit, every: .milliseconds(500)) {
            ref += 10
            responses = try await Self.send(live, ref, rooms)
            return responses == expected
        }
        #expect(responses == expected)

        let fresh = try await TestSocket.connect(
            port: cluster.gateways[0].port, headers: ann.cookieHeader, subprotocols: ["parley.v1"])
        let hello = try await fresh.nextJSON { $0["type"]?.string == "hello" }
        let threads = (hello["threads"]?.array ?? []).reduce(into: [String: JSONValue]()) {
            $0[$1["id"]?.string ?? ""] = $1
        }
        #expect(threads[rooms[0]]?["rights"]?["write"]?.string == "moderators")
        #expect(threads[rooms[1]]?["slow_mode_seconds"]?.int == 3600)
        #expect(threads[rooms[2]]?["archived"] == .bool(true))
        #expect(threads[rooms[4]]?["blocked"] == .bool(true))
        try await cluster.stop()
    }

    @Test("an invitation, an acceptance and a group while a gateway is cut from the bus reach its live sockets")
    func entrances() async throws {
        let cluster = try await Cluster.start(gateways: 2, persisters: 2, hasLines: true)
        let owner = try await TestUser.signUp("owner", port: cluster.persisters[0].port)
        let ann = try await TestUser.signUp("ann", port: cluster.persisters[0].port)
        var rooms: [String] = []
        for title in ["accepted", "open"] {
            let made = try await owner.http.post(
                "/v1/threads", json: ["title": .string(title), "visibility": "private"])
            rooms.append(try #require(try made.json()["id"]?.string))
        }
        let live = try await TestSocket.connect(
            port: cluster.gateways[0].port, headers: ann.cookieHeader, subprotocols: ["parley.v1"])
        _ = try await live.nextJSON { $0["type"]?.string == "hello" }
        #expect(try await Self.send(live, 0, rooms) == ["not_found", "not_found"])

        cluster.gatewayLines[0].redis.become(.cut)
        for room in rooms {
            let invited = try await owner.http.send(
                "PUT", "/v1/threads/\(room)/invitations/ann", headers: Self.json, body: Array("{}".utf8))
            #expect(invited.status == 201)
        }
        let accepted = try await ann.http.post("/v1/me/invitations/\(rooms[0])/accept", json: [:])
        #expect(accepted.status == 200)
        let made = try await owner.http.post("/v1/threads", json: ["kind": "group", "members": ["ann"]])
        rooms.append(try #require(try made.json()["id"]?.string))
        cluster.gatewayLines[0].redis.become(.normal)
        let expected = ["accepted", "not_found", "accepted"]
        var (ref, responses): (Int, [String]) = (10, [])
        _ = try await eventually(within: Self.limit, every: .milliseconds(500)) {
            ref += 10
            responses = try await Self.send(live, ref, rooms)
            return responses == expected
        }
        #expect(responses == expected)
        // The change feed has what the bus has lost.
        let isTold = try await eventually(within: Self.limit) { live.received.contains { $0.contains("entrances") } }
        #expect(isTold)
        let own = try await ann.http.get("/v1/me/invitations").json()["invitations"]?.array ?? []
        #expect(own.map { $0["thread"]?["id"]?.string } == [rooms[1]])
        try await cluster.stop()
    }

    @Test("members on all nodes get the frame of a changed room within a second, and the blocker the frame of blocks")
    func told() async throws {
        let cluster = try await Cluster.start(gateways: 2, persisters: 1)
        let owner = try await TestUser.signUp("owner", port: cluster.persisters[0].port)
        let ann = try await TestUser.signUp("ann", port: cluster.persisters[0].port)
        let room = try await owner.join("garden")
        _ = try await ann.join("garden")
        var sockets: [TestSocket] = []
        for gateway in cluster.gateways {
            let socket = try await TestSocket.connect(
                port: gateway.port, headers: ann.cookieHeader, subprotocols: ["parley.v1"])
            _ = try await socket.nextJSON { $0["type"]?.string == "hello" }
            sockets.append(socket)
        }
        let changed = try await owner.http.send(
            "PATCH", "/v1/threads/\(room)", headers: Self.json,
            body: Array(#"{"topic":"Planting","slow_mode_seconds":30}"#.utf8))
        #expect(changed.status == 200)
        let began = ContinuousClock.now
        for socket in sockets {
            let frame = try await socket.nextJSON { $0["type"]?.string == "room" }
            #expect(
                frame == [
                    "type": "room", "thread_id": .string(room),
                    "room": ["topic": "Planting", "slow_mode_seconds": 30, "changes": 1],
                ])
        }
        print("the room was told of after \(ContinuousClock.now - began)")
        #expect(try await ann.http.send("PUT", "/v1/me/blocks/\(owner.id)", headers: Self.json).status == 200)
        for socket in sockets {
            let frame = try await socket.nextJSON { $0["type"]?.string == "blocks" }
            #expect(frame["blocks"] == [.string(owner.id)])
        }
        // The typing of the blocked user is hidden, and their message follows.
        let theirs = try await TestSocket.connect(
            port: cluster.gateways[1].port, headers: owner.cookieHeader, subprotocols: ["parley.v1"])
        _ = try await theirs.nextJSON { $0["type"]?.string == "hello" }
        try await theirs.send(json: ["typing": ["id": .string(room), "on": true]])
        try await theirs.send(json: ["message": ["id": .string(room), "text": "hi"]])
        for socket in sockets {
            let frame = try await socket.nextJSON { ["typing", "message"].contains($0["type"]?.string) }
            #expect(frame["text"]?.string == "hi")
        }
        try await cluster.stop()
    }

    /// Sends a message to each room; the levels of the acks, or the codes of the errors.
    private static func send(_ socket: TestSocket, _ first: Int, _ rooms: [String]) async throws -> [String] {
        var responses: [String] = []
        for (index, room) in rooms.enumerated() {
            let ref = first + index
            try await socket.send(json: ["ref": .int(ref), "message": ["id": .string(room), "text": "hi"]])
            let response = try await socket.nextJSON(within: .seconds(30)) { $0["ref"]?.int == ref }
            responses.append(response["code"]?.string ?? response["level"]?.string ?? "")
        }
        return responses
    }
}
