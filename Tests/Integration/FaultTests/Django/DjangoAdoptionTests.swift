import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite(
    "Messages of Django's group_send are numbered and stored once each, although a gateway dies", .serialized,
    .timeLimit(.minutes(5)))
struct DjangoAdoptionTests {
    private static let count = 1000

    private static func adopting(_ types: String, _ setup: DjangoSetup) -> DjangoSetup {
        var setup = setup
        setup.adopts = types
        return setup
    }

    /// Both layers; the soak has every serializer, keys and three hosts too.
    private static let setups =
        (isSoak ? DjangoTests.setups + DjangoTests.queueSetups : [DjangoTests.setups[0], DjangoTests.queueSetups[0]])
        .map { adopting("chat.message", $0) }

    private func withFixture(_ setup: DjangoSetup, _ body: (DjangoFixture) async throws -> Void) async throws {
        let fixture = try await DjangoFixture.start(setup)
        do {
            try await body(fixture)
        } catch {
            Issue.record(error, "\(fixture.logs())")
        }
        try await fixture.stop()
    }

    private static func event(
        _ text: String, by user: TestUser, in thread: String, type: String = "chat.message",
        _ more: [String: JSONValue] = [:]
    ) -> JSONValue {
        let message: [String: JSONValue] = [
            "text": .string(text), "sender_id": .string(user.id), "sender_name": .string(user.name),
            "thread_id": .string(thread),
        ]
        return ["type": .string(type), "message": .object(message.merging(more) { $1 })]
    }

    /// The texts of the history, oldest first, when it has at least so many messages.
    private static func history(_ fixture: DjangoFixture, _ thread: String, count: Int) async throws -> [JSONValue] {
        var messages: [JSONValue] = []
        _ = try await eventually(within: .seconds(30)) {
            messages = try await fixture.users[0].history(of: thread)
            return messages.count >= count
        }
        return messages.reversed()
    }

    /// A wait of a test that ended badly.
    private struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// Waits, and says what for if that fails.
    private static func awaiting<Value>(
        _ what: @autoclosure () -> String, isolation: isolated (any Actor)? = #isolation,
        _ wait: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await wait()
        } catch {
            throw Failed(description: "\(what()): \(error)")
        }
    }

    /// How many messages Bob may be behind, and those sent while his gateway is paused. Less than a queue of the core layer
    /// holds: what Django sends to a full queue is gone.
    private static let ahead = 50

    /// Sends texts by Django's `group_send`; the first gateway is killed in the middle, and the other one is paused for some
    /// of them before and after.
    /// - Returns: what Bob sees.
    private static func send(
        _ texts: [String], in thread: String, _ fixture: DjangoFixture
    ) async throws -> [JSONValue] {
        let seen = Mailbox<Void>(of: "message that Bob sees")
        return try await withThrowingTaskGroup(of: [JSONValue].self) { group in
            group.addTask {
                for (number, text) in texts.enumerated() {
                    if number == texts.count / 2 { try await fixture.gateways[0].kill() }
                    for pause in [texts.count / 4, texts.count * 3 / 4] {
                        if number == pause { fixture.gateways[1].signal(SIGSTOP) }
                        if number == pause + ahead / 2 { fixture.gateways[1].signal(SIGCONT) }
                    }
                    if number >= ahead {
                        _ = try await awaiting("that Bob is near, before \(text)") {
                            try await seen.take(within: .patience)
                        }
                    }
                    try await send(text, by: fixture.users[number % 2], in: thread, fixture)
                }
                return []
            }
            group.addTask {
                var shown: [JSONValue] = []
                for text in texts {
                    let message = try await awaiting("what Bob sees of \(text)") { try await fixture.bob.nextJSON() }
                    try #require(message["text"]?.string == text, "what Bob sees")
                    shown.append(message)
                    seen.put(())
                }
                return shown
            }
            // The first failure is the one that says something: a sender that fails leaves Bob waiting.
            var shown: [JSONValue] = []
            while let some = try await group.next() { shown += some }
            return shown
        }
    }

    private static func send(
        _ text: String, by user: TestUser, in thread: String, _ fixture: DjangoFixture
    ) async throws {
        let isSent = try await awaiting("group_send of \(text)") {
            try await fixture.peer.groupSend(event(text, by: user, in: thread), to: thread)
        }
        try #require(isSent, "group_send of \(text)")
        let consumed = try await awaiting("what Django sees of \(text)") { try await fixture.peer.next(in: thread) }
        try #require(consumed["text"]?.string == text && consumed["seq"] == nil, "what Django sees")
    }

    @Test("each of 1,000 messages is in the history once, in order, with a gateway killed", arguments: setups)
    func kill(_ setup: DjangoSetup) async throws {
        try await withFixture(setup) { fixture in
            let thread = fixture.threads[0]
            try await fixture.peer.join(thread, listeners: DjangoFixture.listeners)
            let texts = (0..<Self.count).map(String.init)
            let before = try await fixture.users[0].history(of: thread).count
            let shown = try await Self.send(texts, in: thread, fixture)
            try #require(shown.map { $0["text"]?.string } == texts, "what Bob sees")
            let seqs = shown.compactMap { $0["seq"]?.int }
            try #require(seqs == texts.indices.map { (seqs.first ?? 0) + $0 }, "each is numbered once")
            // What has waited for the killed gateway changes nothing.
            try await fixture.gateways[0].restart()
            let alice = try await TestSocket.connect(
                port: fixture.gateways[0].port, headers: fixture.users[0].cookieHeader)
            try await fixture.peer.waitForListeners(DjangoFixture.listeners, in: thread)
            let end = Self.event("end", by: fixture.users[0], in: thread, ["client_id": "the end"])
            for _ in 0..<2 { try #require(try await fixture.peer.groupSend(end, to: thread), "group_send") }
            for (name, socket) in [("Bob", fixture.bob), ("Alice, on the gateway that is back", alice)] {
                let shown = try await Self.awaiting("what \(name), sees at the end") { try await socket.nextJSON() }
                try #require(shown["text"] == "end", "what \(name), sees at the end")
            }
            let history = try await Self.history(fixture, thread, count: before + texts.count + 1)
            try #require(history.dropFirst(before).map { $0["text"]?.string } == texts + ["end"], "the history")
            try await fixture.say("and on", on: fixture.bob, with: alice, in: thread)
            let metrics = try await fixture.gateways[1].metrics()
            try #require(metrics.sum("parley_channels_adopted_total") == Double(texts.count + 2), "adopted")
            try #require(metrics.sum("parley_channels_not_adopted_total") == 0, "not adopted")
        }
    }

    @Test(
        "what is not adopted is shown as before, consumers of another type get the numbered message, and nothing loops",
        arguments: [
            adopting("chat.message,order.note", DjangoTests.setups[0]),
            adopting("chat.message,order.note", DjangoTests.setups[3]),
            adopting("chat.message,order.note", DjangoTests.queueSetups[0]),
            adopting("chat.message,order.note", DjangoTests.queueSetups[2]),
        ])
    func others(_ setup: DjangoSetup) async throws {
        try await withFixture(setup) { fixture in
            let thread = fixture.threads[0]
            let carol = try await TestUser.signUp("carol", port: fixture.persister.port)
            try await fixture.peer.join(thread, listeners: DjangoFixture.listeners)
            // Not a member, nobody, and a message of the log that Django has sent on.
            try await fixture.groupSend(["text": "1", "sender_id": .string(carol.id)], to: thread)
            try await fixture.groupSend(["text": "2", "sender_id": "nobody"], to: thread)
            let logged = try await fixture.say("3", on: fixture.alice, in: thread)
            let again: JSONValue = ["type": "chat.message", "message": logged]
            try #require(try await fixture.peer.groupSend(again, to: thread), "group_send")
            for socket in [fixture.alice, fixture.bob] {
                let shown = try await socket.nextJSON()
                try #require(shown["text"] == "3" && shown["seq"] == nil, "what was sent on")
            }
            _ = try await fixture.peer.next(in: thread)
            // The consumer of the tests ignores events of this type.
            let note = Self.event("4", by: fixture.users[0], in: thread, type: "order.note")
            try #require(try await fixture.peer.groupSend(note, to: thread), "group_send")
            for socket in [fixture.alice, fixture.bob] {
                let shown = try await socket.nextJSON()
                try #require(shown["text"] == "4" && shown["seq"]?.int == logged["seq"]?.int.map { $0 + 1 }, "a number")
                if socket === fixture.alice { try #require(try await fixture.peer.next(in: thread) == shown, "Django") }
            }
            try #require(fixture.peer.rest == [], "what else Django was told")
            let reasons = ["not_a_member", "unknown_sender", "logged"]
            for reason in reasons {
                var sum = 0.0
                for gateway in fixture.gateways {
                    let metrics = try await gateway.metrics()
                    sum += metrics.sum("parley_channels_not_adopted_total", where: "reason=\"\(reason)\"") ?? 0
                }
                try #require(sum == 2, "\(reason), on both gateways")
            }
            let texts = try await Self.history(fixture, thread, count: 2).suffix(2).map { $0["text"]?.string }
            try #require(texts == ["3", "4"], "the history")
        }
    }
}

extension DjangoFixture {
    /// Bob says something that another socket than Alice's first one sees too.
    fileprivate func say(_ text: String, on socket: TestSocket, with other: TestSocket, in thread: String) async throws
    {
        try await socket.send(json: ["message": ["id": .string(thread), "text": .string(text)]])
        for each in [socket, other] { try #require(try await each.nextJSON()["text"]?.string == text, "what is said") }
    }
}
