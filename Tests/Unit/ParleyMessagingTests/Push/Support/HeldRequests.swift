import ParleyModel
import Synchronization

/// Requests that are answered with 201 when the test says so.
final class HeldRequests: PushRequests {
    private struct State {
        var isReleased = false
        var held: [CheckedContinuation<Void, Never>] = []
        var awaited: (count: Int, test: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    func answer(to request: PushRequest) async throws(PushRequestError) -> PushAnswer {
        await withCheckedContinuation { continuation in
            let resumed: [CheckedContinuation<Void, Never>] = state.withLock { state in
                if state.isReleased { return [continuation] }
                state.held.append(continuation)
                guard let awaited = state.awaited, state.held.count >= awaited.count else { return [] }
                state.awaited = nil
                return [awaited.test]
            }
            for waiting in resumed { waiting.resume() }
        }
        return PushAnswer(status: 201)
    }

    /// Returns when this number of requests is held.
    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.held.count >= count { return true }
                state.awaited = (count, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Answers all requests, and later ones at once.
    func release() {
        let held = state.withLock { state in
            state.isReleased = true
            defer { state.held = [] }
            return state.held
        }
        for request in held { request.resume() }
    }
}
