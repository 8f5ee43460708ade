import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("What was deleted is told to nobody and kept nowhere", .timeLimit(.minutes(3)))
struct DeletedTextTests {
    private static let people = [
        #"{"user":{"id":"ann","username":"ann"}}"#, #"{"user":{"id":"bob","username":"bob"}}"#,
        #"{"user":{"id":"cyd","username":"cyd"}}"#,
    ]

    private static func room(_ id: String) -> [String] {
        [
            #"{"thread":{"id":"\#(id)","title":"Room \#(id)"}}"#,
            #"{"member":{"thread":"\#(id)","user":"ann","role":"owner"}}"#,
            #"{"member":{"thread":"\#(id)","user":"bob"}}"#,
        ]
    }

    private static func joined(_ user: String, _ room: String) -> String {
        #"{"member":{"thread":"\#(room)","user":"\#(user)"}}"#
    }

    /// All events of a room that the endpoints return from its beginning on: history and resume of a new member, a
    /// resume of an earlier member, and REST.
    private func told(
        of room: String, to newcomer: String, on cluster: SecretCluster
    ) async throws -> [(endpoint: String, events: [JSONValue])] {
        let late = try await cluster.client(newcomer, at: 1)
        let epoch = late.hello["threads"]?.array?.first { $0["id"]?.string == room }?["epoch"]?.string ?? ""
        let resumed = try await late.resume(room, epoch: epoch, seq: 0)
        let history = try await late.history(of: room)
        let page = try await late.ask(#""history":{"id":"\#(room)","after":0,"limit":2}"#).response
        var told = [
            ("resume", resumed), ("history", history), ("the beginning", page["events"]?.array ?? []),
        ]
        let bob = try await cluster.client("bob")
        told.append(("resume of a member", try await bob.resume(room, epoch: epoch, seq: 1)))
        for list in ["events", "messages"] {
            let reply = try await cluster.rest(as: "bob").get("/v1/threads/\(room)/\(list)")
            told.append((list, try reply.json()[list]?.array ?? []))
        }
        for socket in [late.socket, bob.socket] { try await socket.close() }
        return told
    }

    static let shapes: [(hosts: Int, keys: String?)] = [(1, nil), (3, nil), (1, "a key")]

    @Test("texts and parts of deleted messages, and of their edits, are gone within 5 s", arguments: shapes)
    func deletion(_ shape: (hosts: Int, keys: String?)) async throws {
        let cluster = try await SecretCluster.start(hosts: shape.hosts, keys: shape.keys)
        // Of several hosts, each has some of them.
        let rooms = (1...6).map { "r\($0)" }
        try await cluster.importing(Self.people + rooms.flatMap(Self.room))
        let ann = try await cluster.client("ann")
        var messages: [String: String] = [:]
        for room in rooms {
            _ = try await ann.say("hello", in: room)
            let parts = #","parts":[{"type":"text/plain","content":"hidden-part"}],"client_id":"c-\#(room)""#
            let message = try await ann.say("hidden-first", in: room, parts)
            try await ann.edit(message.id, in: room, "hidden-second")
            try await ann.react(message.id, in: room, "👍")
            try await ann.edit(message.id, in: room, "hidden-third")
            _ = try await ann.say("bye", in: room)
            messages[room] = message.id
        }
        if shape.keys == nil { #expect(try await !cluster.places(of: "hidden-third").isEmpty) }
        for room in rooms { try await ann.delete(try #require(messages[room]), in: room) }
        try await cluster.importing(rooms.map { Self.joined("cyd", $0) })
        // At once, whatever has been stored and redacted by now, no socket receives it.
        let late = try await cluster.client("cyd", at: 1)
        for room in rooms {
            let events = try await late.history(of: room)
            #expect(events.count == 7)
            #expect(!"\(events)".contains("hidden"), "\(events)")
        }
        try await late.socket.close()

        let (took, left) = try await cluster.untilGone(["hidden-first", "hidden-second", "hidden-third", "hidden-part"])
        #expect(left == [])
        #expect(took < .seconds(5) + .leeway)
        for room in rooms {
            for (endpoint, events) in try await told(of: room, to: "cyd", on: cluster) {
                #expect(!"\(events)".contains("hidden"), "\(endpoint): \(events)")
                let gone = events.first { $0["id"]?.string == messages[room] }
                #expect(
                    gone?["deleted"]?.bool == true || endpoint == "messages" && gone == nil, "\(endpoint): \(events)")
                #expect(gone?["text"]?.string == "", "\(endpoint)")
                #expect(gone?["seq"]?.int == 2, "\(endpoint)")
            }
        }
        // Its sender gets the first receipt all the same, and nothing comes back by that.
        let parts = #""parts":[{"type":"text/plain","content":"hidden-part"}],"client_id":"c-r1""#
        let repeated = try await ann.ask(#""message":{"id":"r1","text":"hidden-first",\#(parts)}"#).response
        #expect(repeated["seq"]?.int == 2 && repeated["repeat"]?.bool == true, "\(repeated)")
        #expect(try await cluster.places(of: "hidden-first") == [])
        try await cluster.stop()
    }

    @Test("an edited message is told as it is now, also by its earlier edits, and with its reactions")
    func edits() async throws {
        let cluster = try await SecretCluster.start()
        try await cluster.importing(Self.people + Self.room("tea"))
        let ann = try await cluster.client("ann")
        _ = try await ann.say("hello", in: "tea")
        let message = try await ann.say("hidden-first", in: "tea")
        try await ann.edit(message.id, in: "tea", "hidden-second")
        try await ann.react(message.id, in: "tea", "👍")
        try await ann.edit(message.id, in: "tea", "third")
        try await cluster.importing([Self.joined("cyd", "tea")])
        func check(_ events: [JSONValue], _ place: String) {
            #expect(!"\(events)".contains("hidden"), "\(place): \(events)")
            let shown = events.first { $0["type"]?.string == "message" && $0["seq"]?.int == 2 }
            #expect(shown?["text"]?.string == "third", "\(place)")
            #expect(shown?["edited_ms"]?.int != nil, "\(place)")
            #expect(shown?["reactions"]?[0]?["users"] == ["ann"], "\(place)")
            let edits = events.filter { $0["type"]?.string == "edited" }.map { $0["text"]?.string }
            let hasEdits = place != "messages" && place != "the beginning"
            #expect(edits == (hasEdits ? ["third", "third"] : []), "\(place)")
        }
        let late = try await cluster.client("cyd", at: 1)
        check(try await late.history(of: "tea"), "at once")
        try await late.socket.close()
        let seq = try await ann.say("bye", in: "tea").seq
        #expect(
            try await eventually {
                try await cluster.rows("SELECT head_seq FROM threads WHERE id = 'tea'") == ["\(seq)"]
            })
        for (endpoint, events) in try await told(of: "tea", to: "cyd", on: cluster) { check(events, endpoint) }
        // The log of Redis has lost all of it: the store returns the same.
        let keys = try await cluster.redis[0].cli("KEYS", "*:log:tea")
        try await cluster.redis[0].cli("DEL", keys)
        _ = try await ann.say("and on", in: "tea")
        for (endpoint, events) in try await told(of: "tea", to: "cyd", on: cluster) { check(events, endpoint) }
        try await cluster.stop()
    }

    @Test("a deletion and an erasure do not wait until the persister reads by itself")
    func slowPersister() async throws {
        let cluster = try await SecretCluster.start(environment: ["PARLEY_PERSISTER_DELAY_MS": "10000"])
        try await cluster.importing(Self.people + Self.room("tea"))
        let (ann, bob) = (try await cluster.client("ann"), try await cluster.client("bob"))
        let message = try await ann.say("hidden-text", in: "tea")
        let bobs = try await bob.say("hidden-too", in: "tea")
        // Stored as soon as a sender waits for it.
        _ = try await ann.ask(#""message":{"id":"tea","text":"wait","ack":"stored"}"#)
        let texts = {
            let reply = try await cluster.rest(as: "ann").get("/v1/threads/tea/messages")
            return try reply.json()["messages"]?.array?.compactMap { $0["text"]?.string } ?? []
        }
        #expect(try await eventually { try await texts().contains("hidden-text") })
        try await ann.delete(message.id, in: "tea")
        #expect(try await eventually(within: .seconds(7)) { try await !texts().contains("hidden-text") })
        try await bob.edit(bobs.id, in: "tea", "hidden-edit")
        #expect(try await cluster.rest(as: "bob").send("DELETE", "/v1/me").status == 204)
        let (took, left) = try await cluster.untilGone(["hidden-text", "hidden-too", "hidden-edit"])
        #expect(left == [])
        #expect(took < .seconds(8))
        try await cluster.stop()
    }

    @Test("a persister that is killed between a deletion and its storing leaves no text behind")
    func killed() async throws {
        let cluster = try await SecretCluster.start()
        try await cluster.importing(Self.people + Self.room("tea"))
        let ann = try await cluster.client("ann")
        let messages = [try await ann.say("hidden-one", in: "tea"), try await ann.say("hidden-two", in: "tea")]
        #expect(
            try await eventually { try await cluster.rows("SELECT head_seq FROM threads WHERE id = 'tea'") == ["2"] })
        try await cluster.persister.kill()
        for message in messages { try await ann.delete(message.id, in: "tea") }
        // It is not stored, and still no client receives it.
        let bob = try await cluster.client("bob", at: 1)
        #expect(!"\(try await bob.history(of: "tea"))".contains("hidden"))
        #expect(try await !cluster.places(of: "hidden-one").isEmpty)
        try await cluster.persister.restart()
        let (took, left) = try await cluster.untilGone(["hidden-one", "hidden-two"])
        #expect(left == [])
        #expect(took < .seconds(5) + .leeway)
        try await cluster.stop()
    }
}
