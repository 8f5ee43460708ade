import ParleyModel
import Synchronization

/// Drives a `BatchLoaderState`: callers wait as continuations, and each query is run by one of the callers.
///
/// The state is protected by a mutex, which is held only for bookkeeping.
final class BatchLoader<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Query = @Sendable ([Key]) async throws(StoreError) -> [Key: Value]

    private enum Outcome: Sendable {
        case found(Value?)
        case failed(StoreError)
        case lead(pause: Int64)
    }

    private typealias Table = BatchLoaderState<Key, Value, CheckedContinuation<Outcome, Never>>

    private let table: Mutex<Table>
    private let clock: WallClock
    private let pause: @Sendable (Duration) async -> Void
    private let query: Query

    init(
        settings: DirectorySettings, memory: Duration, clock: WallClock,
        pause: @escaping @Sendable (Duration) async -> Void, query: @escaping Query
    ) {
        table = Mutex(
            Table(
                batchSize: settings.batchSize, tick: settings.tick.milliseconds,
                maximumWaiting: settings.maximumWaiting,
                memory: TTLCache(lifetime: memory.milliseconds, capacity: settings.memoryEntries)))
        self.clock = clock
        self.pause = pause
        self.query = query
    }

    /// - Parameter fresh: the value must be read after this call, neither cached nor taken from a query in flight.
    func find(_ key: Key, fresh: Bool = false) async throws(StoreError) -> Value? {
        let outcome: Outcome = await withCheckedContinuation { continuation in
            let reply = table.withLock {
                $0.lookUp(key, fresh: fresh, at: clock.milliseconds, waiter: continuation)
            }
            switch reply {
            case .remembered(let value): continuation.resume(returning: .found(value))
            case .wait: break
            case .lead(let pause): continuation.resume(returning: .lead(pause: pause))
            case .refuse:
                continuation.resume(returning: .failed(.unavailable("too many look-ups wait")))
            }
        }
        switch outcome {
        case .found(let value): return value
        case .failed(let error): throw error
        case .lead(let pause): return try await lead(key, pause: pause)
        }
    }

    var waitingCount: Int { table.withLock { $0.waitingCount } }

    func invalidate(_ key: Key) {
        table.withLock { $0.invalidate(key) }
    }

    func forgetOld() {
        table.withLock { $0.forgetOld(at: clock.milliseconds) }
    }

    func invalidateAll() {
        table.withLock { $0.invalidateAll() }
    }

    private func lead(_ key: Key, pause milliseconds: Int64) async throws(StoreError) -> Value? {
        if milliseconds > 0 { await pause(.milliseconds(milliseconds)) }
        let batch = table.withLock { $0.begin(at: clock.milliseconds) }
        do {
            let found = try await query(batch)
            let completion = table.withLock { $0.finish(batch, found: found, at: clock.milliseconds) }
            for (waiter, key) in completion.waiters { waiter.resume(returning: .found(found[key])) }
            pass(completion.leader)
            return found[key]
        } catch {
            let completion = table.withLock {
                $0.fail(batch, leaderWithdrew: Task.isCancelled, at: clock.milliseconds)
            }
            for (waiter, _) in completion.waiters { waiter.resume(returning: .failed(error)) }
            pass(completion.leader)
            throw error
        }
    }

    private func pass(_ leader: (waiter: CheckedContinuation<Outcome, Never>, pause: Int64)?) {
        leader?.waiter.resume(returning: .lead(pause: leader?.pause ?? 0))
    }
}
