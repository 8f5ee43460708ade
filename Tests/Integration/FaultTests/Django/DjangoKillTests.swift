import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite(
    "Kills of gateways and consumers cost nothing that Django's layer promises", .serialized,
    .timeLimit(.minutes(5)))
struct DjangoKillTests {
    /// The soak has each layer with both serializers, with and without keys, on one host and on three.
    private static let setups = isSoak ? matrix : [matrix[0], matrix[7], matrix[8], matrix[15]]
    private static let queueSetups = setups.filter { $0.layer == "core" }
    private static let matrix = ["core", "pubsub"].flatMap { layer in
        ["msgpack", "json"].flatMap { serializer in
            [false, true].flatMap { isEncrypted in
                [1, 3].map { hosts in
                    let keys = ["the old key", "the new key"]
                    return DjangoSetup(
                        layer: layer, serializer: serializer, hosts: hosts,
                        keys: isEncrypted ? (keys, keys.reversed()) : ([], []))
                }
            }
        }
    }

    /// 300 messages, and 1,000 in the soak.
    private static let chunks = isSoak ? 50 : 15
    /// Less than a queue of the core layer holds.
    private static let chunk = 20

    private func withFixture(_ setup: DjangoSetup, _ body: (DjangoFixture) async throws -> Void) async throws {
        let fixture = try await DjangoFixture.start(setup)
        do {
            try await body(fixture)
        } catch {
            Issue.record(error, "\(fixture.logs())")
        }
        try await fixture.stop()
    }

    @Test(
        "a consumer gets every accepted message once, by seq, although a gateway and a consumer die", arguments: setups)
    func toDjango(_ setup: DjangoSetup) async throws {
        try await withFixture(setup) { fixture in
            let thread = fixture.threads[0]
            let second = try await DjangoPeer.start(environment: fixture.djangoEnvironment)
            try await fixture.peer.join(thread, listeners: DjangoFixture.listeners)
            try await second.join(thread, listeners: DjangoFixture.listeners + 1)
            var (alice, seen): (TestSocket, [JSONValue]) = (fixture.alice, [])
            func say(_ text: String, on socket: TestSocket) async throws {
                try await socket.send(json: ["message": ["id": .string(thread), "text": .string(text)]])
            }
            for chunk in 0..<Self.chunks {
                for number in 0..<Self.chunk {
                    try await say("\(chunk) \(number)", on: number % 2 == 0 ? alice : fixture.bob)
                }
                // With messages on their way through it.
                if chunk == Self.chunks / 3 {
                    try await fixture.gateways[0].kill()
                    alice = try await TestSocket.connect(
                        port: fixture.gateways[1].port, headers: fixture.users[0].cookieHeader)
                }
                if chunk == Self.chunks / 2 { try await second.kill() }
                let last = "\(chunk) \(Self.chunk - 1)"
                repeat {
                    seen.append(try await fixture.peer.next(in: thread))
                } while seen.last?["text"]?.string != last
            }
            // With keys, two gateways' messages may swap on pub/sub, so the last one of each person is awaited.
            for socket in [alice, fixture.bob] { try await say("end", on: socket) }
            while seen.count(where: { $0["text"] == "end" }) < 2 {
                seen.append(try await fixture.peer.next(in: thread))
            }
            try Self.check(seen, setup)
            let metrics = try await fixture.gateways[1].metrics()
            guard setup.layer == "core" else { return }
            try #require(metrics.sum("parley_channels_over_capacity_total") ?? 0 > 0, "the dead consumer's queue")
            try #require(metrics.sum("parley_channels_missed_total") ?? 0 == 0, "missed")
        }
    }

    /// Checks the seqs that a consumer has seen.
    private static func check(_ seen: [JSONValue], _ setup: DjangoSetup) throws {
        let seqs = seen.compactMap { $0["seq"]?.int }
        let first = seqs.min() ?? 0
        if setup.layer == "pubsub", setup.isEncrypted {
            // Each gateway encrypts and publishes what came by it: only its order is kept, and what it has accepted
            // when it is killed may be missing.
            try #require(Set(seqs).count == seen.count, "once each")
            for name in ["alice", "bob"] {
                let own = seen.filter { $0["sender_name"]?.string == name }.compactMap { $0["seq"]?.int }
                try #require(own == own.sorted(), "by seq: \(name)")
            }
            try #require((seqs.max() ?? 0) - first + 1 - seen.count <= chunk / 2, "what is missing")
        } else {
            // Also those that the dead gateway had accepted.
            try #require(seqs == (0..<seen.count).map { first + $0 }, "once each, in order")
        }
        try #require(seen.count > chunks * chunk - chunk, "how many")
    }

    @Test(
        "sockets get every event of Django once, in order; on the core layer also those sent while their gateway was down",
        arguments: setups)
    func fromDjango(_ setup: DjangoSetup) async throws {
        try await withFixture(setup) { fixture in
            let thread = fixture.threads[0]
            let second = try await DjangoPeer.start(environment: fixture.djangoEnvironment)
            try await fixture.peer.join(thread, listeners: DjangoFixture.listeners)
            try await second.join(thread, listeners: DjangoFixture.listeners + 1)
            var next = 0
            func send() async throws -> [String] {
                let texts = (next..<next + Self.chunk).map(String.init)
                next += Self.chunk
                for text in texts {
                    let event: JSONValue = ["type": "chat.message", "message": ["text": .string(text)]]
                    try #require(try await fixture.peer.groupSend(event, to: thread), "group_send")
                }
                return texts
            }
            func expect(_ texts: [String], on socket: TestSocket, _ name: String) async throws {
                var seen: [String?] = []
                for _ in texts { seen.append(try await socket.nextJSON()["text"]?.string) }
                try #require(seen == texts, "what \(name) sees")
            }
            var alice = fixture.alice
            for chunk in 0..<Self.chunks {
                if chunk == Self.chunks / 3 {
                    try await fixture.gateways[0].kill()
                    let texts = try await send()
                    try await expect(texts, on: fixture.bob, "Bob")
                    try await fixture.gateways[0].restart()
                    alice = try await TestSocket.connect(
                        port: fixture.gateways[0].port, headers: fixture.users[0].cookieHeader)
                    try await fixture.peer.waitForListeners(DjangoFixture.listeners + 1, in: thread)
                    let later = try await send()
                    let missed = setup.layer == "core" ? texts : []
                    try await expect(missed + later, on: alice, "Alice, who was away")
                    try await expect(later, on: fixture.bob, "Bob")
                    continue
                }
                if chunk == Self.chunks / 2 { try await second.kill() }
                let texts = try await send()
                try await expect(texts, on: alice, "Alice")
                try await expect(texts, on: fixture.bob, "Bob")
            }
            for _ in 0..<next { _ = try await fixture.peer.next(in: thread) }
            try #require(fixture.peer.rest == [], "what else Django was told")
        }
    }

    @Test("many messages from two gateways reach Django once each, in the order of their seq", arguments: queueSetups)
    func order(_ setup: DjangoSetup) async throws {
        try await withFixture(setup) { fixture in
            let thread = fixture.threads[0]
            try await fixture.peer.join(thread, listeners: DjangoFixture.listeners)
            var (shown, seen): ([JSONValue], [JSONValue]) = ([], [])
            for chunk in 0..<Self.chunks {
                for number in 0..<Self.chunk {
                    let socket = number % 2 == 0 ? fixture.alice : fixture.bob
                    try await socket.send(
                        json: ["message": ["id": .string(thread), "text": .string("\(chunk) \(number)")]])
                }
                for _ in 0..<Self.chunk {
                    shown.append(try await fixture.alice.nextJSON())
                    seen.append(try await fixture.peer.next(in: thread))
                }
            }
            try #require(seen == shown, "what Django sees is what Alice sees")
            try #require(fixture.peer.rest == [], "what else Django was told")
        }
    }
}
