import Dispatch
package import Logging
package import ParleyModel
import ParleyStorage
import Synchronization

/// A bounded pool of connections, each used by one call at a time. Further calls wait, up to the limits. `CallQueue`
/// determines the order, so that a flood of calls of one class does not delay other classes.
///
/// Connections are made on demand, and the most recently returned one is used first. A mutex protects the state;
/// continuations are resumed outside it.
package final class ConnectionPool: Sendable {
    private typealias Queue = CallQueue<
        CheckedContinuation<Result<ConnectionOwner, StoreError>, Never>, ContinuousClock.Instant
    >
    private typealias Waiter = Queue.Waiter

    private struct State {
        var idle: [ConnectionOwner] = []
        var made = 0
        /// The calls that use a connection or wait for one.
        var queue: Queue
        /// Whether a call of `expire()` is scheduled.
        var isTimed = false
        var isClosed = false
        var drained: [CheckedContinuation<Void, Never>] = []

        init(_ settings: PostgresSettings) {
            queue = Queue(
                CallShares(
                    connections: settings.connections, processors: settings.processors, searches: settings.searches),
                limit: settings.waiters)
        }
    }

    private let settings: PostgresSettings
    private let health: ServerHealth
    private let metrics: PostgresMetrics
    private let state: Mutex<State>
    private let numbers = Atomic<UInt64>(0)

    /// Creates the pool without connecting.
    package init(_ settings: PostgresSettings, metrics: PostgresMetrics, logger: Logger) {
        self.settings = settings
        self.metrics = metrics
        state = Mutex(State(settings))
        health = ServerHealth(cap: settings.reconnectCap, metrics: metrics, logger: logger)
    }

    /// Runs `body` with a connection, on the thread of that connection. Searches have their own time limit for
    /// statements.
    /// - Throws: `unavailable` if no connection becomes free within the wait limit, or if the task is cancelled while
    ///   it waits.
    package func perform<Value: Sendable>(
        _ kind: CallKind, _ body: @Sendable (PostgresConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        let requested = ContinuousClock.now
        let owner = try await borrow(for: kind.callClass, at: requested)
        let begun = ContinuousClock.now
        metrics.waited(requested.duration(to: begun))
        defer {
            putBack(owner, from: kind.callClass)
            metrics.called(kind, for: begun.duration(to: .now))
        }
        let limit = kind.callClass == .searching ? settings.searchLimit : nil
        return try await owner.perform(statementLimit: limit, body)
    }

    /// Waits for running calls and closes all connections. Later calls throw `unavailable`. May be called more than
    /// once.
    package func close() async {
        let waiters = state.withLock { state in
            state.isClosed = true
            return state.queue.removeAll()
        }
        for waiter in waiters { refuse(waiter, Self.closed) }
        await withCheckedContinuation { continuation in
            let isDrained = state.withLock { state in
                let isDrained = state.queue.shares.inUse == 0
                if !isDrained { state.drained.append(continuation) }
                return isDrained
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

    private func borrow(
        for kind: CallClass, at now: ContinuousClock.Instant
    ) async throws(StoreError) -> ConnectionOwner {
        if Task.isCancelled { throw Self.cancelled }
        let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enqueue(Waiter(number: number, kind: kind, until: now + settings.waitLimit, caller: continuation))
            }
        } onCancel: {
            cancel(number)
        }
        return try result.get()
    }

    private func enqueue(_ waiter: Waiter) {
        let reply: Result<ConnectionOwner, StoreError>? = state.withLock { state in
            if state.isClosed { return .failure(Self.closed) }
            switch state.queue.ask(waiter) {
            case .waits: return nil
            case .refused(let waiting):
                return .failure(.unavailable("\(waiting) calls are already waiting for a connection"))
            case .granted:
                if let owner = state.idle.popLast() { return .success(owner) }
                state.made += 1
                return .success(ConnectionOwner(settings, health: health, number: state.made))
            }
        }
        if let reply {
            if case .failure = reply { metrics.refusedCall() }
            return waiter.caller.resume(returning: reply)
        }
        metrics.startedWaiting()
        expire()
        // The task may have been cancelled before the waiter was enqueued.
        if Task.isCancelled { cancel(waiter.number) }
    }

    private func cancel(_ number: UInt64) {
        let waiter = state.withLock { $0.queue.remove(number) }
        if let waiter { refuse(waiter, Self.cancelled) }
    }

    /// Refuses the waiters whose wait limit has passed, and schedules itself for the next one, so that one timer serves
    /// the whole queue.
    private func expire() {
        let now = ContinuousClock.now
        let (late, next) = state.withLock { state -> ([Waiter], ContinuousClock.Instant?) in
            let late = state.queue.removeLate(at: now)
            guard !state.isTimed, let next = state.queue.nextDeadline else { return (late, nil) }
            state.isTimed = true
            return (late, next)
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
        waiter.caller.resume(returning: .failure(error))
    }

    private func putBack(_ owner: ConnectionOwner, from kind: CallClass) {
        let (next, drained) = state.withLock { state -> (Waiter?, [CheckedContinuation<Void, Never>]) in
            if let next = state.queue.giveBack(kind) { return (next, []) }
            state.idle.append(owner)
            guard state.queue.shares.inUse == 0 else { return (nil, []) }
            defer { state.drained = [] }
            return (nil, state.drained)
        }
        if let next {
            metrics.stoppedWaiting()
            next.caller.resume(returning: .success(owner))
        }
        for continuation in drained { continuation.resume() }
    }
}
