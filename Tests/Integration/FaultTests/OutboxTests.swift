import ParleyTestServers
import ParleyTestSupport
import Testing

/// Committed changes reach the log, even if the process that committed them is killed.
@Suite("Changes of members and titles survive their process", .timeLimit(.minutes(3)))
struct OutboxTests {
    @Test(
        "killed between commit and relay, or before the log's answer: a persister tells it, in order and once",
        arguments: [TCPProxy.Mode.frozen, .deaf])
    func killed(mode: TCPProxy.Mode) async throws {
        let cluster = try await Cluster.start(gateways: 1, persisters: 2, hasLines: true)
        let (first, second) = (cluster.persisters[0], cluster.persisters[1])
        let ann = try await TestUser.signUp("ann", port: first.port)
        let bob = try await TestUser.signUp("bob", port: first.port)
        let cat = try await TestUser.signUp("cat", port: first.port)
        let room = try await ann.join("Tea")
        _ = try await bob.join("Tea")
        let socket = try await TestSocket.connect(
            port: cluster.gateways[0].port, headers: ann.cookieHeader, subprotocols: ["parley.v1"])
        #expect(try await socket.nextJSON()["type"]?.string == "hello")
        try await cluster.waitUntilStored(room, seq: 2)
        try await Self.reach("an empty outbox") { try await cluster.rows("SELECT id FROM outbox").isEmpty }

        cluster.persisterLines[0].redis.become(mode)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await cat.join("Tea") },
                { try await Self.send("PATCH", "/v1/threads/\(room)", #"{"title":"Coffee"}"#, by: ann) },
                {
                    try await Self.send(
                        "POST", "/v1/threads/\(room)/members", #"{"user":"\#(bob.id)","role":"moderator"}"#, by: ann)
                },
                { try await Self.send("DELETE", "/v1/threads/\(room)/members/\(bob.id)", "", by: bob) },
            ]
            let members = "FROM members WHERE thread_id = '\(room)' AND user_id ="
            // What a log has that does not answer may be stored already, so the tables say what is committed.
            let committed = [
                "SELECT 1 \(members) '\(cat.id)'", "SELECT 1 FROM threads WHERE id = '\(room)' AND title = 'Coffee'",
                "SELECT 1 \(members) '\(bob.id)' AND role = 'moderator'",
                "SELECT 1 WHERE NOT EXISTS (SELECT 1 \(members) '\(bob.id)')",
            ]
            for (call, request) in zip(calls, committed) {
                // Nobody is answered, or not in time; what counts is that it is committed.
                group.addTask { try? await call() }
                try await Self.reach(request) { try await !cluster.rows(request).isEmpty }
            }
            try await first.kill()
            try await group.waitForAll()
        }
        let began = ContinuousClock.now
        let client = HTTPClient(port: second.port, headers: [("Authorization", "Bearer \(Cluster.apiKey)")])
        let wanted = ["joined", "joined", "joined", "renamed", "role", "left"]
        var kinds: [String] = []
        try await Self.reach("the log is told") {
            let reply = try await client.get("/v1/threads/\(room)/events")
            kinds = try reply.json()["events"]?.array?.compactMap { $0["type"]?.string } ?? []
            return kinds.count >= wanted.count
        }
        print("told and stored \(ContinuousClock.now - began) after the process was killed")
        #expect(ContinuousClock.now - began < .seconds(10) + .leeway, "\(cluster.logs())")
        var live: [String] = []
        while live.count < 4 {
            if let type = try await socket.nextJSON()["type"]?.string, wanted.contains(type) { live.append(type) }
        }
        #expect(live == Array(wanted.suffix(4)))
        try await Self.reach("an empty outbox") { try await cluster.rows("SELECT id FROM outbox").isEmpty }
        let reply = try await client.get("/v1/threads/\(room)/events")
        #expect(try reply.json()["events"]?.array?.compactMap { $0["type"]?.string } == wanted)
        let members = try await cluster.rows("SELECT user_id FROM members WHERE thread_id = '\(room)'")
        #expect(Set(members) == [ann.id, cat.id])
        try await cluster.stop()
    }

    private static func send(_ method: String, _ target: String, _ json: String, by user: TestUser) async throws {
        _ = try await user.http.send(
            method, target, headers: json.isEmpty ? [] : [("Content-Type", "application/json")], body: Array(json.utf8))
    }

    private static func reach(_ what: String, _ isTrue: () async throws -> Bool) async throws {
        let limit = Duration.seconds(20)
        guard try await eventually(within: limit, isTrue) else { throw TimedOut(what, after: limit) }
    }
}
