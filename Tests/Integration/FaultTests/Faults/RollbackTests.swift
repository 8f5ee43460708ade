import ParleyTestServers
import ParleyTestSupport
import Testing

/// A client with what it has received: positions, and what they meant.
private struct Reader {
    let socket: TestSocket
    private var number = 0

    static func connect(_ user: String, to cluster: Cluster) async throws -> Reader {
        let socket = try await TestSocket.connect(
            port: cluster.gateways[0].port,
            headers: [("Authorization", "Bearer \(Cluster.apiKey)"), ("X-Parley-User", user)],
            subprotocols: ["parley.v1"])
        #expect(try await socket.nextJSON()["type"]?.string == "hello")
        return Reader(socket: socket)
    }

    private init(socket: TestSocket) { self.socket = socket }

    /// Sends a command.
    /// - Returns: its answer, and the frames before it.
    mutating func ask(
        _ command: String, level: String? = nil, within limit: Duration = .patience
    ) async throws -> (answer: JSONValue, before: [JSONValue]) {
        number += 1
        try await socket.send(text: #"{"ref":\#(number),\#(command)}"#)
        var before: [JSONValue] = []
        while true {
            let frame = try await socket.nextJSON(within: limit)
            if frame["ref"]?.int == number, level == nil || frame["level"]?.string == level { return (frame, before) }
            before.append(frame)
        }
    }
}

/// What positions mean, by everything that was observed.
private struct Meanings {
    private var ids: [String: String] = [:]

    mutating func note(_ frame: JSONValue) {
        guard let epoch = frame["epoch"]?.string, let seq = frame["seq"]?.int, let id = frame["id"]?.string else {
            return
        }
        let place = "\(frame["thread_id"]?.string ?? "") \(epoch) \(seq)"
        #expect(ids[place] ?? id == id, "\(place) has two meanings")
        ids[place] = id
    }
}

@Suite("Redis loses what PostgreSQL has, and all nodes are restarted", .timeLimit(.minutes(5)))
struct RollbackTests {
    private static let room = "garden"
    private static let quiet = "attic"

    private func makeRooms(_ cluster: Cluster) async throws {
        var lines = ["ann", "bob"].map { #"{"user":{"id":"\#($0)","username":"\#($0)"}}"# }
        for room in [Self.room, Self.quiet] {
            lines.append(#"{"thread":{"id":"\#(room)","title":"\#(room)"}}"#)
            lines.append(#"{"member":{"thread":"\#(room)","user":"ann","role":"owner"}}"#)
            lines.append(#"{"member":{"thread":"\#(room)","user":"bob"}}"#)
        }
        let imported = try await cluster.rest().send(
            "POST", "/v1/admin/import", headers: [("Content-Type", "application/x-ndjson")],
            body: Array(lines.joined(separator: "\n").utf8))
        #expect(imported.status == 200)
    }

    private func send(
        _ text: String, to room: String, _ level: String, _ client: inout Reader, _ meanings: inout Meanings
    ) async throws -> JSONValue {
        let command = #""message":{"id":"\#(room)","text":"\#(text)","client_id":"\#(text)","ack":"\#(level)"}"#
        let (answer, before) = try await client.ask(command, level: level)
        #expect(answer["type"]?.string == "ack", "\(answer)")
        for frame in before + [answer] { meanings.note(frame) }
        return answer
    }

    private func texts(_ frame: JSONValue, _ field: String, _ meanings: inout Meanings) -> [String] {
        let events = frame[field]?.array ?? []
        for event in events { meanings.note(event) }
        return events.compactMap { $0["text"]?.string }
    }

    @Test("every path serves what is stored, no position has two meanings, and only those who had more are told")
    func lostSecond() async throws {
        let cluster = try await Cluster.start(gateways: 1, persisters: 1)
        try await makeRooms(cluster)
        var meanings = Meanings()
        var ann = try await Reader.connect("ann", to: cluster)
        for number in 1...5 { _ = try await send("\(number)", to: Self.room, "stored", &ann, &meanings) }
        _ = try await send("quiet", to: Self.quiet, "stored", &ann, &meanings)
        try cluster.redis.saveData()
        for number in 6...8 { _ = try await send("\(number)", to: Self.room, "stored", &ann, &meanings) }
        try await cluster.persisters[0].kill()
        let last = try await send("9", to: Self.room, "accepted", &ann, &meanings)
        let epoch = try #require(last["epoch"]?.string)
        let end = try #require(last["seq"]?.int)
        try await cluster.gateways[0].kill()
        try await cluster.redis.loseData()
        try await cluster.redis.restart()
        try await cluster.persisters[0].restart()
        try await cluster.gateways[0].restart()

        // Four clients, by what they had.
        for (seq, state, from, to) in [
            (end - 4, "replayed", end - 3, end - 1), (end - 1, "live", end, end - 1), (end, "rolled_back", end, end),
        ] {
            var bob = try await Reader.connect("bob", to: cluster)
            let (answer, before) = try await bob.ask(
                #""resume":{"threads":{"\#(Self.room)":{"epoch":"\#(epoch)","seq":\#(seq)}}}"#)
            for frame in before { meanings.note(frame) }
            let result = answer["threads"]?[Self.room]
            #expect(result?["state"]?.string == state, "\(answer)")
            #expect(result?["from"]?.int == from && result?["to"]?.int == to, "\(answer)")
            if state == "replayed" { #expect(before.compactMap { $0["text"]?.string } == ["6", "7", "8"]) }
            try await bob.socket.close()
        }
        var bob = try await Reader.connect("bob", to: cluster)
        let hello = try await bob.ask(#""history":{"id":"\#(Self.quiet)"}"#).answer
        #expect(texts(hello, "events", &meanings) == ["quiet"])

        ann = try await Reader.connect("ann", to: cluster)
        let new = try await send("new", to: Self.room, "stored", &ann, &meanings)
        #expect(new["epoch"]?.string != epoch && new["seq"]?.int == end, "\(new)")
        // A stored message that is sent again has its first place, and a lost one gets another.
        let again = try await send("7", to: Self.room, "accepted", &ann, &meanings)
        #expect(again["repeat"]?.bool == true && again["epoch"]?.string == epoch, "\(again)")
        _ = try await send("9", to: Self.room, "stored", &ann, &meanings)
        _ = try await send("more", to: Self.quiet, "stored", &ann, &meanings)

        let expected = (1...8).map { "\($0)" } + ["new", "9"]
        let page = try await ann.ask(#""history":{"id":"\#(Self.room)"}"#).answer
        #expect(texts(page, "events", &meanings) == expected)
        for path in ["messages?limit=100", "events?limit=100"] {
            let reply = try await cluster.rest(as: "ann").get("/v1/threads/\(Self.room)/\(path)").json()
            #expect(texts(reply, path.hasPrefix("events") ? "events" : "messages", &meanings) == expected)
        }
        let quiet = try await ann.ask(#""history":{"id":"\#(Self.quiet)"}"#).answer
        #expect(texts(quiet, "events", &meanings) == ["quiet", "more"])
        let rows = try await cluster.rows(
            "SELECT count(*), count(DISTINCT seq) FROM messages WHERE thread_id = '\(Self.room)'")
        #expect(rows == ["10|10"])
        try await cluster.stop()
    }

    @Test("a live client that has seen everything that is left goes on, though the database is away")
    func databaseAway() async throws {
        let cluster = try await Cluster.start(gateways: 1, persisters: 1, hasLines: true)
        try await makeRooms(cluster)
        var meanings = Meanings()
        var ann = try await Reader.connect("ann", to: cluster)
        var old = JSONValue.null
        for number in 1...5 { old = try await send("\(number)", to: Self.room, "stored", &ann, &meanings) }
        try cluster.redis.saveData()
        for number in 6...8 { old = try await send("\(number)", to: Self.room, "stored", &ann, &meanings) }
        for lines in cluster.gatewayLines + cluster.persisterLines { lines.postgres.become(.cut) }
        try await cluster.redis.loseData()
        try await cluster.redis.restart()
        var answer = JSONValue.null
        let isAccepted = try await eventually(within: .seconds(30)) {
            answer = try await ann.ask(#""message":{"id":"\#(Self.room)","text":"on","client_id":"on"}"#).answer
            return answer["type"]?.string == "ack"
        }
        #expect(isAccepted, "\(answer)")
        meanings.note(answer)
        #expect(answer["epoch"]?.string != old["epoch"]?.string, "\(answer)")
        for lines in cluster.gatewayLines + cluster.persisterLines { lines.postgres.become(.normal) }
        _ = try await send("after", to: Self.room, "stored", &ann, &meanings)
        let expected = (1...8).map { "\($0)" } + ["on", "after"]
        let reply = try await cluster.rest(as: "ann").get("/v1/threads/\(Self.room)/messages?limit=100").json()
        #expect(texts(reply, "messages", &meanings) == expected)
        // The gateway may still be connecting to the database.
        var page = JSONValue.null
        let isRead = try await eventually(within: .seconds(20)) {
            page = try await ann.ask(#""history":{"id":"\#(Self.room)"}"#).answer
            return page["type"]?.string == "page"
        }
        #expect(isRead, "\(page)")
        #expect(texts(page, "events", &meanings) == expected)
        try await cluster.stop()
    }
}
