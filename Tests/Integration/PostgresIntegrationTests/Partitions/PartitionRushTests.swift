import ParleyModel
import ParleyPostgres
import ParleyTestSupport
import Synchronization
import Testing

/// Many lockers that join, leave and are killed, and a record of the partitions each believes to own.
@Suite("Competition for the partitions", .timeLimit(.minutes(5)))
struct PartitionRushTests {
    /// Records the workers of each partition, and whether there were ever two.
    private final class Work: Sendable {
        private let state = Mutex<(workers: [Partition: String], clashes: [String])>(([:], []))

        /// `worker` works on exactly these partitions until the next call.
        func take(_ partitions: Set<Partition>, by worker: String) {
            state.withLock { state in
                for (partition, other) in state.workers where other == worker && !partitions.contains(partition) {
                    state.workers[partition] = nil
                }
                for partition in partitions {
                    if let other = state.workers[partition], other != worker {
                        state.clashes.append("\(partition.number): \(other) and \(worker)")
                    }
                    state.workers[partition] = worker
                }
            }
        }

        var clashes: [String] { state.withLock { $0.clashes } }
    }

    @Test("no partition ever has two owners, and none is left over in the end")
    func rush() async throws {
        let seed = UInt64.random(in: 1 ... .max)
        let database = try await PostgresTestDatabase.make()
        let work = Work()
        let owned = try await withThrowingTaskGroup(of: Locker.self) { group -> [Set<Partition>] in
            for number in 0..<5 {
                group.addTask {
                    var random = SeededGenerator(seed &+ UInt64(number))
                    let name = "rusher-\(number)"
                    let locker = try Locker(name, on: database)
                    for _ in 0..<60 {
                        switch Int.random(in: 0..<20, using: &random) {
                        case 0:
                            work.take([], by: name)
                            await locker.locks.leave()
                        case 1:
                            // A killed locker works on nothing; its locks may move before it notices.
                            work.take([], by: name)
                            try await locker.terminate()
                            _ = try? await locker.locks.balance(Locker.all)
                            await locker.locks.leave()
                        default:
                            let share = try await locker.locks.balance(Locker.all)
                            work.take(share.owned, by: name)
                            work.take(share.owned.subtracting(share.surplus), by: name)
                            await locker.locks.release(share.surplus)
                        }
                    }
                    return locker
                }
            }
            var lockers: [Locker] = []
            for try await locker in group { lockers.append(locker) }
            for locker in lockers { _ = try await locker.step() }
            for locker in lockers { _ = try await locker.step() }
            var owned: [Set<Partition>] = []
            for locker in lockers { owned.append(try await locker.step()) }
            return owned
        }
        #expect(work.clashes.isEmpty, "seed \(seed)")
        #expect(owned.map(\.count).sorted() == [12, 13, 13, 13, 13], "seed \(seed)")
        #expect(owned.reduce(into: Set()) { $0.formUnion($1) } == Set(Locker.all), "seed \(seed)")
        try await database.remove()
    }
}
