import Logging
import MetricsTestKit
import ParleyMemory
import ParleyModel
import ParleyPersister
import ParleyTestContracts
import ParleyTestSupport
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@Suite("Persister service", .timeLimit(.minutes(5)))
struct PersisterTests {
    private let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    private let thread = Samples.thread("t")

    @Test("a shutdown stores everything accepted or pending")
    func drains() async throws {
        let store = NaiveStore()
        let metrics = TestMetrics()
        let log = MemoryLog(bus: MemoryBroker(), history: store, settings: .init(acceptance: .whenStored))
        var settings = PersisterSettings()
        // A busy machine may take longer than the 10 s of the default.
        settings.shutdownTimeout = .seconds(240)
        let persister = Persister(stream: log, store: store, settings: settings, logger: logger, metrics: metrics)
        let responses = Recorder<Result<Receipt, AppendError>>()
        let count = 2500
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await log.run() }
                // The end of the thread becomes known, so that nothing below waits for a seed.
                _ = try await log.head(of: thread)
                for number in 0..<count {
                    log.append(Samples.send("\(number)", in: thread)) { responses.record($0) }
                }
                trigger.triggerGracefulShutdown()
                try await persister.run()
                group.cancelAll()
            }
        }
        let receipts = try await responses.wait(count: count).map { try $0.get() }
        #expect(receipts.map(\.position.seq) == Array(1...Int64(count)))
        #expect(store.log(of: thread).map { $0.message?.text } == (0..<count).map { "\($0)" })
        #expect(store.committedBatches.allSatisfy { $0 <= 1000 })
        let stored = try metrics.expectCounter("parley_persister_events_total", [("outcome", "stored")])
        #expect(stored.totalValue == Int64(count))
        let batches = try metrics.expectCounter("parley_persister_batches_total")
        #expect(batches.totalValue == Int64(store.committedBatches.count))
        let lag = try metrics.expectGauge("parley_persister_lag_events", [("partition", "0")])
        #expect(lag.lastValue == 0)
    }

    @Test("an idle persister ends at once at shutdown")
    func idle() async throws {
        let store = NaiveStore()
        let log = MemoryLog(bus: MemoryBroker(), history: store, settings: .init(acceptance: .whenStored))
        let service: any Service = Persister(stream: log, store: store, logger: logger, metrics: TestMetrics())
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await service.run() }
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
        #expect(store.committedBatches.isEmpty)
    }

    @Test("appends that wait for a store which cannot be written are refused, and later ones are stored")
    func refused() async throws {
        let store = NaiveStore()
        var settings = MemoryLogSettings(acceptance: .whenStored)
        settings.refusesUnstored = true
        let log = MemoryLog(bus: MemoryBroker(), history: store, settings: settings)
        // No delay between attempts ends: nobody may wait for one.
        let persister = Persister(
            stream: log, store: store, logger: logger, metrics: TestMetrics(),
            sleep: { _ in try await Task.sleep(for: .seconds(3600)) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await log.run() }
            group.addTask { try await persister.run() }
            for round in 1...3 {
                for number in 0..<5 {
                    store.failWrites(.beforeCommit(.unavailable("full")))
                    let refusal = AppendError.unavailable("the store cannot be written")
                    await #expect(throws: refusal) {
                        try await log.append(Samples.send("refused \(number)", in: thread))
                    }
                }
                let receipt = try await log.append(Samples.send("stored \(round)", in: thread))
                #expect(receipt.position.seq == Int64(round))
            }
            group.cancelAll()
        }
        #expect(store.log(of: thread).compactMap { $0.message?.text } == ["stored 1", "stored 2", "stored 3"])
    }

    @Test("an unavailable store delays the shutdown for no longer than its timeout")
    func timeout() async throws {
        let store = NaiveStore()
        // Every write fails, as an event and as a reject.
        store.refuse { _ in true }
        let log = MemoryLog(bus: MemoryBroker(), history: store, settings: .init(acceptance: .immediately))
        let metrics = TestMetrics()
        let settings = PersisterSettings()
        let persister = Persister(
            stream: log, store: store, settings: settings, logger: logger, metrics: metrics,
            sleep: { duration in
                // The timeout fires at once; the delays between attempts last until the task is cancelled.
                if duration != settings.shutdownTimeout { try await Task.sleep(for: .seconds(3600)) }
            })
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await log.run() }
                _ = try await log.append(Samples.send("hi", in: thread))
                trigger.triggerGracefulShutdown()
                try await persister.run()
                group.cancelAll()
            }
        }
        #expect(store.log(of: thread).isEmpty)
        #expect(try await log.backlog(of: log.partitions[0]) == 1)
    }
}
