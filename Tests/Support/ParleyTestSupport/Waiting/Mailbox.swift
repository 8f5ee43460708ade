import NIOCore
import NIOPosix
import Synchronization

/// A queue of received elements that takers wait on with a limit.
///
/// Any thread may put and take. Elements are taken once each, in the order in which they were put; takers are served in
/// order of arrival. Unbounded, since a test must see everything; a test that needs back pressure pauses reading on its
/// connection instead.
package final class Mailbox<Element: Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        let continuation: CheckedContinuation<Element?, any Error>
        let timer: Scheduled<Void>
    }

    private struct State {
        var elements = CircularBuffer<Element>()
        var waiters: [Waiter] = []
        var isFinished = false
        var lastID = 0
    }

    private let state = Mutex(State())
    private let what: String

    /// - Parameter what: The name of an element, for the message of ``TimedOut``.
    package init(of what: String) {
        self.what = what
    }

    /// The number of elements not yet taken.
    package var count: Int { state.withLock { $0.elements.count } }

    /// Adds `element`; no effect after ``finish()``.
    package func put(_ element: Element) {
        let waiter = state.withLock { state -> Waiter? in
            guard !state.isFinished else { return nil }
            guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
            state.elements.append(element)
            return nil
        }
        waiter?.timer.cancel()
        waiter?.continuation.resume(returning: element)
    }

    /// Finishes the mailbox: remaining elements can still be taken, then takers get `nil`.
    package func finish() {
        let waiters = state.withLock { state -> [Waiter] in
            state.isFinished = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters {
            waiter.timer.cancel()
            waiter.continuation.resume(returning: nil)
        }
    }

    /// Takes the oldest element; `nil` when the mailbox is finished and empty.
    /// - Throws: ``TimedOut`` if none arrived within `limit`; `CancellationError` if the task was cancelled.
    package func take(within limit: Duration) async throws -> Element? {
        switch takeIfThere() {
        case .some(let response): return response
        case .none: break
        }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(id: id, limit: limit, continuation: continuation)
            }
        } onCancel: {
            give(up: id, CancellationError())
        }
    }

    /// Takes all elements without waiting.
    package func takeAll() -> [Element] {
        state.withLock { state in
            defer { state.elements.removeAll() }
            return Array(state.elements)
        }
    }

    /// The outer optional is `nil` if the caller must wait.
    private func takeIfThere() -> Element?? {
        state.withLock { state in
            if let element = state.elements.popFirst() { return .some(element) }
            return state.isFinished ? .some(nil) : .none
        }
    }

    private func wait(id: Int, limit: Duration, continuation: CheckedContinuation<Element?, any Error>) {
        let timer = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: TimeAmount(limit)) {
            self.give(up: id, TimedOut(self.what, after: limit))
        }
        let response = state.withLock { state -> Element?? in
            if let element = state.elements.popFirst() { return .some(element) }
            if state.isFinished { return .some(nil) }
            state.waiters.append(Waiter(id: id, continuation: continuation, timer: timer))
            return .none
        }
        if let response {
            timer.cancel()
            continuation.resume(returning: response)
        } else if Task.isCancelled {
            // The cancellation may have come before the waiter was added.
            give(up: id, CancellationError())
        }
    }

    private func give(up id: Int, _ error: any Error) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.timer.cancel()
        waiter?.continuation.resume(throwing: error)
    }
}
