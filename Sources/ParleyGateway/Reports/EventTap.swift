package import ParleyModel
import Synchronization

/// A bus that counts what it brings: events by thread, and the threads that are subscribed to.
///
/// Owned by a lock, which is taken once for each event that reaches the node, not for each delivery.
package final class EventTap: ThreadBus {
    /// What there was in one turn.
    package struct Turn: Hashable, Sendable {
        /// Events of threads.
        package var events = 0
        /// Threads that are subscribed to now.
        package var threads = 0
        /// The busiest first.
        package var busiest: [ThreadRate] = []
    }

    private struct State {
        var rates = ThreadRates()
        var events = 0
        var threads = 0
    }

    private let bus: any ThreadBus
    private let state = Mutex(State())

    /// - Parameter bus: whoever uses it subscribes to nothing twice, and gives up only what it has asked for.
    package init(_ bus: any ThreadBus) {
        self.bus = bus
    }

    /// Ends a turn; see `ThreadRates.turn`.
    package func turn(seconds: Double, limit: Int) -> Turn {
        state.withLock { state in
            defer { state.events = 0 }
            return Turn(
                events: state.events, threads: max(0, state.threads),
                busiest: state.rates.turn(seconds: seconds, limit: limit))
        }
    }

    package func attach(_ receiver: @escaping @Sendable (BusSignal) -> Void) {
        bus.attach { [self] signal in
            if case .event(let event) = signal {
                state.withLock { state in
                    state.events += 1
                    state.rates.count(event.thread)
                }
            }
            receiver(signal)
        }
    }

    package func subscribe(
        to topics: [BusTopic], completion: @escaping @Sendable (Result<Void, BusError>) -> Void
    ) {
        count(topics, 1)
        bus.subscribe(to: topics, completion: completion)
    }

    package func unsubscribe(from topics: [BusTopic]) {
        count(topics, -1)
        bus.unsubscribe(from: topics)
    }

    private func count(_ topics: [BusTopic], _ step: Int) {
        let threads = topics.count { if case .thread = $0 { true } else { false } }
        state.withLock { $0.threads += step * threads }
    }

    package func publish(_ event: ControlEvent, to user: UserID) {
        bus.publish(event, to: user)
    }

    package func publish(_ notice: ThreadNotice, in thread: ThreadID) {
        bus.publish(notice, in: thread)
    }
}
