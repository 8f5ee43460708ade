package import ParleyModel
import Synchronization

/// Counts the events that the bus brings, by thread.
///
/// Owned by a lock, which is taken once for each event that reaches the node, not for each delivery.
package final class EventMeter: Sendable {
    /// What there was in one turn.
    package struct Turn: Hashable, Sendable {
        /// Events of threads.
        package var events = 0
        /// The busiest first.
        package var busiest: [ThreadRate] = []
    }

    private struct State {
        var rates = ThreadRates()
        var events = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Ends a turn; see `ThreadRates.turn`.
    package func turn(seconds: Double, limit: Int) -> Turn {
        state.withLock { state in
            defer { state.events = 0 }
            return Turn(events: state.events, busiest: state.rates.turn(seconds: seconds, limit: limit))
        }
    }

    /// A thread has had an event.
    package func count(_ thread: ThreadID) {
        state.withLock { state in
            state.events += 1
            state.rates.count(thread)
        }
    }
}
