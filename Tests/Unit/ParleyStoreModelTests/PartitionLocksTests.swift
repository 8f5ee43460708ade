import ParleyModel
import ParleyStoreModel
import ParleyTestContracts
import Synchronization
import Testing

@Suite("Locks of the model's sessions distribute the partitions")
struct PartitionLocksTests {
    private static let all = (0..<64).map { Partition(number: $0) }

    /// Cannot be reached while it is told so.
    private final class Line: DatabaseHook {
        private let isCut = Mutex(false)

        func set(isCut: Bool) { self.isCut.withLock { $0 = isCut } }

        func before(_ call: DatabaseCall) async throws(StoreError) -> DatabaseCall.Course {
            if isCut.withLock({ $0 }) { throw .unavailable("cut") }
            return .run
        }

        func after(_ call: DatabaseCall) async throws(StoreError) {}
    }

    /// Balances and releases the surplus.
    private func step(_ locks: ModelPartitionLocks) async throws -> Set<Partition> {
        let share = try await locks.balance(Self.all)
        await locks.release(share.surplus)
        return share.owned.subtracting(share.surplus)
    }

    @Test("a late persister gets its share once released, and nobody owns it in between")
    func joining() async throws {
        let server = ModelServer()
        let (one, two) = (ModelPartitionLocks(server, client: "a"), ModelPartitionLocks(server, client: "b"))
        #expect(try await one.balance(Self.all) == PartitionAssignment(owned: Set(Self.all)))
        #expect(try await two.balance(Self.all) == PartitionAssignment(owned: []))
        let share = try await one.balance(Self.all)
        #expect(share.owned == Set(Self.all))
        #expect(share.surplus.count == 32)
        await one.release(share.surplus)
        #expect(try await two.balance(Self.all) == PartitionAssignment(owned: share.surplus))
        await two.leave()
        #expect(try await step(one) == Set(Self.all))
    }

    @Test("persisters that start together share all partitions evenly", arguments: [2, 3, 5, 64, 70])
    func atOnce(count: Int) async throws {
        let server = ModelServer()
        let lockers = (0..<count).map { ModelPartitionLocks(server, client: "\($0)") }
        for _ in 0..<3 { for locker in lockers { _ = try await step(locker) } }
        var owned: [Set<Partition>] = []
        for locker in lockers { owned.append(try await step(locker)) }
        #expect(owned.reduce(0) { $0 + $1.count } == 64)
        #expect(owned.reduce(into: Set()) { $0.formUnion($1) } == Set(Self.all))
        #expect(owned.allSatisfy { $0.count <= (64 + count - 1) / count })
    }

    @Test("the partitions of a killed persister are free at once, and it is notified")
    func killed() async throws {
        let server = ModelServer()
        let (one, two) = (ModelPartitionLocks(server, client: "a"), ModelPartitionLocks(server, client: "b"))
        #expect(try await step(one).count == 64)
        server.endSessions(of: "a")
        #expect(try await step(two).count == 64)
        let error = await #expect(throws: StoreError.self) { try await one.balance(Self.all) }
        #expect(error == .unavailable("the session was ended"))
        #expect(try await step(one).isEmpty)
        #expect(try await step(two).count == 32)
    }

    @Test("a loss during a release is reported by the next call")
    func lostInRelease() async throws {
        let server = ModelServer()
        let locks = ModelPartitionLocks(server, client: "a")
        #expect(try await step(locks).count == 64)
        server.restart()
        await locks.release(Self.all.prefix(3))
        await #expect(throws: StoreError.self) { try await locks.balance(Self.all) }
        #expect(try await step(locks).count == 64)
    }

    @Test("the locks of a persister that is cut off last until the server misses it")
    func cutOff() async throws {
        let clock = TestClock()
        let server = ModelServer(clock: clock.wall)
        let line = Line()
        let one = ModelPartitionLocks(server, client: "a", hook: line)
        let two = ModelPartitionLocks(server, client: "b")
        #expect(try await step(one).count == 64)
        line.set(isCut: true)
        await #expect(throws: StoreError.unavailable("cut")) { try await one.balance(Self.all) }
        #expect(try await step(two).isEmpty)
        clock.advance(milliseconds: ModelServer.peerLimit - 1)
        #expect(try await step(two).isEmpty)
        clock.advance(milliseconds: 1)
        #expect(try await step(two).count == 64)
        line.set(isCut: false)
        #expect(try await step(one).isEmpty)
    }
}
