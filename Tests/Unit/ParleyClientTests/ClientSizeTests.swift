import Foundation
import ParleyClient
import ParleyJSON
import ParleyTestSupport
import Testing

/// What a large cache and a burst cost. `PARLEY_MEASURE=1` prints the figures of docs/performance.md; run it alone then.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ClientSizeTests {
    private static let threads = 100
    private static let messagesPerThread = 1_000

    private let isMeasured = ProcessInfo.processInfo.environment["PARLEY_MEASURE"] != nil

    private func note(_ text: String) {
        if isMeasured { print("measured: \(text)") }
    }

    private func configuration(_ path: String, _ server: FakeServer) throws -> ChatConfiguration {
        ChatConfiguration(
            server: try #require(URL(string: "http://127.0.0.1:1")), storage: .file(path), transport: server
        ) { _ in .bearer("token") }
    }

    /// Memory of this process, in MiB.
    private func residentMemory() throws -> Double {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        return pages * 4096 / 1_048_576
    }

    @Test("a client with 100,000 cached messages reads a page of a thread, and the newest message of each other")
    func largeCache() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/chat.db"
        try fill(path)
        let before = try residentMemory()
        let start = ContinuousClock.now
        let storage = CountingStorage(try SQLiteStorage(path: path))
        let client = try ChatClient(configuration: configuration(path, FakeServer()), storage: storage)
        let list = await client.threads().current()
        let messages = await client.messages(in: "thread-7")
        let page = await messages.current()
        let elapsed = start.duration(to: .now)
        #expect(list.count == Self.threads && list.allSatisfy { $0.lastMessage != nil } && page.items.count == 50)
        // Two pages: one may be looked ahead.
        #expect(storage.messagesRead <= Self.threads + 100, "\(storage.messagesRead)")
        while try await messages.loadOlder() {}
        let growth = try residentMemory() - before
        #expect(await messages.current().items.first?.seq == 1)
        #expect(storage.messagesRead < 10 * Self.messagesPerThread, "\(storage.messagesRead)")
        note("start with 100,000 messages \(elapsed), memory \(growth) MiB more")
        await client.shutDown()
    }

    private func fill(_ path: String) throws {
        let storage = try SQLiteStorage(path: path)
        defer { storage.close() }
        let template = try #require(
            StoredMessage(
                try JSONTree(parsing: MachineHarness.message(1, text: "A message of an ordinary length, or so."))))
        for thread in 0..<Self.threads {
            var changes: [StoreChange] = []
            for seq in 1...Self.messagesPerThread {
                var message = template
                message.thread = "thread-\(thread)"
                message.seq = seq
                message.id = "0190b7c1-79b0-7cc3-98c4-\(thread)-\(seq)"
                message.milliseconds += Int64(seq)
                changes.append(.message(message))
            }
            var record = ThreadRecord(
                .init(
                    id: "thread-\(thread)", title: "Thread \(thread)", kind: .room, role: .member, epoch: "e",
                    seq: Self.messagesPerThread, unread: 0, readSeq: 0))
            record.hasCache = true
            changes += [.range(thread: record.id, from: 1, to: Self.messagesPerThread), .thread(record)]
            try storage.apply(changes)
        }
    }

    @Test("a collection shows a full outbox")
    func fullOutbox() async throws {
        let server = FakeServer()
        var configuration = try configuration("", server)
        configuration.storage = .inMemory
        let client = try ChatClient(configuration: configuration)
        await client.start()
        for await state in client.states where state == .connected { break }
        await client.stop()
        for number in 0..<configuration.outboxLimit { try await client.send("\(number)", to: "t") }
        let messages = await client.messages(in: "t")
        let start = ContinuousClock.now
        let items = await messages.current().items
        note("\(items.count) pending messages shown in \(start.duration(to: .now))")
        #expect(items.count == configuration.outboxLimit && items.last?.text == "\(configuration.outboxLimit - 1)")
        await client.shutDown()
    }

    @Test("a burst of 5,000 messages reaches an observer")
    func burst() async throws {
        let directory = try TemporaryDirectory()
        let server = FakeServer()
        let client = try ChatClient(configuration: configuration(directory.path + "/chat.db", server))
        await client.start()
        for await state in client.states where state == .connected { break }
        let messages = await client.messages(in: "t")
        let clock = ContinuousClock()
        let start = clock.now
        let posting = Task {
            for second in 0..<50 {
                server.post("x", count: 100)
                // Only the figures need the rate.
                guard isMeasured else { continue }
                try? await Task.sleep(until: start + .milliseconds(100 * (second + 1)), clock: .continuous)
            }
            server.post("last")
            return clock.now
        }
        var updates = 0
        var longest = Duration.zero
        var previous = clock.now
        for await update in messages {
            updates += 1
            if updates > 2 { longest = max(longest, previous.duration(to: clock.now)) }
            previous = clock.now
            if update.items.last?.text == "last" { break }
        }
        let delay = await posting.value.duration(to: clock.now)
        note("1,000 messages a second: \(updates) snapshots in 5 s, longest pause \(longest), the last after \(delay)")
        #expect(await messages.current().items.last?.seq == 5_001)
        await client.shutDown()
    }
}
