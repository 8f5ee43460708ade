import Foundation
import ParleyClient
import Synchronization

/// A clock that stands still until a test moves it.
final class ManualClock: ChatClock {
    private struct State {
        var uptime = Duration.zero
        var next = 0
        var sleepers: [Int: (until: Duration, continuation: CheckedContinuation<Void, any Error>)] = [:]
    }

    private let state = Mutex(State())

    var uptime: Duration { state.withLock { $0.uptime } }
    var date: Date { Date(timeIntervalSince1970: 1_795_255_200 + Double(uptime.components.seconds)) }

    func sleep(until uptime: Duration) async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver: Bool = state.withLock { state in
                    if state.uptime >= uptime || Task.isCancelled { return true }
                    state.sleepers[number] = (uptime, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    func advance(by duration: Duration) {
        let awake = state.withLock { state in
            state.uptime += duration
            let awake = state.sleepers.filter { $0.value.until <= state.uptime }
            for number in awake.keys { state.sleepers[number] = nil }
            return awake.values.map(\.continuation)
        }
        for continuation in awake { continuation.resume() }
    }
}
