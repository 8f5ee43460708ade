import NIOCore
package import ParleyModel
import Synchronization

/// The last position in each thread that this node has seen, by a receipt or on the bus.
///
/// A Redis that is behind it has lost events that were accepted: it came back with an older state, or a replica took
/// over that had not been told everything. Owned by a lock; bounded by `limit`, the threads seen first being forgotten.
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

    /// An event of this position has been accepted.
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

    /// The thread was deleted.
    package func forget(_ thread: ThreadID) {
        state.withLock { state in
            guard state.positions.removeValue(forKey: thread) != nil else { return }
            state.ages.removeAll { $0 == thread }
        }
    }
}
