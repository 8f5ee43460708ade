import ParleyMemory
import ParleyModel
import ParleyTestContracts
import Testing

@Suite("A log whose store cannot be written")
struct UnstoredTests {
    private let thread = Samples.thread("t")
    private let partition = Partition(number: 0)
    private let now: Int64 = 1000

    /// A core that knows `thread`, which has no events.
    private func core() -> LogCore {
        var settings = MemoryLogSettings(acceptance: .whenStored)
        settings.refusesUnstored = true
        var core = LogCore(settings: settings, incarnation: "inc")
        _ = core.resolveEnd(of: thread, for: AppendID(999))
        _ = core.seeded(thread, .success(nil), now: now)
        return core
    }

    private func append(_ text: String, as number: UInt64, to core: inout LogCore, clientID: String? = nil) {
        let message = Samples.message(text, clientID: clientID)
        let draft = EventDraft(thread: thread, body: .message(message))
        _ = core.append(draft, as: AppendID(number), now: now)
        guard clientID != nil else { return }
        let key = IdempotencyKey.send(message.sender.id, clientID: clientID ?? "")
        _ = core.lookedUp(for: key, in: thread, .success(nil), now: now)
    }

    private func refused(_ actions: [LogAction]) -> [UInt64] {
        actions.compactMap { action in
            if case .complete(let id, .failure(.unavailable)) = action { id.number } else { nil }
        }
    }

    @Test("it refuses what waits, read or not, and goes on with the same numbers")
    func refuses() throws {
        var core = core()
        append("1", as: 1, to: &core)
        append("2", as: 2, to: &core)
        let read = try #require(core.read(partition, after: nil, limit: 1, now: now).batch)
        #expect(read.events.map(\.position.seq) == [1])
        append("3", as: 3, to: &core)
        #expect(refused(core.refuseUnstored(in: [partition])) == [1, 2, 3])
        #expect(core.backlog(of: partition) == 0)
        #expect(core.head(of: thread) == nil)
        // Reading goes on after what was read, and begins with the next append.
        #expect(core.read(partition, after: read.checkpoint, limit: 9, now: now).batch == nil)
        append("4", as: 4, to: &core)
        let next = try #require(core.read(partition, after: read.checkpoint, limit: 9, now: now).batch)
        #expect(next.events.map { $0.message?.text } == ["4"])
        #expect(next.events.map(\.position.seq) == [1])
        let actions = core.stored(next, outcomes: next.outcomes, now: now)
        #expect(actions.count == 2 && refused(actions).isEmpty)
        #expect(core.head(of: thread)?.position.seq == 1)
    }

    @Test("repeats of a refused send are refused with it, and a later one is a new send")
    func repeats() throws {
        var core = core()
        append("hi", as: 1, to: &core, clientID: "c")
        append("hi", as: 2, to: &core, clientID: "c")
        #expect(refused(core.refuseUnstored(in: [partition])) == [1, 2])
        append("hi", as: 3, to: &core, clientID: "c")
        let batch = try #require(core.read(partition, after: nil, limit: 9, now: now).batch)
        #expect(batch.events.count == 1)
        #expect(
            core.stored(batch, outcomes: batch.outcomes, now: now).contains { action in
                if case .complete(AppendID(3), .success) = action { true } else { false }
            })
    }

    @Test("only a log that waits for a store which surely has nothing refuses", arguments: [true, false])
    func settings(refuses: Bool) async throws {
        for acceptance in [MemoryLogSettings.Acceptance.whenStored, .immediately] {
            var settings = MemoryLogSettings(acceptance: acceptance)
            settings.refusesUnstored = refuses
            let log = MemoryLog(bus: MemoryBroker(), history: NaiveStore(), settings: settings)
            let hasRefused = await log.refuseUnstored(in: log.partitions)
            #expect(hasRefused == (refuses && acceptance == .whenStored))
        }
    }
}
