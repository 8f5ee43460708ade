import ParleyTestServers
import ParleyTestSupport
import Testing

/// A mute, its end, and a ban hold on every node, even if the notification of them is lost.
@Suite("Sanctions that nodes are not told of", .timeLimit(.minutes(5)))
struct LostSanctionTests {
    /// Maximum time until a node finds a change whose notification was lost.
    private static let limit = Duration.seconds(10)

    @Test("mutes and a ban while a gateway is cut from the bus reach its live sockets and its new ones")
    func cut() async throws {
        let cluster = try await Cluster.start(gateways: 2, persisters: 2, hasLines: true)
        let owner = try await TestUser.signUp("owner", port: cluster.persisters[0].port)
        let ann = try await TestUser.signUp("ann", port: cluster.persisters[0].port)
        var rooms: [String] = []
        for title in ["muted", "freed", "banned", "stays"] {
            rooms.append(try await owner.join(title))
            _ = try await ann.join(title)
        }
        let (muted, freed, banned) = (rooms[0], rooms[1], rooms[2])
        #expect(try await Self.put("mute", on: ann, in: freed, by: owner) == 200)
        let gateway = cluster.gateways[0]
        let live = try await Self.socket(gateway, ann)
        _ = try await live.nextJSON { $0["type"]?.string == "hello" }
        let before = try await Self.send(live, 0, rooms)
        #expect(before == ["accepted", "forbidden", "accepted", "accepted"])

        cluster.gatewayLines[0].redis.become(.cut)
        #expect(try await Self.put("mute", on: ann, in: muted, by: owner) == 200)
        #expect(try await Self.put("ban", on: ann, in: banned, by: owner) == 200)
        let ended = try await owner.http.send("DELETE", "/v1/threads/\(freed)/sanctions/\(ann.id)/mute")
        #expect(ended.status == 204)
        cluster.gatewayLines[0].redis.become(.normal)
        let healed = ContinuousClock.now
        var (ref, responses): (Int, [String]) = (10, [])
        _ = try await eventually(within: Self.limit, every: .milliseconds(200)) {
            ref += 10
            responses = try await Self.send(live, ref, rooms)
            return responses == ["forbidden", "accepted", "not_a_member", "accepted"]
        }
        #expect(responses == ["forbidden", "accepted", "not_a_member", "accepted"])
        print("sanctions found \(ContinuousClock.now - healed) after the cut")

        let fresh = try await Self.socket(gateway, ann)
        let hello = try await fresh.nextJSON { $0["type"]?.string == "hello" }
        let reasons = (hello["threads"]?.array ?? []).reduce(into: [String: String]()) {
            $0[$1["id"]?.string ?? ""] = $1["mute"].map { $0["reason"]?.string ?? "none" } ?? "not muted"
        }
        #expect(reasons == [muted: "spam", freed: "not muted", rooms[3]: "not muted"])
        let kept = try await ann.http.post("/v1/threads/\(banned)/members", form: ["user": ann.id])
        #expect(kept.status == 403)
        try await cluster.stop()
    }

    @Test("a muted user's sockets on all nodes are told of the mute, its change and its early end, and no other's")
    func told() async throws {
        let cluster = try await Cluster.start(gateways: 2, persisters: 1)
        let owner = try await TestUser.signUp("owner", port: cluster.persisters[0].port)
        let ann = try await TestUser.signUp("ann", port: cluster.persisters[0].port)
        let room = try await owner.join("garden")
        _ = try await ann.join("garden")
        var sockets: [TestSocket] = []
        for gateway in cluster.gateways { sockets.append(try await Self.socket(gateway, ann)) }
        let others = try await Self.socket(cluster.gateways[0], owner)
        for socket in sockets + [others] { _ = try await socket.nextJSON { $0["type"]?.string == "hello" } }
        let path = "/v1/threads/\(room)/sanctions/\(ann.id)/mute"
        let mute = try await owner.http.send(
            "PUT", path, headers: [("Content-Type", "application/json")],
            body: Array(#"{"seconds":600,"reason":"spam"}"#.utf8))
        let until = try #require(try mute.json()["until_ms"]?.int)
        for socket in sockets {
            let frame = try await socket.nextJSON { $0["type"]?.string == "mute" }
            #expect(
                frame == [
                    "type": "mute", "thread_id": .string(room), "mute": ["until_ms": .int(until), "reason": "spam"],
                ])
        }
        #expect(try await Self.put("mute", on: ann, in: room, by: owner) == 200)
        for socket in sockets {
            let frame = try await socket.nextJSON { $0["type"]?.string == "mute" }
            #expect(frame["mute"] == ["reason": "spam"])
        }
        #expect(try await owner.http.send("DELETE", path).status == 204)
        for socket in sockets {
            let frame = try await socket.nextJSON { $0["type"]?.string == "mute" }
            #expect(frame["mute"] == .null)
        }
        // The owner's next frame is the answer to a later command.
        try await others.send(json: ["ping": 1, "ref": 1])
        #expect(try await others.nextJSON()["type"] == "pong")
        try await cluster.stop()
    }

    // MARK: Clients

    private static func socket(_ gateway: ParleyProcess, _ user: TestUser) async throws -> TestSocket {
        try await TestSocket.connect(port: gateway.port, headers: user.cookieHeader, subprotocols: ["parley.v1"])
    }

    /// Mutes or bans without an end.
    private static func put(
        _ kind: String, on user: TestUser, in room: String, by owner: TestUser
    ) async throws -> Int {
        try await owner.http.send(
            "PUT", "/v1/threads/\(room)/sanctions/\(user.id)/\(kind)", headers: [("Content-Type", "application/json")],
            body: Array(#"{"reason":"spam"}"#.utf8)
        ).status
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
