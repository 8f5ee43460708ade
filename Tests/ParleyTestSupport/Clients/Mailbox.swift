import NIOCore
import NIOPosix
import Synchronization

/// What has arrived and has not been taken yet; takers wait with a bound.
///
/// Any thread may put and take. Elements come out in the order in which they were put, each once; takers are served in
/// the order in which they came. It holds whatever comes, because a test is there to see everything; a test that wants
/// back pressure pauses the reading of its connection instead.
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

    /// - Parameter what: The name of one element, for the message of ``TimedOut``.
    package init(of what: String) {
        self.what = what
    }

    /// Elements that wait to be taken.
    package var count: Int { state.withLock { $0.elements.count } }

    /// Adds `element`; without effect after ``finish()``.
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

    /// No more will come: what is there can still be taken, after it takers get `nil`.
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

    /// The oldest element, `nil` when the mailbox is finished and empty.
    /// - Throws: ``TimedOut`` when none came within `limit`; `CancellationError` when the task was cancelled.
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

    /// Everything that is there, without waiting.
    package func takeAll() -> [Element] {
        state.withLock { state in
            defer { state.elements.removeAll() }
            return Array(state.elements)
        }
    }

    /// The outer optional says whether there is an answer at all.
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
            // The cancellation may have come before the waiter was in the list.
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
