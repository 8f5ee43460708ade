import ParleyMemory
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("A client id proves by its time that its send is new")
struct ProvenSendTests {
    private let thread = Samples.thread("t")
    private let now: Int64 = 1_600_000_000_000

    /// A core that has just read `thread` from the store.
    private func core(stored: ThreadHead? = nil, _ change: (inout MemoryLogSettings) -> Void = { _ in }) -> LogCore {
        var settings = MemoryLogSettings(acceptance: .whenStored)
        change(&settings)
        var core = LogCore(settings: settings, incarnation: "inc")
        _ = core.resolveEnd(of: thread, for: AppendID(999))
        _ = core.seeded(thread, .success(stored), now: now)
        return core
    }

    private func clientID(made milliseconds: Int64, _ seed: UInt64 = 1) -> String {
        var generator = SeededGenerator(seed)
        return UUIDv7(milliseconds: milliseconds, using: &generator).canonical
    }

    /// Appends a send.
    /// - Returns: whether the store is queried for it.
    private func asksStore(_ core: inout LogCore, made milliseconds: Int64, at now: Int64, _ seed: UInt64 = 1) -> Bool {
        let draft = Samples.send("hi", in: thread, clientID: clientID(made: milliseconds, seed))
        return core.append(draft, as: AppendID(seed), now: now).contains {
            if case .queryStore(.send) = $0 { true } else { false }
        }
    }

    /// Reports everything that was appended as stored, with this outcome for each event.
    private func store(_ core: inout LogCore, at now: Int64, _ outcome: (LogEvent) -> StoreOutcome) throws {
        let batch = try #require(core.read(Partition(number: 0), after: nil, limit: 100, now: now).batch)
        _ = core.stored(batch, outcomes: batch.events.map(outcome), now: now)
    }

    @Test("an id made since its thread was read needs no query; an earlier one, or one ahead of the clock, does")
    func proof() {
        for (made, isQueried) in [(now, false), (now + 5, false), (now - 1, true), (now + 6, true)] {
            var core = core()
            #expect(asksStore(&core, made: made, at: now + 5) == isQueried, "\(made - now)")
        }
        var core = core()
        let random = Samples.send("hi", in: thread, clientID: "c")
        #expect(core.append(random, as: AppendID(1), now: now).count == 1, "an id without a time is looked up")
    }

    @Test("in a thread with events, ids prove nothing for some minutes: an earlier process may have had clients ahead")
    func doubt() {
        let head = ThreadHead(position: Position(epoch: Epoch("e"), seq: 3), milliseconds: now - 9, messageCount: 3)
        let end = now + MemoryLogSettings(acceptance: .whenStored).doubtMilliseconds
        for (made, isQueried) in [(end - 1, true), (end, false)] {
            var core = core(stored: head)
            #expect(asksStore(&core, made: made, at: end) == isQueried)
        }
    }

    @Test("once a send is forgotten, ids made before it was accepted prove nothing, nor those before its own time")
    func forgotten() throws {
        for ahead in [Int64(0), 50] {
            var core = core { $0.idempotencyEntries = 1 }
            let first = asksStore(&core, made: now + ahead, at: now, 1)
            #expect(first == (ahead > 0))
            if first {
                let key = IdempotencyKey.send(UserID(trusted: "ann"), clientID: clientID(made: now + ahead, 1))
                _ = core.lookedUp(for: key, in: thread, .success(nil), now: now)
            }
            try store(&core, at: now) { .stored(seq: $0.position.seq) }
            #expect(!asksStore(&core, made: now + 1, at: now + 1, 2), "everything is remembered")
            try store(&core, at: now + 1) { .stored(seq: $0.position.seq) }
            #expect(asksStore(&core, made: now + ahead, at: now + 100, 3))
            #expect(!asksStore(&core, made: now + ahead + 1, at: now + 100, 4))
        }
    }

    @Test("if the store knows better, the next repeat is looked up")
    func wrongProof() throws {
        var core = core()
        #expect(!asksStore(&core, made: now, at: now))
        try store(&core, at: now) { _ in .repeated(seq: 77) }
        #expect(asksStore(&core, made: now, at: now + 1))
    }
}
