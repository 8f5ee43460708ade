import Logging
import ParleyMessaging
import ParleyModel
import ParleyPersister
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Webhooks are sent", .timeLimit(.minutes(2)))
struct WebhookSenderTests {
    /// An endpoint in memory. The body of a request has a line for each event: its ID and its text.
    private final class Endpoint: WebhookRequests {
        typealias Answer = @Sendable (_ lines: [String], _ count: Int) -> WebhookOutcome

        private let state = Mutex<(lines: [String], requests: Int, answer: Answer)>(([], 0, { _, _ in .accepted }))

        /// The lines of all requests, also of those that were refused.
        var lines: [String] { state.withLock { $0.lines } }
        var requests: Int { state.withLock { $0.requests } }

        func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

        func post(_ body: [UInt8], _ headers: WebhookHeaders, to url: WebhookURL) async -> WebhookOutcome {
            let lines = String(decoding: body, as: UTF8.self).split(separator: "\n").map(String.init)
            return state.withLock { state in
                state.lines += lines
                state.requests += 1
                return state.answer(lines, state.requests)
            }
        }
    }

    private static let id = "wh_00000000000000000001"
    private static let ann = User(id: UserID(trusted: "ann"), name: "ann")

    private let files: TemporaryDirectory
    private let clock = TestClock()
    private let store: SQLiteStore
    private let endpoint = Endpoint()

    init() async throws {
        files = try TemporaryDirectory()
        store = try SQLiteStore(
            path: files.path + "/parley.db", clock: clock.wall, busyTimeout: .patience, waitLimit: .patience)
        try await store.migrate()
        try await store.createUser(Self.ann, passwordHash: nil)
        for name in ["a", "b", "c"] {
            _ = try await store.importRoom(name, id: ThreadID(trusted: name), members: [Self.ann])
        }
    }

    private func addWebhook(batch: Int = 1, rows: Set<RowLane> = []) async throws {
        let settings = WebhookSettings(
            url: "https://shop.example/", rows: rows, batch: batch, secrets: [WebhookKey(.shared).text])
        #expect(
            try await store.addWebhook(
                Webhook(
                    id: Self.id, settings: settings, progress: WebhookProgress(place: .start), createdMilliseconds: 1)))
    }

    private func write(_ events: [ParleyModel.LogEvent], from first: Int) async throws {
        _ = try await store.write(Samples.batch(events, firstOffset: first))
    }

    /// A sender for which time passes only when it waits.
    /// - Parameter wall: The clock of the process; that of the database if `nil`.
    private func sender(patience: Duration = .seconds(259_200), wall: WallClock? = nil) -> WebhookSender {
        WebhookSender(
            store: store, requests: endpoint,
            encode: { events, _ in
                Array(events.map { "\($0.feedID) \($0.message?.text ?? "")" }.joined(separator: "\n").utf8)
            },
            policy: WebhookPolicy(patience: patience), clock: wall ?? clock.wall,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            sleep: { [clock] duration in
                clock.milliseconds += max(1, Int64(duration / .milliseconds(1)))
                try await Task.sleep(for: .milliseconds(1))
            })
    }

    /// Runs a sender until a condition holds.
    private func send(patience: Duration = .seconds(259_200), until isEnough: () async throws -> Bool) async throws {
        let sender = sender(patience: patience)
        let task = Task { await sender.run(Self.id) }
        let isReached = try await eventually { try await isEnough() }
        #expect(isReached)
        task.cancel()
        await task.value
    }

    private func progress() async throws -> WebhookProgress {
        try #require(try await store.webhooks().first).progress
    }

    @Test(
        "each event, each thread in order, though requests fail and processes with their progress are lost",
        arguments: 0..<12)
    func order(seed: Int) async throws {
        var generator = SeededGenerator(UInt64(seed))
        try await addWebhook(batch: [1, 3, 50][seed % 3])
        let threads = ["a", "b", "c"].map { ThreadID(trusted: $0) }
        var events: [ParleyModel.LogEvent] = []
        var seqs: [ThreadID: Int64] = [:]
        for number in 0..<120 {
            let thread = threads.randomElement(using: &generator) ?? threads[0]
            seqs[thread, default: 0] += 1
            events.append(Samples.event("\(number)", in: thread, seq: seqs[thread] ?? 0))
        }
        endpoint.answer { _, count in
            count * 7 % 3 == 0 || (20..<30).contains(count) ? .refused(status: 500) : .accepted
        }
        var first = 0
        while first < events.count {
            let part = events[first..<min(events.count, first + Int.random(in: 1...40, using: &generator))]
            try await write(Array(part), from: first + 1)
            first += part.count
            let old = try #require(try await store.webhooks().first)
            let target = endpoint.requests + Int.random(in: 1...20, using: &generator)
            let end = clock.milliseconds + 20_000
            try await send { endpoint.requests >= target || clock.milliseconds > end }
            // The process was killed before it had stored anything.
            if Bool.random(using: &generator) {
                let now = try #require(try await store.webhooks().first)
                #expect(try await store.changeWebhook(now, to: old.settings, old.progress))
            }
        }
        endpoint.answer { _, _ in .accepted }
        let all = Set(events.map(\.feedID))
        try await send {
            let progress = try await progress()
            return Set(endpoint.lines.compactMap { $0.split(separator: " ").first.map(String.init) }) == all
                && progress.waiting.isEmpty
        }
        for thread in threads {
            let expected = events.filter { $0.thread == thread }.map { "\($0.feedID) \($0.message?.text ?? "")" }
            var seen: [String] = []
            for line in endpoint.lines where expected.contains(line) && !seen.contains(line) { seen.append(line) }
            #expect(seen == expected, "seed \(seed)")
        }
    }

    @Test("410 disables the endpoint, which goes on where it was when it is enabled")
    func gone() async throws {
        try await addWebhook()
        try await write([Samples.event("1", in: ThreadID(trusted: "a"), seq: 1)], from: 1)
        endpoint.answer { _, _ in .gone }
        await sender().run(Self.id)
        var progress = try await progress()
        #expect(progress.disabled == "the endpoint has answered 410" && progress.failure == "status 410")
        await sender().run(Self.id)
        #expect(endpoint.requests == 1)
        endpoint.answer { _, _ in .accepted }
        progress.disabled = nil
        let known = try #require(try await store.webhooks().first)
        #expect(try await store.changeWebhook(known, to: known.settings, progress))
        try await send { endpoint.requests == 2 }
        #expect(endpoint.lines == ["a:old:1 1", "a:old:1 1"])
    }

    @Test("an event that is given up becomes a dead letter, which is sent again on demand")
    func deadLetters() async throws {
        try await addWebhook()
        let thread = ThreadID(trusted: "a")
        try await write([Samples.event("bad", in: thread, seq: 1), Samples.event("good", in: thread, seq: 2)], from: 1)
        endpoint.answer { lines, _ in lines[0].hasSuffix("bad") ? .refused(status: 400) : .accepted }
        try await send(patience: .seconds(60)) { endpoint.lines.contains("a:old:2 good") }
        let letter = try #require(try await store.deadLetters(of: Self.id, before: nil, limit: 9).first)
        #expect(letter.event == "a:old:1" && letter.reason == "status 400" && letter.attempts > 3)
        #expect(try await store.replayDeadLetters(of: Self.id, nil) == 1)
        // Refused again, it stays.
        try await send { try await store.replayedDeadLetters(of: Self.id, limit: 9).isEmpty }
        #expect(
            try await store.deadLetters(of: Self.id, before: nil, limit: 9).map(\.attempts) == [letter.attempts + 1])
        // 410 ends all sending, and the letter stays too.
        endpoint.answer { _, _ in .gone }
        _ = try await store.replayDeadLetters(of: Self.id, [letter.id])
        try await send { try await progress().disabled == "the endpoint has answered 410" }
        let known = try #require(try await store.webhooks().first)
        var enabled = known.progress
        enabled.disabled = nil
        #expect(try await store.changeWebhook(known, to: known.settings, enabled))
        endpoint.answer { _, _ in .accepted }
        _ = try await store.replayDeadLetters(of: Self.id, nil)
        try await send { try await store.deadLetters(of: Self.id, before: nil, limit: 9).isEmpty }
        #expect(endpoint.lines.last == "a:old:1 bad")
    }

    @Test("rows of the audit log are sent in their own order, which waits and is given up like that of a thread")
    func audit() async throws {
        try await addWebhook(rows: [.audit])
        for number in 1...3 {
            _ = try await store.suspend(
                Self.ann.id, Suspension(reason: "\(number)"), by: .command, at: clock.milliseconds)
        }
        try await write([Samples.event("text", in: ThreadID(trusted: "a"), seq: 1)], from: 1)
        let rows = try await store.auditEntries(AuditFilter(), before: nil, limit: 9).reversed().map(\.feedID)
        endpoint.answer { lines, _ in lines[0].hasPrefix(rows[0]) ? .refused(status: 400) : .accepted }
        try await send(patience: .seconds(60)) { endpoint.lines.contains("\(rows[2]) ") }
        #expect(endpoint.lines.filter { !$0.hasPrefix("audit:") } == ["a:old:1 text"])
        #expect(endpoint.lines.filter { $0.hasPrefix("audit:") }.suffix(2) == ["\(rows[1]) ", "\(rows[2]) "])
        endpoint.answer { _, _ in .accepted }
        #expect(try await store.replayDeadLetters(of: Self.id, nil) == 1)
        try await send { try await store.deadLetters(of: Self.id, before: nil, limit: 9).isEmpty }
        #expect(endpoint.lines.last == "\(rows[0]) ")
    }

    @Test("unseen messages are sent in their own order, and one that was given up is sent again on demand")
    func unseen() async throws {
        try await addWebhook(rows: [.unseen])
        let thread = ThreadID(trusted: "a")
        let events = (1...3).map { Samples.event("\($0)", in: thread, seq: $0) }
        try await write(events, from: 1)
        var ids: [String] = []
        for event in events {
            let id = UnseenMessage.ID(user: Self.ann.id, thread: thread, position: event.position)
            let row = UnseenMessage(
                id: id, milliseconds: clock.milliseconds, unread: 1, unreadTotal: 1, isMention: false, isQuiet: false)
            #expect(try await store.addUnseen([row]) == [id])
            ids.append(id.feedID)
        }
        let first = ids[0]
        endpoint.answer { lines, _ in lines[0].hasPrefix(first) ? .refused(status: 400) : .accepted }
        try await send(patience: .seconds(60)) { endpoint.lines.contains("\(ids[2]) ") }
        #expect(endpoint.lines.filter { $0.hasPrefix("a:") } == ["a:old:1 1", "a:old:2 2", "a:old:3 3"])
        #expect(endpoint.lines.filter { $0.hasPrefix("unseen:") }.suffix(2) == ["\(ids[1]) ", "\(ids[2]) "])
        endpoint.answer { _, _ in .accepted }
        #expect(try await store.replayDeadLetters(of: Self.id, nil) == 1)
        try await send { try await store.deadLetters(of: Self.id, before: nil, limit: 9).isEmpty }
        #expect(endpoint.lines.last == "\(first) ")
    }

    @Test("a message that was deleted before a later attempt has no text in it")
    func deletedMeanwhile() async throws {
        try await addWebhook()
        let thread = ThreadID(trusted: "a")
        let message = Samples.event("secret", in: thread, seq: 1)
        try await write([message], from: 1)
        endpoint.answer { _, _ in .failed("no connection") }
        try await send { endpoint.requests >= 2 }
        let deletion = MessageDeletion(messageID: try #require(message.message).id, messageSeq: 1, by: Self.ann.id)
        var event = Samples.event("", in: thread, seq: 2)
        event.body = .deleted(deletion)
        try await write([event], from: 2)
        let count = endpoint.requests
        endpoint.answer { _, number in number > count + 2 ? .accepted : .failed("no connection") }
        try await send { endpoint.lines.suffix(2).first?.hasPrefix("a:old:1") == true && endpoint.requests > count + 3 }
        #expect(endpoint.lines.suffix(2) == ["a:old:1 ", "a:old:2 "])
    }

    @Test("a change of the settings ends the sending, and another process that asks meanwhile gets nothing")
    func lease() async throws {
        try await addWebhook()
        let sender = sender()
        let task = Task { await sender.run(Self.id) }
        #expect(try await eventually { try await store.webhooks().first?.untilMilliseconds ?? 0 > clock.milliseconds })
        await self.sender().run(Self.id)
        let known = try #require(try await store.webhooks().first)
        var settings = known.settings
        settings.batch = 7
        #expect(try await store.changeWebhook(known, to: settings, nil))
        await task.value
    }

    @Test("a clock that is set back keeps neither the lease from being extended nor dead letters from being sent again")
    func clockSetBack() async throws {
        try await addWebhook()
        try await write([Samples.event("1", in: ThreadID(trusted: "a"), seq: 1)], from: 1)
        let process = OffsetClock(clock)
        let sender = sender(wall: process.wall)
        let task = Task { await sender.run(Self.id) }
        #expect(try await eventually { endpoint.requests == 1 })
        process.setBack(by: .seconds(864_000))
        let end = clock.milliseconds + 60_000
        #expect(try await eventually { clock.milliseconds > end })
        #expect(try await store.webhooks().first?.untilMilliseconds ?? 0 > clock.milliseconds)
        let letter = DeadLetter(event: "a:old:1", attempts: 1, reason: "status 500", failedMilliseconds: 1)
        #expect(try await store.addDeadLetter(letter, of: Self.id))
        process.setBack(by: .seconds(864_000))
        #expect(try await store.replayDeadLetters(of: Self.id, nil) == 1)
        #expect(try await eventually { endpoint.lines == ["a:old:1 1", "a:old:1 1"] })
        task.cancel()
        await task.value
    }

    @Test("an address that became invalid disables the endpoint with the reason")
    func invalid() async throws {
        let settings = WebhookSettings(url: "ftp://shop.example/", secrets: [])
        _ = try await store.addWebhook(
            Webhook(id: Self.id, settings: settings, progress: WebhookProgress(place: .start), createdMilliseconds: 1))
        await sender().run(Self.id)
        #expect(try await progress().disabled?.contains("does not begin with https://") == true)
    }
}
