import ParleyMemory
import ParleyModel
import ParleyTestContracts
import Testing

/// A message is found in the log or in the store, without a visible difference.
@Suite("The message finder")
struct MessageFinderTests {
    private let room = Samples.thread("room")
    private let id = MessageID(trusted: "m1")

    /// A log whose events are stored only when `persist` is called.
    private struct Fixture {
        let store = NaiveStore()
        let log: MemoryLog
        let finder: MessageFinder

        init(windowEvents: Int = 200) {
            var settings = MemoryLogSettings(acceptance: .immediately)
            settings.windowEvents = windowEvents
            log = MemoryLog(
                bus: MemoryBroker(), history: store, clock: TestClock().wall, settings: settings)
            finder = MessageFinder(log: log, store: store)
            store.addMember(
                Samples.user("ann"), of: ThreadInfo(id: Samples.thread("room"), kind: .room, title: "room"), at: 1)
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
    }

    private func run(_ fixture: Fixture, _ test: (Fixture) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await fixture.log.run() }
            defer { group.cancelAll() }
            try await test(fixture)
        }
    }

    private var deletion: EventDraft {
        EventDraft(
            thread: room,
            body: .deleted(MessageDeletion(messageID: id, messageSeq: 2, by: Samples.user("ann").id)))
    }

    @Test("a message is found in the log, in the store, or in both")
    func finds() async throws {
        try await run(Fixture()) { fixture in
            #expect(try await fixture.finder.find(id, in: room) == nil)
            _ = try await fixture.log.append(Samples.send("before", in: room))
            _ = try await fixture.log.append(Samples.send("hi", in: room, id: "m1"))
            let expected = MessagePlace(seq: 2, sender: Samples.user("ann").id)
            #expect(try await fixture.finder.find(id, in: room) == expected)
            try await fixture.persist()
            #expect(try await fixture.finder.find(id, in: room) == expected)
            #expect(try await fixture.finder.find(MessageID(trusted: "m2"), in: room) == nil)
            #expect(try await fixture.finder.find(id, in: Samples.thread("other")) == nil)
        }
    }

    @Test("a message is gone at once when it is deleted", arguments: [false, true])
    func deleted(isStoredBefore: Bool) async throws {
        try await run(Fixture()) { fixture in
            _ = try await fixture.log.append(Samples.send("before", in: room))
            _ = try await fixture.log.append(Samples.send("hi", in: room, id: "m1"))
            if isStoredBefore { try await fixture.persist() }
            #expect(try await fixture.finder.find(id, in: room)?.isGone == false)
            _ = try await fixture.log.append(deletion)
            #expect(try await fixture.finder.find(id, in: room)?.isGone == true)
            try await fixture.persist()
            #expect(try await fixture.finder.find(id, in: room)?.isGone == true)
        }
    }

    @Test("a lookup fails while the log has forgotten events that are not stored")
    func unknown() async throws {
        try await run(Fixture(windowEvents: 5)) { fixture in
            _ = try await fixture.log.append(Samples.send("hi", in: room, id: "m1"))
            for number in 0..<20 { _ = try await fixture.log.append(Samples.send("\(number)", in: room)) }
            await #expect(throws: StoreError.self) { try await fixture.finder.find(id, in: room) }
            // Messages that the log still has are found all the same.
            let last = MessageID(trusted: FNV1a128.hex(of: "ann\n19\n"))
            #expect(try await fixture.finder.find(last, in: room)?.seq == 21)
            try await fixture.persist()
            #expect(try await fixture.finder.find(id, in: room)?.seq == 1)
        }
    }

    @Test("a message is found in a log that went on below what is stored")
    func below() async throws {
        try await run(Fixture()) { fixture in
            _ = try await fixture.log.append(Samples.send("before", in: room))
            _ = try await fixture.log.append(Samples.send("hi", in: room, id: "m1"))
            fixture.store.seed((1...5).map { Samples.event("stored \($0)", in: room, seq: $0) })
            #expect(try await fixture.finder.find(id, in: room)?.seq == 2)
        }
    }

    @Test("an unavailable store is reported")
    func away() async throws {
        try await run(Fixture()) { fixture in
            fixture.store.failReads(.unavailable("away"))
            await #expect(throws: StoreError.unavailable("away")) { try await fixture.finder.find(id, in: room) }
        }
    }
}
