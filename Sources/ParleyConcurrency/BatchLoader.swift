package import Synchronization

/// The shell of `BatchLoaderState`: callers wait as continuations, and each query is run by one of the callers.
///
/// The table is owned by a mutex, under which nothing but the table's own bookkeeping happens. The methods are inlinable
/// so that each user has a specialised copy.
package final class BatchLoader<Key: Hashable & Sendable, Value: Sendable, Failure: Error>: Sendable {
    package typealias Query = @Sendable ([Key]) async throws(Failure) -> [Key: Value]

    /// How much is gathered and remembered.
    package struct Settings: Sendable {
        /// The most keys of one query.
        package var batchSize: Int
        /// Milliseconds between the beginnings of two queries, unless a batch is full.
        package var tick: Int64
        /// The most look-ups that wait.
        package var maximumWaiting: Int
        /// What a look-up above `maximumWaiting` throws.
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
    ///   - memory: of lifetime 0, nothing is remembered and no query in flight joined.
    ///   - milliseconds: the time, by any clock.
    ///   - pause: how a query waits for its tick; may return early.
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

    /// - Parameter fresh: the answer is read after this call, not remembered and not taken from a query under way.
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

    /// What was known of a key is void: later look-ups read anew.
    @inlinable package func invalidate(_ key: Key) {
        table.withLock { $0.invalidate(key) }
    }

    /// Lets go of what is too old to be an answer.
    package func forgetOld() {
        table.withLock { $0.forgetOld(at: milliseconds()) }
    }

    /// Everything that was known is void.
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
