import Dispatch
package import Logging
package import ParleyModel
import Synchronization

/// A bounded pool of connections, each used by one call at a time. Further calls wait in order, up to the limits.
///
/// Connections are made on demand; the most recently returned one is used first. The state is protected by a mutex;
/// continuations are resumed outside it.
package final class ConnectionPool: Sendable {
    private struct Waiter {
        let number: UInt64
        let until: ContinuousClock.Instant
        let continuation: CheckedContinuation<Result<ConnectionOwner, StoreError>, Never>
    }

    private struct State {
        var idle: [ConnectionOwner] = []
        var made = 0
        var lent = 0
        /// In order of arrival; at most `settings.waiters`.
        var waiters: [Waiter] = []
        /// A call of `expire()` is scheduled.
        var isTimed = false
        var isClosed = false
        var drained: [CheckedContinuation<Void, Never>] = []
    }

    private let settings: PostgresSettings
    private let health: ServerHealth
    private let metrics: PostgresMetrics
    private let state = Mutex(State())
    private let numbers = Atomic<UInt64>(0)

    /// Creates the pool without connecting.
    package init(_ settings: PostgresSettings, metrics: PostgresMetrics, logger: Logger) {
        self.settings = settings
        self.metrics = metrics
        health = ServerHealth(cap: settings.reconnectCap, metrics: metrics, logger: logger)
    }

    /// Runs `body` with a connection, on that connection's own thread.
    /// - Throws: `unavailable` if no connection becomes free within the wait limit, or if the task is cancelled before.
    package func perform<Value: Sendable>(
        _ kind: CallKind, _ body: @Sendable (PostgresConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        let requested = ContinuousClock.now
        let owner = try await borrow(at: requested)
        let begun = ContinuousClock.now
        metrics.waited(requested.duration(to: begun))
        defer {
            putBack(owner)
            metrics.called(kind, for: begun.duration(to: .now))
        }
        return try await owner.perform(body)
    }

    /// Waits for running calls and closes all connections; later calls are `unavailable`. May be called again.
    package func close() async {
        let waiters = state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { refuse(waiter, Self.closed) }
        await withCheckedContinuation { continuation in
            let isDrained = state.withLock { state in
                if state.lent > 0 { state.drained.append(continuation) }
                return state.lent == 0
            }
            if isDrained { continuation.resume() }
        }
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        for owner in idle { await owner.disconnect() }
    }

    private static let closed = StoreError.unavailable("the store is closed")
    private static let cancelled = StoreError.unavailable("the call was cancelled")

    // MARK: Borrowing

    private func borrow(at now: ContinuousClock.Instant) async throws(StoreError) -> ConnectionOwner {
        if Task.isCancelled { throw Self.cancelled }
        let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enqueue(Waiter(number: number, until: now + settings.waitLimit, continuation: continuation))
            }
        } onCancel: {
            cancel(number)
        }
        return try result.get()
    }

    private func enqueue(_ waiter: Waiter) {
        let reply: Result<ConnectionOwner, StoreError>? = state.withLock { state in
            if state.isClosed { return .failure(Self.closed) }
            if let owner = state.idle.popLast() {
                state.lent += 1
                return .success(owner)
            }
            if state.made < settings.connections {
                state.made += 1
                state.lent += 1
                return .success(ConnectionOwner(settings, health: health, number: state.made))
            }
            guard state.waiters.count < settings.waiters else {
                return .failure(.unavailable("\(settings.waiters) calls are already waiting for a connection"))
            }
            state.waiters.append(waiter)
            return nil
        }
        if let reply {
            if case .failure = reply { metrics.refusedCall() }
            return waiter.continuation.resume(returning: reply)
        }
        metrics.startedWaiting()
        expire()
        // The task may have been cancelled before the waiter was enqueued.
        if Task.isCancelled { cancel(waiter.number) }
    }

    private func cancel(_ number: UInt64) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
        }
        if let waiter { refuse(waiter, Self.cancelled) }
    }

    /// Refuses the waiters whose limit has passed, and schedules itself for the next one: one timer serves the whole
    /// queue.
    private func expire() {
        let now = ContinuousClock.now
        let (late, next) = state.withLock { state -> ([Waiter], ContinuousClock.Instant?) in
            let late = Array(state.waiters.prefix { $0.until <= now })
            state.waiters.removeFirst(late.count)
            guard !state.isTimed, let first = state.waiters.first else { return (late, nil) }
            state.isTimed = true
            return (late, first.until)
        }
        for waiter in late { refuse(waiter, .unavailable("no connection was free within \(settings.waitLimit)")) }
        guard let next else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + now.duration(to: next) / .seconds(1)) { [weak self] in
            self?.state.withLock { $0.isTimed = false }
            self?.expire()
        }
    }

    /// Fails a waiting call.
    private func refuse(_ waiter: Waiter, _ error: StoreError) {
        metrics.stoppedWaiting()
        metrics.refusedCall()
        waiter.continuation.resume(returning: .failure(error))
    }

    private func putBack(_ owner: ConnectionOwner) {
        let (next, drained) = state.withLock { state -> (Waiter?, [CheckedContinuation<Void, Never>]) in
            if !state.waiters.isEmpty { return (state.waiters.removeFirst(), []) }
            state.lent -= 1
            state.idle.append(owner)
            guard state.lent == 0 else { return (nil, []) }
            defer { state.drained = [] }
            return (nil, state.drained)
        }
        if let next {
            metrics.stoppedWaiting()
            next.continuation.resume(returning: .success(owner))
        }
        for continuation in drained { continuation.resume() }
    }
}
