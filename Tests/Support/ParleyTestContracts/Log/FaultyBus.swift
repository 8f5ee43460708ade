package import ParleyModel
import Synchronization

/// A bus in front of another one that can be unavailable or delay signals, as a slow channel would.
package final class FaultyBus: ThreadBus {
    private struct State {
        var receiver: @Sendable (BusSignal) -> Void = { _ in }
        var isTardy: @Sendable (BusSignal) -> Bool = { _ in false }
        var kept: [BusSignal] = []
        var isAway = false
    }

    private let bus: any ThreadBus
    /// Held while the receiver is called, so that nothing overtakes the released signals.
    private let state = Mutex(State())

    package init(_ bus: any ThreadBus) {
        self.bus = bus
    }

    /// Delays the signals that satisfy the predicate until `release`.
    package func keepBack(_ isTardy: @escaping @Sendable (BusSignal) -> Bool) {
        state.withLock { $0.isTardy = isTardy }
    }

    /// Delivers the delayed signals and stops delaying.
    package func release() {
        state.withLock { state in
            state.isTardy = { _ in false }
            for signal in state.kept { state.receiver(signal) }
            state.kept = []
        }
    }

    /// Whether the bus is unavailable, so that subscribing fails.
    package var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    package func attach(_ receiver: @escaping @Sendable (BusSignal) -> Void) {
        state.withLock { $0.receiver = receiver }
        bus.attach { [self] signal in
            state.withLock { state in
                if state.isTardy(signal) { state.kept.append(signal) } else { state.receiver(signal) }
            }
        }
    }

    package func subscribe(to topics: [BusTopic], completion: @escaping @Sendable (Result<Void, BusError>) -> Void) {
        if isAway { return completion(.failure(.unavailable("the bus is unavailable"))) }
        bus.subscribe(to: topics, completion: completion)
    }

    package func isReceiving(_ thread: ThreadID) -> Bool { !isAway && bus.isReceiving(thread) }
    package func isReachable(_ thread: ThreadID) -> Bool { !isAway && bus.isReachable(thread) }
    package var reach: BusReach { isAway ? .none : bus.reach }

    package func unsubscribe(from topics: [BusTopic]) {
        bus.unsubscribe(from: topics)
    }

    package func publish(_ event: ControlEvent, to user: UserID) {
        bus.publish(event, to: user)
    }

    package func publish(_ event: EphemeralEvent, in thread: ThreadID) {
        bus.publish(event, in: thread)
    }
}
