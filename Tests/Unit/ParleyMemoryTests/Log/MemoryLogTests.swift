import ParleyMemory
import ParleyModel
import ParleyTestContracts
import ParleyTestSupport
import Synchronization
import Testing

@Suite("The memory log with concurrent callers", .timeLimit(.minutes(5)))
struct MemoryLogTests {
    /// Runs a log while `body` runs.
    private func withLog(
        _ settings: MemoryLogSettings, store: NaiveStore = NaiveStore(),
        _ body: @escaping @Sendable (MemoryLog, MemoryBroker) async throws -> Void
    ) async throws {
        let broker = MemoryBroker()
        let log = MemoryLog(bus: broker, history: store, settings: settings)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await log.run() }
            try await body(log, broker)
            group.cancelAll()
        }
    }

    @Test("events reach a node in order, one call at a time, from any number of threads")
    func order() async throws {
        var settings = MemoryLogSettings(acceptance: .immediately)
        settings.partitions = 4
        // No append is refused, however late the store replies for a thread.
        settings.waitingPerThread = 8000
        try await withLog(settings) { log, broker in
            let threads = (0..<4).map { Samples.thread("t\($0)") }
            let bus = broker.makeBus()
            let received = Recorder<LogEvent>()
            let inside = Atomic(0)
            let overlaps = Atomic(0)
            let seqs = Mutex<[ThreadID: [Int64]]>([:])
            bus.attach { signal in
                if inside.add(1, ordering: .relaxed).newValue != 1 { overlaps.add(1, ordering: .relaxed) }
                if case .event(let event) = signal {
                    seqs.withLock { $0[event.thread, default: []].append(event.position.seq) }
                    if event.position.seq == 2000 { received.record(event) }
                }
                inside.subtract(1, ordering: .relaxed)
            }
            try await bus.subscribe(to: threads.map { .thread($0) })
            await withTaskGroup(of: Void.self) { group in
                for appender in 0..<8 {
                    group.addTask {
                        for number in 0..<1000 {
                            log.append(Samples.send("x", in: threads[(appender + number) % 4])) { _ in }
                        }
                    }
                }
            }
            try await received.wait(count: 4)
            #expect(overlaps.load(ordering: .relaxed) == 0)
            for thread in threads { #expect(seqs.withLock { $0[thread] } == Array(1...2000)) }
        }
    }

    @Test("a completion may append again")
    func reentrance() async throws {
        try await withLog(MemoryLogSettings(acceptance: .immediately)) { log, _ in
            let thread = Samples.thread("t")
            let receipts = Recorder<Receipt>()
            @Sendable func append(_ left: Int) {
                log.append(Samples.send("\(left)", in: thread)) { result in
                    guard case .success(let receipt) = result else { return }
                    receipts.record(receipt)
                    if left > 1 { append(left - 1) }
                }
            }
            append(2000)
            let all = try await receipts.wait(count: 2000)
            #expect(all.map(\.position.seq) == Array(1...2000))
        }
    }

    @Test("`run` takes over from a caller after a while")
    func relief() async throws {
        try await withLog(MemoryLogSettings(acceptance: .immediately)) { log, _ in
            let thread = Samples.thread("t")
            _ = try await log.append(Samples.send("first", in: thread))
            // Each completion appends again without end; a caller that drains without a limit would never return.
            let isOver = Atomic(false)
            @Sendable func append() {
                log.append(Samples.send("x", in: thread)) { result in
                    if !isOver.load(ordering: .relaxed), case .success = result { append() }
                }
            }
            append()
            isOver.store(true, ordering: .relaxed)
            _ = try await log.append(Samples.send("last", in: thread))
        }
    }

    @Test("a stop completes waiting and later calls with an error; readers get the end")
    func stop() async throws {
        let broker = MemoryBroker()
        let log = MemoryLog(bus: broker, history: NaiveStore(), settings: .init(acceptance: .whenStored))
        let thread = Samples.thread("t")
        let replies = Recorder<Result<Receipt, AppendError>>()
        let batches = Recorder<IngestBatch>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            log.append(Samples.send("waits for a run", in: thread)) { replies.record($0) }
            group.addTask { await log.run() }
            let batch = try await log.read(log.partitions[0], after: nil, limit: 1)
            group.cancelAll()
            try await group.waitForAll()
            #expect(batch.entries.count == 1)
        }
        log.append(Samples.send("late", in: thread)) { replies.record($0) }
        for reply in try await replies.wait(count: 2) {
            #expect(reply == .failure(.unavailable("the log has stopped")))
        }
        batches.record(try await log.read(log.partitions[0], after: nil, limit: 1))
        #expect(batches.elements[0].entries.isEmpty)
        await #expect(throws: AppendError.self) { _ = try await log.head(of: Samples.thread("unknown")) }
    }

    @Test("pending deliveries are bounded")
    func undelivered() async throws {
        var settings = MemoryLogSettings(acceptance: .immediately)
        settings.undelivered = 10
        try await withLog(settings) { log, _ in
            let thread = Samples.thread("t")
            _ = try await log.append(Samples.send("first", in: thread))
            let replies = Recorder<Result<Receipt, AppendError>>()
            // While a completion runs nothing else is delivered, so its appends accumulate.
            log.append(Samples.send("second", in: thread)) { _ in
                for _ in 0..<20 { log.append(Samples.send("x", in: thread)) { replies.record($0) } }
            }
            let all = try await replies.wait(count: 20)
            let refused = all.filter { $0 == .failure(.unavailable("too much is waiting to be delivered")) }
            #expect(refused.count == 15)
        }
    }
}
