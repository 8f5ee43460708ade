import ParleyMemory
import ParleyModel
import ParleyTestContracts
import Testing

@Suite("The log core")
struct LogCoreTests {
    private let thread = Samples.thread("t")
    private let now: Int64 = 1000

    private func core(
        _ acceptance: MemoryLogSettings.Acceptance, _ change: (inout MemoryLogSettings) -> Void = { _ in }
    ) -> LogCore {
        var settings = MemoryLogSettings(acceptance: acceptance)
        change(&settings)
        return LogCore(settings: settings, incarnation: "inc")
    }

    private func id(_ number: UInt64) -> AppendID { AppendID(number) }

    private func ask(_ text: String) -> LogAction {
        let message = Samples.message(text, clientID: "c")
        return .queryStore(.send(.send(message.sender.id, clientID: "c"), SendQuery(thread: thread, message: message)))
    }

    /// A core that knows `thread`, which has no events.
    private func knowing(
        _ acceptance: MemoryLogSettings.Acceptance, _ change: (inout MemoryLogSettings) -> Void = { _ in }
    ) -> LogCore {
        var core = core(acceptance, change)
        _ = core.resolveEnd(of: thread, for: id(999))
        _ = core.seeded(thread, .success(nil), now: now)
        return core
    }

    private func read(_ core: inout LogCore, limit: Int = 100) -> IngestBatch? {
        core.read(Partition(number: 0), after: nil, limit: limit, now: now).batch
    }

    // MARK: Acceptance

    @Test("accepted immediately: completed and published at the append, in this order")
    func immediate() throws {
        var core = knowing(.immediately)
        let actions = core.append(Samples.send("hi", in: thread), as: id(1), now: now)
        let event = try #require(read(&core)?.events.first)
        #expect(
            actions == [
                .complete(id(1), .success(receipt(event))), .publish(event), .wake(Partition(number: 0)),
            ])
    }

    @Test("accepted when stored: nothing is visible before the report")
    func whenStored() throws {
        var core = knowing(.whenStored)
        #expect(core.append(Samples.send("hi", in: thread), as: id(1), now: now) == [.wake(Partition(number: 0))])
        #expect(core.head(of: thread) == nil)
        #expect(core.events(in: thread, after: 0, limit: 9).events.isEmpty)
        let batch = try #require(read(&core))
        let event = batch.events[0]
        #expect(
            core.stored(batch, outcomes: batch.outcomes, now: now)
                == [.complete(id(1), .success(receipt(event))), .publish(event)])
        #expect(core.head(of: thread)?.position == event.position)
        #expect(core.stored(batch, outcomes: batch.outcomes, now: now).isEmpty)
    }

    @Test("accepted when stored: a repeat waits for the first, and gets its receipt or its failure")
    func repeatsWait() throws {
        for outcome in [StoreOutcome.stored(seq: 1), .rejected("poison")] {
            var core = knowing(.whenStored)
            let draft = Samples.send("hi", in: thread, clientID: "c")
            let key = IdempotencyKey.send(UserID(trusted: "ann"), clientID: "c")
            #expect(
                core.append(draft, as: id(1), now: now) == [
                    ask("hi")
                ])
            #expect(core.append(draft, as: id(2), now: now).isEmpty)
            #expect(core.lookedUp(for: key, in: thread, .success(nil), now: now) == [.wake(Partition(number: 0))])
            #expect(core.append(draft, as: id(3), now: now).isEmpty)
            let batch = try #require(read(&core))
            let first = receipt(batch.events[0])
            var again = first
            again.isRepeat = true
            let actions = core.stored(batch, outcomes: [outcome], now: now)
            if outcome == .stored(seq: 1) {
                #expect(
                    actions == [
                        .complete(id(1), .success(first)), .complete(id(2), .success(again)),
                        .complete(id(3), .success(again)), .publish(batch.events[0]),
                    ])
                #expect(core.append(draft, as: id(4), now: now) == [.complete(id(4), .success(again))])
            } else {
                #expect(actions.map(isUnavailable) == [id(1), id(2), id(3)])
                // As if it had never been sent: the next one queries the store again.
                #expect(
                    core.append(draft, as: id(4), now: now) == [
                        ask("hi")
                    ])
            }
        }
    }

    // MARK: Order

    @Test("an append never overtakes one of its thread that waits for the store")
    func gate() throws {
        var core = core(.immediately)
        let key = IdempotencyKey.send(UserID(trusted: "ann"), clientID: "c")
        #expect(
            core.append(Samples.send("1", in: thread, clientID: "c"), as: id(1), now: now)
                == [.queryStore(.head(thread)), ask("1")])
        #expect(core.append(Samples.send("2", in: thread), as: id(2), now: now).isEmpty)
        #expect(core.seeded(thread, .success(nil), now: now).isEmpty)
        #expect(core.append(Samples.send("3", in: thread), as: id(3), now: now).isEmpty)
        let actions = core.lookedUp(for: key, in: thread, .success(nil), now: now)
        #expect(actions.compactMap(published) == ["1", "2", "3"])
        #expect(actions.compactMap(completed) == [id(1), id(2), id(3)])
    }

    @Test("a failed query refuses appends that must be stored first, and lets others through")
    func failedLook() {
        for acceptance in [MemoryLogSettings.Acceptance.immediately, .whenStored] {
            var core = knowing(acceptance)
            let key = IdempotencyKey.send(UserID(trusted: "ann"), clientID: "c")
            _ = core.append(Samples.send("1", in: thread, clientID: "c"), as: id(1), now: now)
            _ = core.append(Samples.send("1", in: thread, clientID: "c"), as: id(2), now: now)
            _ = core.append(Samples.send("2", in: thread), as: id(3), now: now)
            let actions = core.lookedUp(for: key, in: thread, .failure(.unavailable("away")), now: now)
            if acceptance == .immediately {
                #expect(actions.compactMap(completed) == [id(1), id(2), id(3)])
                #expect(actions.compactMap(published) == ["1", "2"])
            } else {
                #expect(actions.prefix(2).map(isUnavailable) == [id(1), id(2)])
                #expect(read(&core)?.events.map { $0.message?.text } == ["2"])
            }
        }
    }

    @Test("a failed seed refuses waiting appends; the next one queries again; late replies are ignored")
    func failedSeed() {
        var core = core(.whenStored)
        let key = IdempotencyKey.send(UserID(trusted: "ann"), clientID: "c")
        _ = core.append(Samples.send("1", in: thread, clientID: "c"), as: id(1), now: now)
        _ = core.append(Samples.send("2", in: thread), as: id(2), now: now)
        #expect(core.resolveEnd(of: thread, for: id(3)).isKnown == false)
        let actions = core.seeded(thread, .failure(.unavailable("away")), now: now)
        #expect(Set(actions.map(isUnavailable)) == [id(1), id(2), id(3)])
        #expect(core.lookedUp(for: key, in: thread, .success(nil), now: now).isEmpty)
        #expect(core.seeded(thread, .success(nil), now: now).isEmpty)
        #expect(core.append(Samples.send("3", in: thread), as: id(4), now: now) == [.queryStore(.head(thread))])
    }

    // MARK: Epochs

    @Test("a stored thread continues above the store, in the epoch that its acceptance allows")
    func epochs() throws {
        let head = ThreadHead(
            position: Position(epoch: Epoch("old"), seq: 7), milliseconds: 2000, messageCount: 5)
        for (acceptance, epoch) in [(MemoryLogSettings.Acceptance.immediately, "inc"), (.whenStored, "old")] {
            var core = core(acceptance)
            _ = core.append(Samples.send("hi", in: thread), as: id(1), now: now)
            _ = core.seeded(thread, .success(head), now: now)
            let event = try #require(read(&core)?.events.first)
            #expect(event.position == Position(epoch: Epoch(epoch), seq: 8))
            #expect(event.milliseconds == 2000)
            #expect(event.messageCount == 6)
            #expect(core.events(in: thread, after: 6, limit: 9).isTruncated)
            #expect(!core.events(in: thread, after: 7, limit: 9).isTruncated)
        }
    }

    @Test(
        "a forgotten thread continues in its epoch",
        arguments: [MemoryLogSettings.Acceptance.immediately, .whenStored])
    func forgotten(_ acceptance: MemoryLogSettings.Acceptance) throws {
        var core = core(acceptance) { $0.threads = 16 }
        _ = core.append(Samples.send("hi", in: thread), as: id(1), now: now)
        _ = core.seeded(thread, .success(nil), now: now)
        // It is kept while its events are not stored.
        fill(&core, 40)
        #expect(core.threadCount <= 17)
        let isKept = acceptance == .immediately ? core.head(of: thread) != nil : read(&core) != nil
        #expect(isKept)
        let batch = try #require(read(&core))
        _ = core.stored(batch, outcomes: batch.outcomes, now: now)
        let head = try #require(core.head(of: thread))
        fill(&core, 40)
        #expect(core.threadCount <= 17)
        #expect(core.head(of: thread) == nil)
        #expect(core.append(Samples.send("ho", in: thread), as: id(2), now: now) == [.queryStore(.head(thread))])
        _ = core.seeded(thread, .success(head), now: now)
        let next = try #require(read(&core)?.events.first)
        #expect(next.position == Position(epoch: head.position.epoch, seq: 2))
    }

    private func fill(_ core: inout LogCore, _ count: Int) {
        for number in 0..<count {
            let other = Samples.thread("other-\(number)")
            _ = core.resolveEnd(of: other, for: id(1000))
            _ = core.seeded(other, .success(nil), now: now)
        }
    }

    // MARK: Outcomes

    @Test("when stored: an event that the store has moved is published at its new seq")
    func moved() throws {
        var core = knowing(.whenStored)
        _ = core.append(Samples.send("1", in: thread), as: id(1), now: now)
        let batch = try #require(read(&core))
        let actions = core.stored(batch, outcomes: [.stored(seq: 5)], now: now)
        let receipt = Receipt(
            thread: thread, position: Position(epoch: Epoch("inc"), seq: 5), milliseconds: now,
            messageID: batch.events[0].message?.id)
        #expect(actions.first == .complete(id(1), .success(receipt)))
        #expect(core.events(in: thread, after: 0, limit: 9).events.map(\.position.seq) == [5])
        _ = core.append(Samples.send("2", in: thread), as: id(2), now: now)
        #expect(read(&core)?.events.map(\.position.seq) == [6])
    }

    @Test("when stored: an unused number is assigned again")
    func rejected() throws {
        var core = knowing(.whenStored)
        _ = core.append(Samples.send("1", in: thread), as: id(1), now: now)
        let batch = try #require(read(&core))
        #expect(core.stored(batch, outcomes: [.rejected("poison")], now: now).map(isUnavailable) == [id(1)])
        _ = core.append(Samples.send("2", in: thread), as: id(2), now: now)
        #expect(read(&core)?.events.map(\.position.seq) == [1])
        #expect(read(&core)?.events.map(\.messageCount) == [1])
    }

    @Test("when stored: an already stored event is accepted; another send of the name is not")
    func repeatedOutcomes() throws {
        var core = knowing(.whenStored)
        let key = IdempotencyKey.send(UserID(trusted: "ann"), clientID: "c")
        _ = core.append(Samples.send("1", in: thread), as: id(1), now: now)
        _ = core.append(Samples.send("2", in: thread, clientID: "c"), as: id(2), now: now)
        _ = core.lookedUp(for: key, in: thread, .success(nil), now: now)
        let batch = try #require(read(&core))
        let actions = core.stored(batch, outcomes: [.repeated(seq: 1), .repeated(seq: 77)], now: now)
        #expect(actions.compactMap(published) == ["1"])
        #expect(isUnavailable(actions[2]) == id(2))
    }

    @Test("a checkpoint covers stored events whose report was lost")
    func lostReport() throws {
        var core = knowing(.whenStored)
        _ = core.append(Samples.send("1", in: thread), as: id(1), now: now)
        _ = core.append(Samples.send("2", in: thread), as: id(2), now: now)
        let first = try #require(read(&core, limit: 1))
        let (rest, actions) = core.read(Partition(number: 0), after: first.checkpoint, limit: 9, now: now)
        #expect(actions.compactMap(published) == ["1"])
        #expect(rest?.events.map { $0.message?.text } == ["2"])
    }

    // MARK: Bounds

    @Test(
        "the ingest queue is bounded, and has room again when events are stored",
        arguments: [MemoryLogSettings.Acceptance.immediately, .whenStored])
    func ingestBound(_ acceptance: MemoryLogSettings.Acceptance) throws {
        var core = knowing(acceptance) { $0.ingestEntries = 3 }
        for number in 1...3 {
            let actions = core.append(Samples.send("\(number)", in: thread), as: id(UInt64(number)), now: now)
            #expect(!actions.contains { isUnavailable($0) != nil })
        }
        #expect(core.append(Samples.send("4", in: thread), as: id(4), now: now).map(isUnavailable) == [id(4)])
        let batch = try #require(read(&core, limit: 1))
        _ = core.stored(batch, outcomes: batch.outcomes, now: now)
        #expect(!core.append(Samples.send("5", in: thread), as: id(5), now: now).contains { isUnavailable($0) != nil })
        #expect(core.append(Samples.send("6", in: thread), as: id(6), now: now).map(isUnavailable) == [id(6)])
        #expect(core.backlog(of: Partition(number: 0)) == 3)
    }

    @Test("appends waiting for the store are bounded, per thread and in total")
    func waitingBounds() {
        var core = core(.immediately) {
            $0.waitingPerThread = 2
            $0.waiting = 3
        }
        _ = core.append(Samples.send("1", in: thread), as: id(1), now: now)
        _ = core.append(Samples.send("2", in: thread), as: id(2), now: now)
        #expect(core.append(Samples.send("3", in: thread), as: id(3), now: now).map(isUnavailable) == [id(3)])
        let other = Samples.thread("other")
        #expect(core.append(Samples.send("4", in: other), as: id(4), now: now) == [.queryStore(.head(other))])
        #expect(core.append(Samples.send("5", in: other), as: id(5), now: now).map(isUnavailable) == [id(5)])
        #expect(core.resolveEnd(of: other, for: id(6)).actions.map(isUnavailable) == [id(6)])
        #expect(core.seeded(thread, .success(nil), now: now).compactMap(published) == ["1", "2"])
        #expect(!core.append(Samples.send("6", in: other), as: id(7), now: now).contains { isUnavailable($0) != nil })
    }

    @Test("waiting repeats are bounded too")
    func repeatBound() {
        var core = knowing(.whenStored) { $0.waiting = 2 }
        let draft = Samples.send("1", in: thread, clientID: "c")
        _ = core.append(draft, as: id(1), now: now)
        #expect(core.append(draft, as: id(2), now: now).isEmpty)
        #expect(core.append(draft, as: id(3), now: now).map(isUnavailable) == [id(3)])
    }

    @Test("the windows of all threads are bounded in total")
    func windowBound() throws {
        var core = core(.immediately) {
            $0.windowEventsInAll = 20
            $0.windowEvents = 10
        }
        for number in 0..<30 {
            let other = Samples.thread("other-\(number)")
            _ = core.resolveEnd(of: other, for: id(1000))
            _ = core.seeded(other, .success(nil), now: now)
            for text in 1...15 { _ = core.append(Samples.send("\(text)", in: other), as: id(1), now: now) }
            let batch = try #require(read(&core))
            _ = core.stored(batch, outcomes: batch.outcomes, now: now)
        }
        _ = core.append(Samples.send("hi", in: Samples.thread("other-29")), as: id(1), now: now)
        #expect(core.threadCount <= 3)
        #expect(core.events(in: Samples.thread("other-29"), after: 0, limit: 99).events.count == 10)
    }

    // MARK: Stopping

    @Test("a stop refuses all waiting appends, and ends the stream")
    func stop() throws {
        var core = knowing(.whenStored)
        let other = Samples.thread("other")
        _ = core.append(Samples.send("1", in: thread), as: id(1), now: now)
        _ = core.append(Samples.send("2", in: other), as: id(2), now: now)
        _ = core.append(Samples.send("3", in: thread, clientID: "c"), as: id(3), now: now)
        _ = core.append(Samples.send("3", in: thread, clientID: "c"), as: id(4), now: now)
        _ = core.resolveEnd(of: other, for: id(5))
        let actions = core.stop()
        #expect(Set(actions.compactMap(isUnavailable)) == Set((1...5).map { id($0) }))
        #expect(core.append(Samples.send("6", in: thread), as: id(6), now: now).map(isUnavailable) == [id(6)])
        #expect(core.resolveEnd(of: Samples.thread("third"), for: id(7)).actions.map(isUnavailable) == [id(7)])
        let end = try #require(read(&core))
        #expect(end.entries.isEmpty)
    }

    @Test("a stop leaves immediately accepted events in the stream")
    func stopImmediately() throws {
        var core = knowing(.immediately)
        _ = core.append(Samples.send("1", in: thread), as: id(1), now: now)
        _ = core.stop()
        let batch = try #require(read(&core))
        #expect(batch.entries.count == 1)
        _ = core.stored(batch, outcomes: batch.outcomes, now: now)
        #expect(read(&core)?.entries.isEmpty == true)
    }

    // MARK: Helpers

    private func receipt(_ event: LogEvent) -> Receipt {
        Receipt(
            thread: event.thread, position: event.position, milliseconds: event.milliseconds,
            messageID: event.message?.id)
    }

    private func isUnavailable(_ action: LogAction) -> AppendID? {
        switch action {
        case .complete(let id, .failure(.unavailable)), .resume(let id, .unavailable): id
        default: nil
        }
    }

    private func published(_ action: LogAction) -> String? {
        if case .publish(let event) = action { event.message?.text } else { nil }
    }

    private func completed(_ action: LogAction) -> AppendID? {
        if case .complete(let id, .success) = action { id } else { nil }
    }
}
