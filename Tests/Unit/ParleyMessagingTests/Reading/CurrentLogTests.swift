import ParleyMemory
import ParleyMessaging
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("Late readers get the present state of a log", .timeLimit(.minutes(5)))
struct CurrentLogTests {
    private static let room = Samples.thread("room")
    private let room = Self.room

    /// A log whose events are stored only when `persist` is called.
    private struct Fixture {
        let store = NaiveStore()
        let log: MemoryLog
        let present: CurrentLog

        init(windowEvents: Int = 200) {
            var settings = MemoryLogSettings(acceptance: .immediately)
            settings.windowEvents = windowEvents
            log = MemoryLog(bus: MemoryBroker(), history: store, clock: TestClock().wall, settings: settings)
            present = CurrentLog(log: log, store: store)
        }

        func persist() async throws {
            for partition in log.partitions {
                while try await log.backlog(of: partition) > 0 {
                    let batch = try await log.read(
                        partition, after: try await store.checkpoint(of: partition), limit: 1000)
                    await log.stored(batch, outcomes: try await store.write(batch))
                }
            }
        }

        func append(_ body: LogEvent.Body) async throws -> LogEvent {
            let receipt = try await log.append(EventDraft(thread: CurrentLogTests.room, body: body))
            let slice = try await log.events(
                in: CurrentLogTests.room, after: receipt.position.seq - 1, limit: 1)
            return try #require(slice.events.first)
        }
    }

    private func run(_ fixture: Fixture, _ test: (Fixture) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await fixture.log.run() }
            defer { group.cancelAll() }
            try await test(fixture)
        }
    }

    @Test("pages of log and store are current, wherever they begin and end", arguments: UInt64(1)...20)
    func random(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed)
        try await run(Fixture(windowEvents: Int.random(in: 40...200, using: &generator))) { fixture in
            // Has at once what the store has eventually.
            let whole = NaiveStore()
            var alive: [LogEvent] = []
            for number in 0..<120 {
                let about = alive.randomElement(using: &generator)
                let body = Self.body(number, about, &generator)
                if case .deleted(let deletion) = body { alive.removeAll { $0.message?.id == deletion.messageID } }
                let event = try await fixture.append(body)
                if event.message != nil { alive.append(event) }
                whole.seed([event])
                // Often enough that the window holds everything that is not stored.
                if number % 30 == 29 || Int.random(in: 0..<20, using: &generator) == 0 { try await fixture.persist() }
                let after = Int64.random(in: 0...Int64(number), using: &generator)
                let limit = Int.random(in: 1...40, using: &generator)
                let slice = try await fixture.present.logged(in: room, after: after, limit: limit)
                let first = slice.events.first?.position.seq ?? 0
                let expected = try await whole.events(in: room, after: first - 1, limit: limit).events
                #expect(slice.events == expected, "the log after \(after), seed \(seed)")
                let page = try await fixture.present.stored(in: room, after: after, limit: limit)
                let told = try await whole.events(in: room, after: after, limit: page.events.count).events
                #expect(page.events == told || page.events.isEmpty, "the store after \(after), seed \(seed)")
            }
        }
    }

    private static func body(
        _ number: Int, _ event: LogEvent?, _ generator: inout SeededGenerator
    ) -> LogEvent.Body {
        let (ann, bob) = (Samples.user("ann"), Samples.user("bob"))
        guard let event, let id = event.message?.id else { return .message(Samples.message("first \(number)")) }
        let seq = event.position.seq
        switch Int.random(in: 0..<10, using: &generator) {
        case 0, 1: return .edited(MessageEdit(messageID: id, messageSeq: seq, text: "edit \(number)", by: ann.id))
        case 2: return .deleted(MessageDeletion(messageID: id, messageSeq: seq, by: bob.id))
        case 3, 4:
            let (user, isOn) = ([ann, bob].randomElement(using: &generator) ?? ann, Bool.random(using: &generator))
            let emoji = ["👍", ":x:"].randomElement(using: &generator) ?? ""
            return .reaction(Reaction(messageID: id, messageSeq: seq, user: user.id, emoji: emoji, isOn: isOn))
        case 5: return .joined(bob, by: ann.id)
        default: return .message(Samples.message("text \(number)"))
        }
    }

    @Test("a page is unavailable while a deletion may lie between the store's end and the log's beginning")
    func gap() async throws {
        try await run(Fixture(windowEvents: 10)) { fixture in
            let message = try await fixture.append(.message(Samples.message("secret")))
            let id = try #require(message.message?.id)
            try await fixture.persist()
            let deletion = MessageDeletion(messageID: id, messageSeq: 1, by: Samples.user("ann").id)
            _ = try await fixture.append(.deleted(deletion))
            for number in 0..<9 { _ = try await fixture.append(.message(Samples.message("text \(number)"))) }
            #expect(try await fixture.present.stored(in: room, after: 0, limit: 1).events.first?.message?.text == "")
            _ = try await fixture.append(.message(Samples.message("one more than the log keeps")))
            await #expect(throws: StoreError.self) { try await fixture.present.stored(in: room, after: 0, limit: 1) }
            try await fixture.persist()
            #expect(try await fixture.present.stored(in: room, after: 0, limit: 1).events.first?.message?.text == "")
        }
    }

    @Test("reactions of users that the store does not list are counted")
    func many() async throws {
        try await run(Fixture()) { fixture in
            let message = try await fixture.append(.message(Samples.message("hi")))
            let id = try #require(message.message?.id)
            func react(_ user: Int, _ isOn: Bool) -> LogEvent.Body {
                let user = UserID(trusted: "u\(1000 + user)")
                return .reaction(Reaction(messageID: id, messageSeq: 1, user: user, emoji: "👍", isOn: isOn))
            }
            for user in 0..<60 { _ = try await fixture.append(react(user, true)) }
            try await fixture.persist()
            for body in [react(60, true), react(59, false), react(3, false)] { _ = try await fixture.append(body) }
            for events in [
                try await fixture.present.logged(in: room, after: 0, limit: 1).events,
                try await fixture.present.stored(in: room, after: 0, limit: 1).events,
            ] {
                let reactions = events.first?.message?.status.reactions
                #expect(reactions?.first?.count == 59)
                #expect(reactions?.first?.users.contains(UserID(trusted: "u1003")) == false)
            }
        }
    }
}
