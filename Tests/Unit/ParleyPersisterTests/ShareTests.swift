import Logging
import MetricsTestKit
import ParleyModel
import ParleyPersister
import ParleyTestContracts
import ParleyTestSupport
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

/// A stream of many partitions on two hosts, without entries, which records the readers of each.
private final class QuietStream: IngestStream {
    let groups = [(0..<32).map { Partition(number: $0) }, (32..<64).map { Partition(number: $0) }]
    /// The waits of readers; `nil` when they have ended.
    private let waits = Mutex<[AsyncStream<Void>.Continuation]?>([])
    /// The present and the maximum number of readers of each partition.
    private let readers = Mutex<(now: [Partition: Int], most: Int)>(([:], 0))
    /// The readers that were cancelled and do not end yet; `nil` if all end at once.
    private let held = Mutex<[CheckedContinuation<Void, Never>]?>(nil)

    func read(_ positions: [IngestPosition], limit: Int) async throws -> [IngestBatch] {
        let partitions = positions.map(\.partition)
        readers.withLock { readers in
            for partition in partitions {
                readers.now[partition, default: 0] += 1
                readers.most = max(readers.most, readers.now[partition, default: 0])
            }
        }
        defer {
            readers.withLock { readers in for partition in partitions { readers.now[partition, default: 0] -= 1 } }
        }
        let (wait, end) = AsyncStream.makeStream(of: Void.self)
        if waits.withLock({ $0?.append(end) }) == nil { end.finish() }
        for await _ in wait {}
        await withCheckedContinuation { continuation in
            if held.withLock({ $0?.append(continuation) }) == nil { continuation.resume() }
        }
        throw CancellationError()
    }

    /// Readers that are cancelled do not end before `release`.
    func hold() { held.withLock { $0 = [] } }

    func release() {
        let continuations = held.withLock { held in
            defer { held = nil }
            return held ?? []
        }
        for continuation in continuations { continuation.resume() }
    }

    func endWaits() {
        let ends = waits.withLock { waits in
            defer { waits = nil }
            return waits ?? []
        }
        for end in ends { end.finish() }
    }

    func backlog(of partition: Partition) async throws(AppendError) -> Int { 0 }
    func stored(_ batches: [StoredBatch]) async -> [Int?] { batches.map { _ in 0 } }

    var reading: Set<Partition> { readers.withLock { Set($0.now.filter { $0.value > 0 }.keys) } }
    var mostReaders: Int { readers.withLock { $0.most } }
}

@Suite("Distribution of partitions", .timeLimit(.minutes(5)))
struct ShareTests {
    private let stream = QuietStream()
    private let table = LockTable()

    private func persister(_ member: Int) -> Persister {
        var settings = PersisterSettings()
        settings.drains = false
        settings.balanceInterval = .milliseconds(1)
        return Persister(
            stream: stream, store: NaiveStore(), locks: TestLocks(table: table, member: member), settings: settings,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), metrics: TestMetrics())
    }

    @Test("two processes get half each, one takes over when the other leaves, and no partition has two readers")
    func halves() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await persister(1).run() }
            try #require(try await eventually { stream.reading.count == 64 && table.count(of: 1) == 64 })
            let second = Task { try await persister(2).run() }
            try #require(
                try await eventually {
                    stream.reading.count == 64 && table.count(of: 1) == 32 && table.count(of: 2) == 32
                })
            second.cancel()
            try await second.value
            try #require(try await eventually { stream.reading.count == 64 && table.count(of: 1) == 64 })
            group.cancelAll()
        }
        #expect(stream.mostReaders == 1)
        #expect(stream.reading.isEmpty)
        #expect(table.count(of: 1) == 0)
    }

    @Test("a partition is released only when its worker has ended")
    func busy() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await persister(1).run() }
            try #require(try await eventually { stream.reading.count == 64 && table.count(of: 1) == 64 })
            stream.hold()
            group.addTask { try await persister(2).run() }
            try #require(try await eventually { table.balances(of: 2) > 0 })
            let before = table.balances(of: 1)
            try #require(try await eventually { table.balances(of: 1) >= before + 3 })
            #expect(table.count(of: 1) == 64 && table.count(of: 2) == 0)
            stream.release()
            try #require(try await eventually { stream.reading.count == 64 && table.count(of: 2) == 32 })
            group.cancelAll()
        }
        #expect(stream.mostReaders == 1)
    }

    @Test("a process that loses its locks stops at once, and restarts when it can get them")
    func lost() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await persister(1).run() }
            try #require(try await eventually { stream.reading.count == 64 })
            table.cutOff(1)
            try #require(try await eventually { stream.reading.isEmpty })
            table.comesBack(1)
            try #require(try await eventually { stream.reading.count == 64 })
            group.cancelAll()
        }
    }

    @Test("a shutdown releases all partitions")
    func shutdown() async throws {
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await persister(1).run() }
                try #require(try await eventually { stream.reading.count == 64 })
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
        #expect(table.count(of: 1) == 0)
    }
}
