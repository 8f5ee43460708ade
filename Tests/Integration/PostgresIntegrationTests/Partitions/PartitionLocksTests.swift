import ParleyModel
import ParleyPostgres
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("Advisory locks distribute the partitions", .serialized)
struct PartitionLocksTests {
    @Test("a single persister gets all partitions, and keeps them")
    func alone() async throws {
        let database = try await PostgresTestDatabase.make()
        let locker = try Locker("a", on: database)
        for _ in 0..<3 {
            #expect(try await locker.locks.balance(Locker.all) == PartitionAssignment(owned: Set(Locker.all)))
        }
        try await database.remove()
    }

    @Test("a late persister gets its share once released, and nobody owns it in between")
    func joining() async throws {
        let database = try await PostgresTestDatabase.make()
        let (one, two) = (try Locker("a", on: database), try Locker("b", on: database))
        #expect(try await one.locks.balance(Locker.all).surplus.isEmpty)
        #expect(try await two.locks.balance(Locker.all) == PartitionAssignment(owned: []))

        let share = try await one.locks.balance(Locker.all)
        #expect(share.owned == Set(Locker.all))
        #expect(share.surplus.count == 32)
        // Until it is released it belongs to the first.
        #expect(try await two.locks.balance(Locker.all) == PartitionAssignment(owned: []))
        #expect(try await one.locks.balance(Locker.all) == share)
        let some = Set(share.surplus.prefix(10))
        await one.locks.release(some)
        #expect(try await two.locks.balance(Locker.all) == PartitionAssignment(owned: some))
        await one.locks.release(share.surplus)
        #expect(try await two.locks.balance(Locker.all) == PartitionAssignment(owned: share.surplus))
        #expect(
            try await one.locks.balance(Locker.all)
                == PartitionAssignment(owned: share.owned.subtracting(share.surplus)))
        await two.locks.leave()
        try await database.remove()
    }

    @Test("persisters that start together share all partitions evenly", arguments: [2, 3, 5, 64, 70])
    func atOnce(count: Int) async throws {
        let database = try await PostgresTestDatabase.make()
        let lockers = try (0..<count).map { try Locker("locker-\($0)", on: database) }
        try await expectEvenShares(of: lockers)
        for locker in lockers { await locker.locks.leave() }
        try await database.remove()
    }

    @Test("persisters that start one by one share all partitions evenly")
    func oneByOne() async throws {
        let database = try await PostgresTestDatabase.make()
        var lockers: [Locker] = []
        for number in 0..<6 {
            lockers.append(try Locker("locker-\(number)", on: database))
            try await expectEvenShares(of: lockers)
        }
        try await database.remove()
    }

    private func expectEvenShares(of lockers: [Locker]) async throws {
        // All are known after the first round; the second releases the surplus, and the third locks what is free.
        for _ in 0..<3 { for locker in lockers { _ = try await locker.step() } }
        var owned: [Set<Partition>] = []
        for locker in lockers { owned.append(try await locker.step()) }
        #expect(owned.reduce(0) { $0 + $1.count } == 64)
        #expect(owned.reduce(into: Set()) { $0.formUnion($1) } == Set(Locker.all))
        #expect(owned.allSatisfy { $0.count <= (64 + lockers.count - 1) / lockers.count })
        withExtendedLifetime(lockers) {}
    }

    @Test("the partitions of a killed persister move at the next calls, and it is notified")
    func killed() async throws {
        let database = try await PostgresTestDatabase.make()
        let lockers = try ["a", "b", "c"].map { try Locker($0, on: database) }
        for _ in 0..<3 { for locker in lockers { _ = try await locker.step() } }
        try await lockers[0].terminate()
        let (one, two) = (try await lockers[1].step(), try await lockers[2].step())
        #expect((one.count, two.count) == (32, 32))
        #expect(one.isDisjoint(with: two))

        let error = await #expect(throws: StoreError.self) { try await lockers[0].locks.balance(Locker.all) }
        #expect(error?.isUnavailable == true)
        #expect(try await lockers[0].step().isEmpty)
        _ = try await lockers[1].step()
        _ = try await lockers[2].step()
        // The surplus of the others.
        #expect(try await lockers[0].step().count == 20)
        // A locker without further references may be released, and its locks with it.
        for locker in lockers { await locker.locks.leave() }
        try await database.remove()
    }

    @Test("the partitions of a persister that leaves are free at once")
    func leaving() async throws {
        let database = try await PostgresTestDatabase.make()
        let (one, two) = (try Locker("a", on: database), try Locker("b", on: database))
        for _ in 0..<2 {
            _ = try await one.step()
            _ = try await two.step()
        }
        await one.locks.leave()
        #expect(try await two.step() == Set(Locker.all))
        await one.locks.leave()
        try await database.remove()
    }

    @Test("a loss during a release is reported by the next call")
    func lostInRelease() async throws {
        let database = try await PostgresTestDatabase.make()
        let locker = try Locker("a", on: database)
        #expect(try await locker.step() == Set(Locker.all))
        try await locker.terminate()
        await locker.locks.release(Locker.all.prefix(3))
        await #expect(throws: StoreError.self) { try await locker.locks.balance(Locker.all) }
        #expect(try await locker.step() == Set(Locker.all))
        try await database.remove()
    }

    @Test("a locked partition is left to its owner, persister or not")
    func foreign() async throws {
        let database = try await PostgresTestDatabase.make()
        let locker = try Locker("a", on: database)
        let other = try database.connection()
        let lock = Statement("SELECT pg_advisory_lock(hashtext('parley partitions public'), 1)")
        try other.run([lock()])
        #expect(try await locker.step() == Set(Locker.all).subtracting([Partition(number: 1)]))
        try await database.remove()
    }

    @Test("partitions that are no longer requested are released")
    func fewer() async throws {
        let database = try await PostgresTestDatabase.make()
        let locker = try Locker("a", on: database)
        _ = try await locker.step()
        let share = try await locker.locks.balance(Array(Locker.all.prefix(10)))
        #expect(share.surplus == Set(Locker.all.dropFirst(10)))
        await locker.locks.release(share.surplus)
        #expect(try await locker.locks.balance([]).owned == Set(Locker.all.prefix(10)))
        try await database.remove()
    }

    @Test("two databases of a server are independent, and so are two schemas")
    func strangers() async throws {
        let (one, two) = (try await PostgresTestDatabase.make(), try await PostgresTestDatabase.make())
        #expect(try await Locker("a", on: one).step().count == 64)
        #expect(try await Locker("b", on: two).step().count == 64)
        try await one.server.psql("CREATE SCHEMA other", database: one.name)
        let other = PostgresPartitionLocks(
            try PostgresSettings(url: one.server.url(database: one.name) + "?options=-csearch_path%3Dother"))
        #expect(try await other.balance(Locker.all).owned.count == 64)
        await other.leave()
        try await one.remove()
        try await two.remove()
    }

    @Test("a server that hangs costs the limit, then all locks count as lost")
    func hanging() async throws {
        let server = try await PostgresServer.start()
        let database = try await PostgresTestDatabase(on: server)
        let locker = try Locker("a", on: database, replyLimit: .milliseconds(300))
        #expect(try await locker.step().count == 64)
        server.freeze()
        let error = await #expect(throws: StoreError.self) { try await locker.locks.balance(Locker.all) }
        #expect(error?.isUnavailable == true)
        server.thaw()
        // The server must detect that the old session has ended.
        #expect(try await eventually { try await locker.step().count == 64 })
        try await server.kill()
        await #expect(throws: StoreError.self) { try await locker.locks.balance(Locker.all) }
        await #expect(throws: StoreError.self) { try await locker.locks.balance(Locker.all) }
        try await server.restart()
        #expect(try await locker.step().count == 64)
        await locker.locks.leave()
        try await server.stop()
    }
}
