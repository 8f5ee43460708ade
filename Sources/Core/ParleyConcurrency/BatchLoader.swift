package import Synchronization

/// Runs the queries of a `BatchLoaderState`: callers wait as continuations, and each query is run by one of them.
///
/// The state is protected by a mutex, which is not held during a query. The methods are inlinable so that each user has
/// a specialised copy.
package final class BatchLoader<Key: Hashable & Sendable, Value: Sendable, Failure: Error>: Sendable {
    package typealias Query = @Sendable ([Key]) async throws(Failure) -> [Key: Value]

    /// The limits of batches, of the queue and of the cache.
    package struct Settings: Sendable {
        /// Maximum number of keys in one query.
        package var batchSize: Int
        /// Minimum milliseconds between the starts of two queries, unless a batch is full.
        package var tick: Int64
        /// Maximum number of waiting lookups.
        package var maximumWaiting: Int
        /// The error of a lookup above `maximumWaiting`.
        package var overflow: Failure

        package init(batchSize: Int, tick: Int64, maximumWaiting: Int, overflow: Failure) {
            self.batchSize = batchSize
            self.tick = tick
            self.maximumWaiting = maximumWaiting
            self.overflow = overflow
        }
    }

    @usableFromInline enum Outcome: Sendable {
        case found(Value?)
        case failed(Failure)
        case lead(pause: Int64)
    }

    @usableFromInline typealias Waiter = CheckedContinuation<Outcome, Never>

    @usableFromInline let table: Mutex<BatchLoaderState<Key, Value, Waiter>>
    @usableFromInline let overflow: Failure
    @usableFromInline let milliseconds: @Sendable () -> Int64
    @usableFromInline let pause: @Sendable (Duration) async -> Void
    @usableFromInline let query: Query

    /// - Parameters:
    ///   - memory: with lifetime 0 nothing is cached and no query in flight is joined.
    ///   - milliseconds: returns the time of any clock.
    ///   - pause: waits for the tick of a query; may return early.
    package init(
        _ settings: Settings, memory: TTLCache<Key, Value>, milliseconds: @escaping @Sendable () -> Int64,
        pause: @escaping @Sendable (Duration) async -> Void, query: @escaping Query
    ) {
        table = Mutex(
            BatchLoaderState(
                batchSize: settings.batchSize, tick: settings.tick, maximumWaiting: settings.maximumWaiting,
                memory: memory))
        overflow = settings.overflow
        self.milliseconds = milliseconds
        self.pause = pause
        self.query = query
    }

    /// - Parameter fresh: the value is read after this call: neither the cache nor a query in flight is used.
    @inlinable package func find(_ key: Key, fresh: Bool = false) async throws(Failure) -> Value? {
        let outcome: Outcome = await withCheckedContinuation { continuation in
            let reply = table.withLock {
                $0.lookUp(key, fresh: fresh, at: milliseconds(), waiter: continuation)
            }
            switch reply {
            case .remembered(let value): continuation.resume(returning: .found(value))
            case .wait: break
            case .lead(let pause): continuation.resume(returning: .lead(pause: pause))
            case .refuse: continuation.resume(returning: .failed(overflow))
            }
        }
        switch outcome {
        case .found(let value): return value
        case .failed(let error): throw error
        case .lead(let pause): return try await lead(key, pause: pause)
        }
    }

    package var waitingCount: Int { table.withLock { $0.waitingCount } }

    /// Invalidates a key: later lookups query it again.
    @inlinable package func invalidate(_ key: Key) {
        table.withLock { $0.invalidate(key) }
    }

    /// Removes expired values from the cache.
    package func forgetOld() {
        table.withLock { $0.forgetOld(at: milliseconds()) }
    }

    /// Invalidates all keys.
    package func invalidateAll() {
        table.withLock { $0.invalidateAll() }
    }

    @inlinable func lead(_ key: Key, pause milliseconds: Int64) async throws(Failure) -> Value? {
        if milliseconds > 0 { await pause(.milliseconds(milliseconds)) }
        let batch = table.withLock { $0.begin(at: self.milliseconds()) }
        do throws(Failure) {
            let found = try await query(batch)
            let completion = table.withLock { $0.finish(batch, found: found, at: self.milliseconds()) }
            for (waiter, key) in completion.waiters { waiter.resume(returning: .found(found[key])) }
            pass(completion.leader)
            return found[key]
        } catch {
            let completion = table.withLock {
                $0.fail(batch, leaderWithdrew: Task.isCancelled, at: self.milliseconds())
            }
            for (waiter, _) in completion.waiters { waiter.resume(returning: .failed(error)) }
            pass(completion.leader)
            throw error
        }
    }

    @inlinable func pass(_ leader: (waiter: Waiter, pause: Int64)?) {
        leader?.waiter.resume(returning: .lead(pause: leader?.pause ?? 0))
    }
}
