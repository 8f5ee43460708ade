import Logging
import ParleyModel
import ParleyPostgres
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Synchronization
import Testing

/// Records the calls that were served, in order.
private final class Served: Sendable {
    private let state = Mutex<[Int]>([])

    func note(_ number: Int) { state.withLock { $0.append(number) } }

    var numbers: [Int] { state.withLock { $0 } }
}

@Suite("The connection pool", .serialized, .timeLimit(.minutes(5)))
struct PoolTests {
    private let instruments = TestInstruments()
    private let barrier = Barrier()

    private func pool(
        on database: PostgresTestDatabase, _ change: (inout PostgresSettings) -> Void
    ) throws -> ConnectionPool {
        var settings = try database.settings(as: "pool")
        change(&settings)
        return ConnectionPool(settings, metrics: PostgresMetrics(factory: instruments), logger: .quiet)
    }

    private func hold(_ pool: ConnectionPool, times: Int) async -> [Task<Void, any Error>] {
        let calls = (0..<times).map { _ in Task { try await pool.perform(.page, barrier.hold) } }
        await barrier.waitForCalls(times)
        return calls
    }

    private func untilWaiting(_ calls: Int) async throws {
        #expect(try await eventually { instruments.value("parley_postgres_pool_waiting") == Double(calls) })
    }

    @Test("a call waits no longer than the limit")
    func waitLimit() async throws {
        let database = try await PostgresTestDatabase.make()
        let pool = try pool(on: database) {
            $0.connections = 1
            $0.waitLimit = .milliseconds(100)
        }
        let holder = await hold(pool, times: 1)
        let begun = ContinuousClock.now
        let refused = await #expect(throws: StoreError.self) { try await pool.perform(.page) { _ in } }
        #expect(refused?.text.contains("no connection was free within 0.1 seconds") == true)
        #expect((.milliseconds(100) ... .seconds(5)).contains(begun.duration(to: .now)))
        barrier.open(1)
        try await holder[0].value
        #expect(instruments.value("parley_postgres_pool_refused_total") == 1)
        #expect(instruments.count("parley_postgres_pool_wait_seconds") == 1)
        await pool.close()
        try await database.remove()
    }

    @Test("each waiting call is refused at its own deadline, though others were served before")
    func manyWait() async throws {
        let database = try await PostgresTestDatabase.make()
        let pool = try pool(on: database) {
            $0.connections = 1
            $0.waitLimit = .milliseconds(200)
        }
        let holder = await hold(pool, times: 1)
        let times = try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                // Not all at once, so that one timer serves several deadlines.
                try await Task.sleep(for: .milliseconds(5))
                group.addTask {
                    let begun = ContinuousClock.now
                    await #expect(throws: StoreError.self) { try await pool.perform(.page) { _ in } }
                    return begun.duration(to: .now)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(times.allSatisfy { (.milliseconds(200) ... .seconds(5)).contains($0) }, "\(times)")
        barrier.open(1)
        try await holder[0].value
        await pool.close()
        try await database.remove()
    }

    @Test("the number of waiting calls is bounded; one more is refused at once")
    func waiters() async throws {
        let database = try await PostgresTestDatabase.make()
        let pool = try pool(on: database) {
            $0.connections = 2
            $0.waiters = 3
            $0.waitLimit = .seconds(60)
        }
        let holders = await hold(pool, times: 2)
        let served = (0..<3).map { _ in Task { try await pool.perform(.page) { _ in } } }
        try await untilWaiting(3)
        let error = await #expect(throws: StoreError.self) { try await pool.perform(.page) { _ in } }
        #expect(error?.text.contains("3 calls are already waiting") == true)
        barrier.open(2)
        for call in holders + served { try await call.value }
        try await untilWaiting(0)
        #expect(instruments.value("parley_postgres_connections") == 2)
        await pool.close()
        #expect(instruments.value("parley_postgres_connections") == 0)
        try await database.remove()
    }

    @Test("waiting calls are served in order of arrival")
    func order() async throws {
        let database = try await PostgresTestDatabase.make()
        let pool = try pool(on: database) { $0.connections = 1 }
        let holder = await hold(pool, times: 1)
        let served = Served()
        var calls: [Task<Void, any Error>] = []
        for number in 0..<10 {
            calls.append(Task { try await pool.perform(.page) { _ in served.note(number) } })
            try await untilWaiting(number + 1)
        }
        barrier.open(1)
        for call in holder + calls { try await call.value }
        #expect(served.numbers == Array(0..<10))
        await pool.close()
        try await database.remove()
    }

    @Test("a cancelled call is refused and leaves the queue; a running one continues")
    func cancellation() async throws {
        let database = try await PostgresTestDatabase.make()
        let pool = try pool(on: database) {
            $0.connections = 1
            $0.waiters = 1
            $0.waitLimit = .seconds(60)
        }
        let holder = await hold(pool, times: 1)
        let waiting = Task { try await pool.perform(.page) { _ in } }
        try await untilWaiting(1)
        waiting.cancel()
        let error = await #expect(throws: StoreError.self) { try await waiting.value }
        #expect(error == .unavailable("the call was cancelled"))
        let before = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await pool.perform(.page) { _ in }
        }
        await #expect(throws: StoreError.self) { try await before.value }
        // The queue has room for another call.
        let next = Task { try await pool.perform(.page) { _ in } }
        try await untilWaiting(1)
        holder[0].cancel()
        barrier.open(1)
        try await holder[0].value
        try await next.value
        await pool.close()
        try await database.remove()
    }

    @Test("closing refuses waiting calls, lets running ones end, and closes the connections")
    func closing() async throws {
        let database = try await PostgresTestDatabase.make()
        let pool = try pool(on: database) { $0.connections = 1 }
        let holder = await hold(pool, times: 1)
        let waiting = Task { try await pool.perform(.page) { _ in } }
        try await untilWaiting(1)
        let closing = Task { await pool.close() }
        let closed = StoreError.unavailable("the store is closed")
        await #expect(throws: closed) { try await waiting.value }
        barrier.open(1)
        try await holder[0].value
        await closing.value
        await pool.close()
        await #expect(throws: closed) { try await pool.perform(.page) { _ in } }
        let sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database.name)'"
        #expect(try await eventually { try await database.server.psql(sessions) == "0" })
        try await database.remove()
    }

    @Test("while every connection waits for the server, other tasks continue")
    func blocksNobody() async throws {
        let database = try await PostgresTestDatabase.make()
        // Far more than there are cores, and some that are reserved for other calls.
        let pool = try pool(on: database) { $0.connections = 60 }
        let holders = await hold(pool, times: 40)
        let sum = await withTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    await Task.yield()
                    return number
                }
            }
            return await group.reduce(0, +)
        }
        #expect(sum == 4950)
        barrier.open(40)
        for holder in holders { try await holder.value }
        await pool.close()
        try await database.remove()
    }

    @Test("a transaction left open by a call is rolled back before the next one")
    func leftOpen() async throws {
        let database = try await PostgresTestDatabase.make()
        let pool = try pool(on: database) { $0.connections = 1 }
        try await pool.perform(.page) { connection in
            _ = try connection.run([
                Statement.begin(), Statement("INSERT INTO users (id, name, created_ms) VALUES ('u', 'u', 0)")(),
            ])
        }
        let count = try await pool.perform(.page) { connection in
            try connection.run([Statement("SELECT count(*) FROM users")()])[0].first?.int(0)
        }
        #expect(count == 0)
        #expect(instruments.value("parley_postgres_connects_total{outcome=\"connected\"}") == 1)
        await pool.close()
        try await database.remove()
    }
}
