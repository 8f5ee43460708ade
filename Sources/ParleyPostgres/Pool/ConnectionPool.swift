import Dispatch
package import ParleyModel
import Synchronization

/// A bounded number of connections, lent to one call at a time; calls beyond that wait in order, within limits.
///
/// Connections are made when they are first needed, and the one that came back last goes out first. State is behind a
/// mutex; continuations are resumed outside it.
package final class ConnectionPool: Sendable {
    private struct Waiter {
        let number: UInt64
        let continuation: CheckedContinuation<Result<ConnectionOwner, StoreError>, Never>
    }

    private struct State {
        var idle: [ConnectionOwner] = []
        var made = 0
        var lent = 0
        /// In the order they came; at most `settings.waiters`.
        var waiters: [Waiter] = []
        var isClosed = false
        var drained: [CheckedContinuation<Void, Never>] = []
    }

    private let settings: PostgresSettings
    private let gate: ReconnectGateBox
    private let state = Mutex(State())
    private let numbers = Atomic<UInt64>(0)

    /// No connection is made yet.
    package init(_ settings: PostgresSettings) {
        self.settings = settings
        gate = ReconnectGateBox(cap: settings.reconnectCap)
    }

    /// Runs `body` with a connection, on that connection's own thread.
    /// - Throws: `unavailable` if there is none within the wait limit, or the task is cancelled before it has one.
    package func perform<Value: Sendable>(
        _ body: @Sendable (PostgresConnection) throws -> Value
    ) async throws(StoreError) -> Value {
        let owner = try await borrow()
        defer { giveBack(owner) }
        return try await owner.perform(body)
    }

    /// Waits for running calls and ends all sessions; calls after this are `unavailable`. May be called again.
    package func close() async {
        let refused = state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in refused { waiter.continuation.resume(returning: .failure(Self.closed)) }
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

    // MARK: Lending

    private func borrow() async throws(StoreError) -> ConnectionOwner {
        if Task.isCancelled { throw .unavailable("the call was cancelled") }
        let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                ask(Waiter(number: number, continuation: continuation))
            }
        } onCancel: {
            refuse(number, "the call was cancelled")
        }
        return try result.get()
    }

    private func ask(_ waiter: Waiter) {
        let answer: Result<ConnectionOwner, StoreError>? = state.withLock { state in
            if state.isClosed { return .failure(Self.closed) }
            if let owner = state.idle.popLast() {
                state.lent += 1
                return .success(owner)
            }
            if state.made < settings.connections {
                state.made += 1
                state.lent += 1
                return .success(ConnectionOwner(settings, gate: gate, number: state.made))
            }
            guard state.waiters.count < settings.waiters else {
                return .failure(.unavailable("\(settings.waiters) calls already wait for a connection"))
            }
            state.waiters.append(waiter)
            return nil
        }
        if let answer { return waiter.continuation.resume(returning: answer) }
        let limit = settings.waitLimit
        DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1)) { [weak self] in
            self?.refuse(waiter.number, "no connection was free within \(limit)")
        }
        // It may have been cancelled before it stood in the line.
        if Task.isCancelled { refuse(waiter.number, "the call was cancelled") }
    }

    private func refuse(_ number: UInt64, _ reason: String) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: .failure(.unavailable(reason)))
    }

    private func giveBack(_ owner: ConnectionOwner) {
        let (next, drained) = state.withLock { state -> (Waiter?, [CheckedContinuation<Void, Never>]) in
            if !state.waiters.isEmpty { return (state.waiters.removeFirst(), []) }
            state.lent -= 1
            state.idle.append(owner)
            guard state.lent == 0 else { return (nil, []) }
            defer { state.drained = [] }
            return (nil, state.drained)
        }
        next?.continuation.resume(returning: .success(owner))
        for continuation in drained { continuation.resume() }
    }
}
