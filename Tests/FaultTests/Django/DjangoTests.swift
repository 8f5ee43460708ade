import Foundation
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

    /// One with plain payloads, one with encrypted ones.
    static let plainAndEncrypted = [setups[0], setups[3]]

    private func inWorld(
        _ setup: DjangoSetup = DjangoSetup(), rooms: [String] = ["one"], _ body: (DjangoWorld) async throws -> Void
    ) async throws {
        let population = try await DjangoWorld.start(setup, rooms: rooms)
        do {
            try await body(population)
        } catch {
            Issue.record(error, "\(population.logs())")
        }
        try await population.stop()
    }

    /// What Django may put into a message, beyond what Parley has in one.
    private static func djangoMessage(in thread: String) -> [String: JSONValue] {
        [
            "text": "from Django: é, 😀, \"quoted\", \u{1}", "sender_id": "7", "sender_name": "Django",
            "thread_id": .string(thread), "big": 9_007_199_254_740_993, "ratio": .double(0.5), "none": .null,
            "parts": [["type": "image/jpeg", "url": "https://example.org/a.jpg"]],
        ]
    }

    @Test("messages go both ways, and everybody sees the same", arguments: setups)
    func bothWays(_ setup: DjangoSetup) async throws {
        try await inWorld(setup) { population in
            for thread in population.threads {
                try await population.peer.join(thread, listeners: DjangoWorld.listeners)
                let message = try await population.say("hi é 😀 \u{7F}/\\", on: population.alice, in: thread)
                try demandEqual(
                    Set((message.object ?? [:]).keys),
                    [
                        "type", "id", "text", "sender_id", "sender_name", "thread_id", "seq", "epoch", "date_ms",
                        "date",
                    ], "the fields of a message")
                try demandEqual(message["sender_name"], "alice", "the sender's name")
                try demandEqual(message["thread_id"]?.string, thread, "the thread")
                try demandEqual(message["date_ms"]?.int.map { $0 / 1000 }, message["date"]?.int, "the two dates")

                try await population.groupSend(Self.djangoMessage(in: thread), to: thread)
                try await population.groupSend(["text": "short", "seq": 1], to: thread, type: "chat_message")
                // A browser on Django's own socket.
                try await population.peer.say("typed in the old client", in: thread)
                let typed = try await population.alice.nextJSON()
                try demandEqual(typed["text"], "typed in the old client", "what Alice sees of the old client")
                try demandEqual(try await population.bob.nextJSON(), typed, "what Bob sees of it")
                _ = try await population.peer.next(in: thread)

                try await population.say("and back", on: population.bob, in: thread)
                try await population.peer.leave(thread)
            }
            try demandEqual(population.peer.rest, [], "what else Django was told")
            try demandEqual(try await population.count("parley_bus_poison_total"), 0, "poison")
        }
    }

    @Test(
        "many messages from two gateways reach Django once each, in the order of their seq",
        arguments: plainAndEncrypted)
    func order(_ setup: DjangoSetup) async throws {
        let count = 400
        try await inWorld(setup) { population in
            let thread = population.threads[0]
            try await population.peer.join(thread, listeners: DjangoWorld.listeners)
            async let sending: Void = {
                for number in 0..<count {
                    let socket = number % 2 == 0 ? population.alice : population.bob
                    try await socket.send(json: ["message": ["id": .string(thread), "text": "\(number)"]])
                }
            }()
            var (shown, seen): ([JSONValue], [JSONValue]) = ([], [])
            for _ in 0..<count {
                shown.append(try await population.alice.nextJSON())
                seen.append(try await population.peer.next(in: thread))
            }
            try await sending
            let seqs = shown.compactMap { $0["seq"]?.int }
            try demandEqual(seqs, (0..<count).map { (seqs.first ?? 0) + $0 }, "what Alice sees")
            if setup.isEncrypted {
                // Each gateway encrypts and publishes what came by it, so only each sender's order is kept.
                for name in ["alice", "bob"] {
                    let own = { (messages: [JSONValue]) in messages.filter { $0["sender_name"]?.string == name } }
                    try demandEqual(own(seen), own(shown), "what Django sees of \(name)")
                }
            } else {
                try demandEqual(seen, shown, "what Django sees")
            }
        }
    }

    @Test("poison in the group changes nothing for any socket or node", arguments: plainAndEncrypted)
    func poison(_ setup: DjangoSetup) async throws {
        let vectors = try DjangoPoison()
        try await inWorld(setup) { population in
            let thread = population.threads[0]
            try await population.peer.waitForListeners(DjangoWorld.listeners - 1, in: thread)
            for hex in vectors.payloads { try await population.peer.publish(hex: hex, to: thread) }
            for type in vectors.dangerousTypes {
                let event: JSONValue = ["type": .string(type), "message": ["text": "no"], "text": "no", "code": 1000]
                try demandEqual(try await population.peer.groupSend(event, to: thread), true, "group_send")
            }
            // The next that anybody sees is what comes after all that.
            try await population.say("still here", on: population.alice, in: thread, reachesDjango: false)
            try await population.say("so am I", on: population.bob, in: thread, reachesDjango: false)
            try await population.groupSend(["text": "and I"], to: thread, reachesDjango: false)
            // Each gateway has counted each: as poison, or as an event that is none for clients.
            let poison = try await population.count("parley_bus_poison_total")
            let dropped = try await population.count("parley_bus_foreign_dropped_total")
            try demandEqual(poison + dropped, 2 * (vectors.payloads.count + vectors.dangerousTypes.count), "counted")
            let good = setup.isEncrypted ? 0 : vectors.goodEvents
            try demandEqual(poison, 2 * (vectors.payloads.count - good), "poison")
            for gateway in population.gateways {
                try demandEqual(try await gateway.http.get("/readyz").status, 200, "readiness")
            }
            // A consumer that joins now sees what comes now.
            try await population.peer.join(thread, listeners: DjangoWorld.listeners)
            try await population.say("welcome", on: population.alice, in: thread)
        }
    }

    @Test("what Parley says beside messages never reaches a consumer", arguments: plainAndEncrypted)
    func events(_ setup: DjangoSetup) async throws {
        try await inWorld(setup, rooms: ["lobby"]) { population in
            let thread = population.threads[0]
            try await population.peer.join(thread, listeners: DjangoWorld.listeners)
            let before = try await population.count("parley_bus_received_total")
            // A newcomer, with a socket; a guest who comes by TCP, speaks and goes; a read mark; a logout.
            let carol = try await TestUser.signUp("carol", port: population.persister.port)
            _ = try await carol.join("lobby")
            let socket = try await TestSocket.connect(port: population.gateways[1].port, headers: carol.cookieHeader)
            let guest = try await LineClient.connect(port: try #require(population.gateways[0].linePort))
            try await guest.send(line: "iam:Zoë")
            try demandEqual(try await guest.next(), "Zoë:has joined", "what the guest sees")
            try await guest.send(line: "msg:hello from nc")
            for person in [population.alice, population.bob, socket] {
                try demandEqual(try await person.nextJSON()["sender_name"], "Zoë", "who speaks")
            }
            try demandEqual(try await population.peer.next(in: thread)["text"], "hello from nc", "what Django sees")
            await guest.close()
            try await socket.send(json: ["read": .string(thread)])
            try await carol.logOut()
            try demandEqual(try await socket.closeCode(), 4001, "the end of Carol's socket")
            // All of it went through Redis: at least the join, the guest's two ephemeral events and the logout.
            let isThrough = try await eventually {
                try await population.count("parley_bus_received_total") >= before + 4
            }
            try demandEqual(isThrough, true, "events went over the bus")
            try await population.say("and the consumer lives", on: population.alice, in: thread)
            try demandEqual(population.peer.rest, [], "what else Django was told")
        }
    }

    @Test(
        "after a restart of Redis both sides find each other again, and no socket has closed",
        arguments: plainAndEncrypted)
    func restart(_ setup: DjangoSetup) async throws {
        try await inWorld(setup) { population in
            let thread = population.threads[0]
            try await population.peer.join(thread, listeners: DjangoWorld.listeners)
            try await population.say("before", on: population.alice, in: thread)
            try await population.redis[0].restart()
            try await population.peer.waitForListeners(DjangoWorld.listeners, in: thread)
            let message = try await population.say("after", on: population.bob, in: thread)
            try await population.groupSend(Self.djangoMessage(in: thread), to: thread)
            try await population.say("and on", on: population.alice, in: thread)
            try demandEqual(message["thread_id"]?.string, thread, "the thread")
        }
    }
}
