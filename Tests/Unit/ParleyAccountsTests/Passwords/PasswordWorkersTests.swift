import Dispatch
import ParleyAccounts
import ParleyTestSupport
import Synchronization
import Testing

@Suite("Password workers", .timeLimit(.minutes(5)))
struct PasswordWorkersTests {
    /// Jobs that block until released, with a count of how many ran at once.
    private final class BlockingJobs: Sendable {
        let isOpen = DispatchSemaphore(value: 0)
        let counts = Mutex((running: 0, most: 0, done: 0))
        let order = Mutex("")

        func work() {
            counts.withLock {
                $0.running += 1
                $0.most = max($0.most, $0.running)
            }
            isOpen.wait()
            counts.withLock {
                $0.running -= 1
                $0.done += 1
            }
        }

        var running: Int { counts.withLock { $0.running } }
    }

    private func outcome(_ workers: PasswordWorkers, _ station: BlockingJobs) async -> PasswordWorkers.Rejection? {
        await rejection(workers, .check) { station.work() }
    }

    private func rejection(
        _ workers: PasswordWorkers, _ kind: PasswordWorkers.Kind, _ work: @escaping @Sendable () -> Void
    ) async -> PasswordWorkers.Rejection? {
        do {
            try await workers.run(kind, work)
            return nil
        } catch {
            return error
        }
    }

    @Test("run and queue a bounded number of jobs, and reject the rest, while other tasks go on")
    func bounds() async throws {
        let workers = PasswordWorkers(parallelism: 2, maximumWaiting: 3)
        let station = BlockingJobs()
        try await withThrowingTaskGroup(of: PasswordWorkers.Rejection?.self) { group in
            for _ in 0..<8 { group.addTask { await outcome(workers, station) } }
            var refused = 0
            // 2 run, 3 wait: 3 of the 8 return at once, in any order.
            while refused < 3, let rejection = try await group.next() {
                #expect(rejection == .busy)
                refused += 1
            }
            #expect(try await eventually { station.running == 2 })
            for _ in 0..<5 { station.isOpen.signal() }
            for try await rejection in group { #expect(rejection == nil) }
        }
        #expect(station.counts.withLock { $0.most } == 2)
        #expect(station.counts.withLock { $0.done } == 5)
        // All slots are free again.
        station.isOpen.signal()
        #expect(await outcome(workers, station) == nil)
    }

    @Test("shut down when running jobs end, and reject waiting and new ones")
    func shutDown() async throws {
        let workers = PasswordWorkers(parallelism: 1, maximumWaiting: 5)
        let station = BlockingJobs()
        try await withThrowingTaskGroup(of: PasswordWorkers.Rejection?.self) { group in
            group.addTask { await outcome(workers, station) }
            #expect(try await eventually { station.running == 1 })
            group.addTask { await outcome(workers, station) }
            group.addTask {
                await workers.shutDown()
                #expect(station.running == 0)
                return nil
            }
            // Whether it waited or came too late, it is rejected.
            #expect(try await group.next() == .some(.some(.shutDown)))
            station.isOpen.signal()
            for try await rejection in group { #expect(rejection == nil) }
        }
        #expect(await outcome(workers, station) == .shutDown)
        await workers.shutDown()
    }

    @Test("new passwords have their own queue: checks take precedence, and one job of five is for a new password")
    func kinds() async throws {
        let workers = PasswordWorkers(parallelism: 1, maximumWaiting: 6)
        let station = BlockingJobs()
        try await withThrowingTaskGroup(of: PasswordWorkers.Rejection?.self) { group in
            group.addTask { await outcome(workers, station) }
            #expect(try await eventually { station.running == 1 })
            for (kind, letter) in [(PasswordWorkers.Kind.new, "n"), (.check, "c")] {
                // One too many, which shows that the others wait, and that the other kind takes none of their slots.
                for _ in 0..<7 {
                    group.addTask {
                        await rejection(workers, kind) { station.order.withLock { $0 += letter } }
                    }
                }
                #expect(try await group.next() == .some(.some(.busy)))
            }
            station.isOpen.signal()
            for try await rejection in group { #expect(rejection == nil) }
        }
        #expect(station.order.withLock { $0 } == "ccccnccnnnnn")
    }

    @Test("there is at least one worker")
    func atLeastOne() async throws {
        #expect(PasswordWorkers.defaultParallelism >= 1)
        #expect(try await PasswordWorkers(parallelism: 0, maximumWaiting: 0).run(.new) { 7 } == 7)
    }
}
