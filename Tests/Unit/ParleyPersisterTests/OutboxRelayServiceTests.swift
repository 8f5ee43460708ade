import Logging
import MetricsTestKit
import ParleyMemory
import ParleyMessaging
import ParleyModel
import ParleyPersister
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Outbox relay service", .timeLimit(.minutes(5)))
struct OutboxRelayServiceTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test("left entries are relayed and completed, and counted by the metrics")
    func relays() async throws {
        let files = try TemporaryDirectory()
        let clock = TestClock()
        let store = try SQLiteStore(
            path: files.path + "/parley.db", clock: clock.wall, busyTimeout: .patience, waitLimit: .patience)
        try await store.migrate()
        let log = MemoryLog(
            bus: MemoryBroker(), history: store, clock: clock.wall,
            settings: MemoryLogSettings(acceptance: .immediately))
        let metrics = TestMetrics()
        let relay = OutboxRelay(outbox: store, history: store, log: log, clock: clock.wall, logger: logger)
        let service = OutboxRelayService(
            relay: relay, logger: logger, metrics: metrics, clock: clock.wall)
        func gauge(_ name: String) throws -> Double { try metrics.expectGauge(name).lastValue ?? -1 }

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await log.run() }
            let ann = User(id: UserID(trusted: "u-ann"), name: "ann")
            try await store.createUser(ann, passwordHash: nil)
            _ = try await store.join(
                ann, roomTitled: "Tea", newID: ThreadID(trusted: "tea"), at: clock.milliseconds)
            var rounds = OutboxRelayService.Rounds()
            await service.round(&rounds)
            #expect(try gauge("parley_outbox_overdue") == 0)
            // The process that made the change will have relayed it by now, or has died.
            clock.milliseconds += 2000
            await service.round(&rounds)
            #expect(try metrics.expectCounter("parley_outbox_relayed_total").totalValue == 1)
            #expect(try await log.events(in: ThreadID(trusted: "tea"), after: 0, limit: 10).events.count == 1)
            // The log has it, but the store makes no progress.
            clock.milliseconds += 1000
            await service.round(&rounds)
            clock.milliseconds += 4000
            await service.round(&rounds)
            #expect(try gauge("parley_outbox_overdue") == 1)
            #expect(try gauge("parley_outbox_age_seconds") == 5.5)
            for partition in log.partitions {
                while try await log.backlog(of: partition) > 0 {
                    let batch = try await log.read(
                        partition, after: try await store.checkpoint(of: partition), limit: 1000)
                    await log.stored(batch, outcomes: try await store.write(batch))
                }
            }
            await service.round(&rounds)
            #expect(try gauge("parley_outbox_overdue") == 0)
            #expect(try gauge("parley_outbox_age_seconds") == 0)
            #expect(try await store.outboxEntries(of: nil, limit: 10).isEmpty)
            group.cancelAll()
        }
        try await store.close()
    }

    @Test("an unavailable host delays no thread of another, however much waits for it")
    func hosts() async throws {
        let files = try TemporaryDirectory()
        let clock = TestClock()
        let store = try SQLiteStore(
            path: files.path + "/parley.db", clock: clock.wall, busyTimeout: .patience, waitLimit: .patience)
        try await store.migrate()
        let memory = MemoryLog(
            bus: MemoryBroker(), history: store, clock: clock.wall,
            settings: MemoryLogSettings(acceptance: .immediately))
        let log = PartlyHangingLog(log: memory)
        let relay = OutboxRelay(outbox: store, history: store, log: log, clock: clock.wall, logger: logger)
        let service = OutboxRelayService(relay: relay, logger: logger, metrics: TestMetrics(), clock: clock.wall)
        let ann = User(id: UserID(trusted: "u-ann"), name: "ann")
        try await store.createUser(ann, passwordHash: nil)
        let (dead, tea) = (ThreadID(trusted: "dead"), ThreadID(trusted: "tea"))
        _ = try await store.join(ann, roomTitled: "dead", newID: dead, at: clock.milliseconds)
        for number in 0..<OutboxRelay.pageLength {
            _ = try await (store as any StateStore).rename(dead, to: "\(number)", by: ann.id, at: clock.milliseconds) {
                _ in
            }
        }
        _ = try await store.join(ann, roomTitled: "tea", newID: tea, at: clock.milliseconds)
        clock.milliseconds += 2000
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await memory.run() }
            group.addTask {
                var rounds = OutboxRelayService.Rounds(host: 0)
                await service.round(&rounds)
            }
            var rounds = OutboxRelayService.Rounds(host: 1)
            await service.round(&rounds)
            let relayed = try await memory.events(in: tea, after: 0, limit: 10).events
            #expect(relayed.count == 1)
            group.cancelAll()
        }
        try await store.close()
    }
}

/// A log on two hosts, of which the first never answers; the second holds the thread `tea`.
private struct PartlyHangingLog: MessageLog {
    let log: MemoryLog

    var hostCount: Int { 2 }

    func host(of thread: ThreadID) -> Int { thread.text == "tea" ? 1 : 0 }

    func append(_ draft: EventDraft, completion: @escaping @Sendable (Result<Receipt, AppendError>) -> Void) {
        if host(of: draft.thread) == 1 { log.append(draft, completion: completion) }
    }

    func head(of thread: ThreadID) async throws(AppendError) -> ThreadHead? { try await log.head(of: thread) }

    func events(in thread: ThreadID, after: Int64, limit: Int) async throws(AppendError) -> LogSlice {
        try await log.events(in: thread, after: after, limit: limit)
    }

    func redact(_ redaction: LogRedaction, in thread: ThreadID) async throws(AppendError) {
        try await log.redact(redaction, in: thread)
    }

    func forget(_ thread: ThreadID) async throws(AppendError) { try await log.forget(thread) }
}
