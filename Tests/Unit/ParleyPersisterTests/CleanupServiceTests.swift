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

    init(_ items: [Item]) {
        due = Mutex(items)
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
