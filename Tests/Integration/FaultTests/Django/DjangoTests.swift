import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("A real Django Channels and two gateways share their groups", .serialized, .timeLimit(.minutes(5)))
struct DjangoTests {
    static let setups: [DjangoSetup] = [
        DjangoSetup(),
        DjangoSetup(serializer: "json", hosts: 3, prefix: "shop:chat"),
        // In the midst of a change of keys: each side encrypts with its first, and reads both.
        DjangoSetup(hosts: 3, prefix: "shop", keys: (["the old key", "the new key"], ["the new key", "the old key"])),
        DjangoSetup(serializer: "json", keys: (["the new key", "the old key"], ["the old key", "the new key"])),
    ]

    /// Sites that stay on the core layer.
    static let queueSetups: [DjangoSetup] = [
        DjangoSetup(layer: "core"), DjangoSetup(layer: "core", serializer: "json", hosts: 3, prefix: "shop:chat"),
        DjangoSetup(
            layer: "core", hosts: 3, prefix: "shop",
            keys: (["the old key", "the new key"], ["the new key", "the old key"])),
    ]

    /// One with plain payloads, one with encrypted ones.
    static let plainAndEncrypted = [setups[0], setups[3]]

    private func withFixture(
        _ setup: DjangoSetup = DjangoSetup(), rooms: [String] = ["one"], _ body: (DjangoFixture) async throws -> Void
    ) async throws {
        let fixture = try await DjangoFixture.start(setup, rooms: rooms)
        do {
            try await body(fixture)
        } catch {
            Issue.record(error, "\(fixture.logs())")
        }
        try await fixture.stop()
    }

    /// What Django may put into a message, beyond what Parley has in one.
    private static func djangoMessage(in thread: String) -> [String: JSONValue] {
        [
            "text": "from Django: é, 😀, \"quoted\", \u{1}", "sender_id": "7", "sender_name": "Django",
            "thread_id": .string(thread), "big": 9_007_199_254_740_993, "ratio": .double(0.5), "none": .null,
            "parts": [["type": "image/jpeg", "url": "https://example.org/a.jpg"]],
        ]
    }

    @Test("messages go both ways, and everybody sees the same", arguments: setups + queueSetups)
    func bothWays(_ setup: DjangoSetup) async throws {
        try await withFixture(setup) { fixture in
            for thread in fixture.threads {
                try await fixture.peer.join(thread, listeners: DjangoFixture.listeners)
                let message = try await fixture.say("hi é 😀 \u{7F}/\\", on: fixture.alice, in: thread)
                try #require(
                    Set((message.object ?? [:]).keys) == [
                        "type", "id", "text", "sender_id", "sender_name", "thread_id", "seq", "epoch", "date_ms",
                        "date",
                    ], "the fields of a message")
                try #require(message["sender_name"] == "alice", "the sender's name")
                try #require(message["thread_id"]?.string == thread, "the thread")
                try #require(message["date_ms"]?.int.map { $0 / 1000 } == message["date"]?.int, "the two dates")

                try await fixture.groupSend(Self.djangoMessage(in: thread), to: thread)
                try await fixture.groupSend(["text": "short", "seq": 1], to: thread, type: "chat_message")
                // A browser on Django's own socket.
                try await fixture.peer.say("typed in the old client", in: thread)
                let typed = try await fixture.alice.nextJSON()
                try #require(typed["text"] == "typed in the old client", "what Alice sees of the old client")
                try #require(try await fixture.bob.nextJSON() == typed, "what Bob sees of it")
                _ = try await fixture.peer.next(in: thread)

                try await fixture.say("and back", on: fixture.bob, in: thread)
                try await fixture.peer.leave(thread)
            }
            try #require(fixture.peer.rest == [], "what else Django was told")
            try #require(try await fixture.count("parley_bus_poison_total") == 0, "poison")
        }
    }

    @Test(
        "many messages from two gateways reach Django once each, in the order of their seq",
        arguments: plainAndEncrypted)
    func order(_ setup: DjangoSetup) async throws {
        let count = 400
        try await withFixture(setup) { fixture in
            let thread = fixture.threads[0]
            try await fixture.peer.join(thread, listeners: DjangoFixture.listeners)
            async let sending: Void = {
                for number in 0..<count {
                    let socket = number % 2 == 0 ? fixture.alice : fixture.bob
                    try await socket.send(json: ["message": ["id": .string(thread), "text": "\(number)"]])
                }
            }()
            var (shown, seen): ([JSONValue], [JSONValue]) = ([], [])
            for _ in 0..<count {
                shown.append(try await fixture.alice.nextJSON())
                seen.append(try await fixture.peer.next(in: thread))
            }
            try await sending
            let seqs = shown.compactMap { $0["seq"]?.int }
            try #require(seqs == (0..<count).map { (seqs.first ?? 0) + $0 }, "what Alice sees")
            if setup.isEncrypted {
                // Each gateway encrypts and publishes what came by it, so only each sender's order is kept.
                for name in ["alice", "bob"] {
                    let own = { (messages: [JSONValue]) in messages.filter { $0["sender_name"]?.string == name } }
                    try #require(own(seen) == own(shown), "what Django sees of \(name)")
                }
            } else {
                try #require(seen == shown, "what Django sees")
            }
        }
    }

    @Test(
        "poison in the group changes nothing for any socket or node",
        arguments: plainAndEncrypted + [queueSetups[0], queueSetups[2]])
    func poison(_ setup: DjangoSetup) async throws {
        let vectors = try DjangoPoison()
        try await withFixture(setup) { fixture in
            let thread = fixture.threads[0]
            try await fixture.peer.waitForListeners(DjangoFixture.listeners - 1, in: thread)
            for payload in vectors.payloads { try await fixture.peer.publish(payload, to: thread) }
            for type in vectors.dangerousTypes {
                let event: JSONValue = ["type": .string(type), "message": ["text": "no"], "text": "no", "code": 1000]
                try #require(try await fixture.peer.groupSend(event, to: thread), "group_send")
            }
            // The next that anybody sees is what comes after all that.
            try await fixture.say("still here", on: fixture.alice, in: thread, reachesDjango: false)
            try await fixture.say("so am I", on: fixture.bob, in: thread, reachesDjango: false)
            try await fixture.groupSend(["text": "and I"], to: thread, reachesDjango: false)
            // Each gateway has counted each: as poison, or as an event that is none for clients.
            let poison = try await fixture.count("parley_bus_poison_total")
            let dropped = try await fixture.count("parley_bus_foreign_dropped_total")
            try #require(poison + dropped == 2 * (vectors.payloads.count + vectors.dangerousTypes.count), "counted")
            let good = setup.isEncrypted ? 0 : vectors.goodEvents
            try #require(poison == 2 * (vectors.payloads.count - good), "poison")
            for gateway in fixture.gateways {
                try #require(try await gateway.http.get("/readyz").status == 200, "readiness")
            }
            // A consumer that joins now sees what comes now.
            try await fixture.peer.join(thread, listeners: DjangoFixture.listeners)
            try await fixture.say("welcome", on: fixture.alice, in: thread)
        }
    }

    @Test(
        "what Parley says beside messages never reaches a consumer", arguments: plainAndEncrypted + [queueSetups[0]])
    func events(_ setup: DjangoSetup) async throws {
        try await withFixture(setup, rooms: ["lobby"]) { fixture in
            let thread = fixture.threads[0]
            try await fixture.peer.join(thread, listeners: DjangoFixture.listeners)
            let before = try await fixture.count("parley_bus_received_total")
            // A newcomer, with a socket; a guest who comes by TCP, speaks and goes; a read mark; a logout.
            let carol = try await TestUser.signUp("carol", port: fixture.persister.port)
            _ = try await carol.join("lobby")
            let socket = try await TestSocket.connect(port: fixture.gateways[1].port, headers: carol.cookieHeader)
            let guest = try await LineClient.connect(port: try #require(fixture.gateways[0].linePort))
            try await guest.send(line: "iam:Zoë")
            try #require(try await guest.next() == "Zoë:has joined", "what the guest sees")
            try await guest.send(line: "msg:hello from nc")
            for person in [fixture.alice, fixture.bob, socket] {
                try #require(try await person.nextJSON()["sender_name"] == "Zoë", "who speaks")
            }
            try #require(try await fixture.peer.next(in: thread)["text"] == "hello from nc", "what Django sees")
            await guest.close()
            try await socket.send(json: ["read": .string(thread)])
            try await carol.logOut()
            try #require(try await socket.closeCode() == 4001, "the end of Carol's socket")
            // All of it went through Redis: at least the join, the guest's two ephemeral events and the logout.
            let isThrough = try await eventually {
                try await fixture.count("parley_bus_received_total") >= before + 4
            }
            try #require(isThrough, "events went over the bus")
            try await fixture.say("and the consumer lives", on: fixture.alice, in: thread)
            try #require(fixture.peer.rest == [], "what else Django was told")
        }
    }

    @Test(
        "after a restart of Redis both sides find each other again, and no socket has closed",
        arguments: plainAndEncrypted)
    func restart(_ setup: DjangoSetup) async throws {
        try await withFixture(setup) { fixture in
            let thread = fixture.threads[0]
            try await fixture.peer.join(thread, listeners: DjangoFixture.listeners)
            try await fixture.say("before", on: fixture.alice, in: thread)
            try await fixture.redis[0].restart()
            try await fixture.peer.waitForListeners(DjangoFixture.listeners, in: thread)
            let message = try await fixture.say("after", on: fixture.bob, in: thread)
            try await fixture.groupSend(Self.djangoMessage(in: thread), to: thread)
            try await fixture.say("and on", on: fixture.alice, in: thread)
            try #require(message["thread_id"]?.string == thread, "the thread")
        }
    }
}
