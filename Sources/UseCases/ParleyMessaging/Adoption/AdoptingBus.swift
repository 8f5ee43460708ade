package import ParleyModel
import Synchronization

/// A bus that adds adopted events of another bus to the log, and passes on only the other events.
package final class AdoptingBus: ThreadBus {
    private let bus: any ThreadBus
    private let adopter: Adopter
    /// Held while the receiver is called. The receiver expects one call at a time, and events that were not adopted return on
    /// other threads.
    private let isCalling = Mutex(())

    package init(_ bus: any ThreadBus, _ adopter: Adopter) {
        self.bus = bus
        self.adopter = adopter
    }

    package func attach(_ receiver: @escaping @Sendable (BusSignal) -> Void) {
        let deliver = { @Sendable [self] (signal: BusSignal) in isCalling.withLock { _ in receiver(signal) } }
        bus.attach { [adopter] signal in
            guard case .foreign(let event, let thread) = signal, let request = event.adoption else {
                return deliver(signal)
            }
            adopter.adopt(request, in: thread) {
                if !event.json.isEmpty { deliver(signal) }
            }
        }
    }

    package func subscribe(to topics: [BusTopic], completion: @escaping @Sendable (Result<Void, BusError>) -> Void) {
        bus.subscribe(to: topics, completion: completion)
    }

    package func isReceiving(_ thread: ThreadID) -> Bool { bus.isReceiving(thread) }
    package func isReachable(_ thread: ThreadID) -> Bool { bus.isReachable(thread) }
    package var reach: BusReach { bus.reach }

    package func unsubscribe(from topics: [BusTopic]) { bus.unsubscribe(from: topics) }

    package func publish(_ event: ControlEvent, to user: UserID) { bus.publish(event, to: user) }

    package func publish(_ event: EphemeralEvent, in thread: ThreadID) { bus.publish(event, in: thread) }
}
