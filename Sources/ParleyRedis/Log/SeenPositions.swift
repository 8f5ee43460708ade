import NIOCore
package import ParleyModel
import Synchronization

/// The last position that this node has seen in each thread, by a receipt or on the bus.
///
/// A Redis that is behind it has lost accepted events: it was restored from an older state, or a replica took over that
/// was not up to date. Protected by a lock; bounded by `limit`, oldest threads first.
package final class SeenPositions: Sendable {
    private struct State {
        var positions: [ThreadID: Position] = [:]
        var ages = CircularBuffer<ThreadID>()
    }

    private let limit: Int
    private let state = Mutex(State())

    package init(limit: Int) {
        self.limit = max(1, limit)
    }

    package subscript(thread: ThreadID) -> Position? {
        state.withLock { $0.positions[thread] }
    }

    /// Records the position of an accepted event.
    package func note(_ position: Position, of thread: ThreadID) {
        state.withLock { state in
            if let seen = state.positions[thread] {
                guard seen.epoch != position.epoch || seen.seq < position.seq else { return }
                state.positions[thread] = position
                return
            }
            if state.positions.count >= limit, let oldest = state.ages.popFirst() { state.positions[oldest] = nil }
            state.positions[thread] = position
            state.ages.append(thread)
        }
    }

    /// Removes a deleted thread.
    package func forget(_ thread: ThreadID) {
        state.withLock { state in
            guard state.positions.removeValue(forKey: thread) != nil else { return }
            state.ages.removeAll { $0 == thread }
        }
    }
}
