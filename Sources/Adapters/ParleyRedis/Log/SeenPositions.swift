import NIOCore
package import ParleyModel
import Synchronization

/// The last position that this node has seen in each thread: in Redis, or on the bus.
///
/// A Redis that is behind it has lost accepted events: it was restored from an older state, or a replica took over that
/// was not up to date. A new epoch begins above it. Therefore an announcement on the bus, which may come from any
/// publisher, counts only if it continues the known position, by `Position.reach` at most: the numbering never rises
/// far above what Redis has assigned. Protected by a lock; bounded by `limit`, oldest threads first.
package final class SeenPositions: Sendable {
    private struct State {
        var positions: [ThreadID: Position] = [:]
        var ages = CircularBuffer<ThreadID>()

        mutating func note(_ position: Position, of thread: ThreadID, limit: Int) {
            if let seen = positions[thread] {
                guard seen.epoch != position.epoch || seen.seq < position.seq else { return }
                positions[thread] = position
                return
            }
            if positions.count >= limit, let oldest = ages.popFirst() { positions[oldest] = nil }
            positions[thread] = position
            ages.append(thread)
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    package init(limit: Int) {
        self.limit = max(1, limit)
    }

    package subscript(thread: ThreadID) -> Position? {
        state.withLock { $0.positions[thread] }
    }

    /// Records a position that Redis has reported.
    package func note(_ position: Position, of thread: ThreadID) {
        state.withLock { $0.note(position, of: thread, limit: limit) }
    }

    /// Records a position that was announced on the bus, if it may be true.
    package func heard(_ position: Position, of thread: ThreadID) {
        state.withLock { state in
            let known = state.positions[thread]
            // Another epoch becomes known when the log is read.
            if let known, known.epoch != position.epoch { return }
            guard position.seq <= (known?.seq ?? 0) + Position.reach else { return }
            state.note(position, of: thread, limit: limit)
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
