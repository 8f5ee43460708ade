import Logging
import ParleyModel
import ParleyPersister
import ParleyTestContracts
import Synchronization
import Testing

@Suite("Cleanup service", .timeLimit(.minutes(5)))
struct CleanupServiceTests {
    @Test("an endless and a failing cleanup do not delay others; the failed one is retried")
    func several() async throws {
        let work = Work([.slow, .failing, .quick("a"), .quick("b")])
        let service = CleanupService(
            cleanups: work, sends: ForgottenSends(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            sleep: { _ in
                try Task.checkCancellation()
                await Task.yield()
            })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            for await finished in work.finished.stream {
                if finished == "b" { work.add(.quick("late")) }
                if finished == "late", work.failures > 1 { break }
                if finished == "late" { work.add(.quick("late")) }
            }
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(work.failures > 1)
    }

    @Test("what ended a day ago is deleted in steps until nothing is left, and again later")
    func ended() async throws {
        let work = Work([], ended: 2 * EntranceRetention.width + 1)
        let clock = TestClock()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let service = CleanupService(
            cleanups: work, sends: ForgottenSends(),
            entrances: EntranceRetention(work, clock: clock.wall, logger: logger), logger: logger,
            sleep: { _ in
                try Task.checkCancellation()
                await Task.yield()
            })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            var finished = 0
            for await name in work.finished.stream {
                #expect(name == "ended before \(clock.wall.milliseconds - EntranceRetention.milliseconds)")
                finished += 1
                if finished == 2 { break }
                work.addEnded(1)
            }
            group.cancelAll()
            try await group.waitForAll()
        }
    }
}

/// Cleanups by outcome. A failed one is due again.
private final class Work: Cleanups {
    enum Item: Hashable {
        case slow, failing
        case quick(String)

        var name: String {
            switch self {
            case .slow: "slow"
            case .failing: "failing"
            case .quick(let name): name
            }
        }
    }

    private let due: Mutex<[Item]>
    private let failed = Mutex(0)
    let finished = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1000))

    private let left: Mutex<Int>

    /// - Parameter ended: rows of ways into threads that have ended.
    init(_ items: [Item], ended: Int = 0) {
        due = Mutex(items)
        left = Mutex(ended)
    }

    func addEnded(_ count: Int) {
        left.withLock { $0 += count }
    }

    var failures: Int { failed.withLock { $0 } }

    func add(_ item: Item) {
        due.withLock { $0.append(item) }
    }

    func claimCleanups(limit: Int) async throws(StoreError) -> [Cleanup] {
        due.withLock { due in
            let claimed = due.prefix(limit)
            due.removeFirst(claimed.count)
            return claimed.map { Cleanup(subject: .thread(ThreadID(trusted: $0.name)), lease: 0) }
        }
    }

    func removeEndedEntrances(before milliseconds: Int64, limit: Int) async throws(StoreError) -> Int {
        left.withLock { left in
            let removed = min(left, limit)
            left -= removed
            if removed > 0, left == 0 { finished.continuation.yield("ended before \(milliseconds)") }
            return removed
        }
    }

    func finish(_ cleanup: Cleanup, forgetting sends: any SendMemory) async throws(StoreError) {
        let name = cleanup.subject.stored.id
        switch name {
        case "slow":
            // Blocks until the service ends.
            while (try? await Task.sleep(for: .seconds(60))) != nil {}
        case "failing":
            failed.withLock { $0 += 1 }
            add(.failing)
            throw .failed("as always")
        default: finished.continuation.yield(name)
        }
    }
}
