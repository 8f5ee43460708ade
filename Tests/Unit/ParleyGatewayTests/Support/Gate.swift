import ParleyTestSupport
import Synchronization

/// A gate in front of a call, which a test can close. Open at first.
final class Gate: Sendable {
    private struct State {
        var isOpen = true
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let arrivals = Mailbox<Void>(of: "call at the gate")

    func shut() {
        state.withLock { $0.isOpen = false }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when a call stands in front of the shut gate.
    func arrival() async throws {
        _ = try await arrivals.take(within: .patience)
    }

    /// What the call does.
    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() } else { arrivals.put(()) }
        }
    }
}
