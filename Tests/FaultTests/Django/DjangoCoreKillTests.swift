import Foundation
import ParleyTestSupport
import Testing

@Suite(
    "On the core layer, kills of gateways and consumers cost nothing that the layer promises", .serialized,
    .timeLimit(.minutes(5)))
struct DjangoCoreKillTests {
    private static let setups = [DjangoTests.coreSetups[0], DjangoTests.coreSetups[2]]
    /// The soak sends as many as the issue names.
    private static let chunks = ProcessInfo.processInfo.environment["PARLEY_SOAK"] == nil ? 15 : 50
    /// Less than a queue holds.
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
            for chunk in 0..<Self.chunks {
                for number in 0..<Self.chunk {
                    let socket = number % 2 == 0 ? alice : fixture.bob
                    try await socket.send(
                        json: ["message": ["id": .string(thread), "text": .string("\(chunk) \(number)")]])
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
            try await fixture.bob.send(json: ["message": ["id": .string(thread), "text": "end"]])
            repeat {
                seen.append(try await fixture.peer.next(in: thread))
            } while seen.last?["text"] != "end"
            // Every seq of the thread's messages, also of those that the dead gateway had accepted.
            let seqs = seen.compactMap { $0["seq"]?.int }
            try #require(seqs == (0..<seen.count).map { (seqs.first ?? 0) + $0 }, "once each, in order")
            try #require(seen.count > Self.chunks * Self.chunk - Self.chunk, "how many")
            let metrics = try await fixture.gateways[1].metrics()
            try #require(metrics.sum("parley_channels_over_capacity_total") ?? 0 > 0, "the dead consumer's queue")
            try #require(metrics.sum("parley_channels_missed_total") ?? 0 == 0, "missed")
        }
    }

    @Test(
        "sockets get every event of Django once, in order, also those sent while their gateway was down",
        arguments: setups)
    func fromDjango(_ setup: DjangoSetup) async throws {
        try await withFixture(setup) { fixture in
            let thread = fixture.threads[0]
            try await fixture.peer.join(thread, listeners: DjangoFixture.listeners)
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
                    let later = try await send()
                    try await expect(texts + later, on: alice, "Alice, who was away")
                    try await expect(later, on: fixture.bob, "Bob")
                    continue
                }
                let texts = try await send()
                try await expect(texts, on: alice, "Alice")
                try await expect(texts, on: fixture.bob, "Bob")
            }
            for _ in 0..<next { _ = try await fixture.peer.next(in: thread) }
            try #require(fixture.peer.rest == [], "what else Django was told")
        }
    }

    @Test("many messages from two gateways reach Django once each, in the order of their seq", arguments: setups)
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
