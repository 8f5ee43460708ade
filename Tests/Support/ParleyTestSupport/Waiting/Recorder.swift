import Synchronization

/// Collects elements from any thread and lets a test wait for them. Protected by a lock.
package final class Recorder<Element: Sendable>: Sendable {
    private struct Waiter {
        let isEnough: @Sendable ([Element]) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var elements: [Element] = []
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// All elements so far, in order of arrival.
    package var elements: [Element] { state.withLock { $0.elements } }

    package func record(_ element: Element) {
        let done = state.withLock { state in
            state.elements.append(element)
            let elements = state.elements
            let done = state.waiters.filter { $0.value.isEnough(elements) }
            for id in done.keys { state.waiters[id] = nil }
            return done.values.map(\.continuation)
        }
        for continuation in done { continuation.resume(returning: true) }
    }

    /// Waits until `isEnough` holds for the recorded elements.
    /// - Parameter timeout: the time after which the wait fails; a bound for broken adapters, not a delay.
    /// - Returns: all elements so far.
    /// - Throws: ``TimedOut``.
    @discardableResult
    package func wait(
        within timeout: Duration = .patience, _ expectation: String = "something", file: StaticString = #fileID,
        line: UInt = #line, until isEnough: @escaping @Sendable ([Element]) -> Bool
    ) async throws -> [Element] {
        let hasHappened = await withTaskGroup(of: Bool.self) { group in
            group.addTask { await self.happens(isEnough) }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
        let elements = elements
        guard hasHappened || isEnough(elements) else {
            throw TimedOut("\(expectation) but \(elements) (\(file):\(line))", after: timeout)
        }
        return elements
    }

    /// Waits until there are at least `count` elements.
    @discardableResult
    package func wait(
        count: Int, within timeout: Duration = .patience, file: StaticString = #fileID, line: UInt = #line
    ) async throws -> [Element] {
        try await wait(within: timeout, "\(count) elements", file: file, line: line) { $0.count >= count }
    }

    private func happens(_ isEnough: @escaping @Sendable ([Element]) -> Bool) async -> Bool {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let response: Bool? = state.withLock { state in
                    if isEnough(state.elements) { return true }
                    if Task.isCancelled { return false }
                    state.waiters[id] = Waiter(isEnough: isEnough, continuation: continuation)
                    return nil
                }
                if let response { continuation.resume(returning: response) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: false)
        }
    }
}
