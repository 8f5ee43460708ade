import ParleyModel
import Synchronization

/// A bus that loses every seventh event without a word.
final class LossyBus: ThreadBus {
    static let period = 7

    private let bus: any ThreadBus
    private let count = Atomic<Int>(0)

    init(_ bus: any ThreadBus) {
        self.bus = bus
    }

    /// How many events came, the lost ones too.
    var events: Int { count.load(ordering: .relaxed) }

    func attach(_ receiver: @escaping @Sendable (BusSignal) -> Void) {
        bus.attach { [self] signal in
            if case .event = signal, count.wrappingAdd(1, ordering: .relaxed).newValue % Self.period == 0 { return }
            receiver(signal)
        }
    }

    func subscribe(to topics: [BusTopic], completion: @escaping @Sendable (Result<Void, BusError>) -> Void) {
        bus.subscribe(to: topics, completion: completion)
    }

    func isReceiving(_ thread: ThreadID) -> Bool { bus.isReceiving(thread) }
    func isReachable(_ thread: ThreadID) -> Bool { bus.isReachable(thread) }
    var reach: BusReach { bus.reach }

    func unsubscribe(from topics: [BusTopic]) {
        bus.unsubscribe(from: topics)
    }

    func publish(_ event: ControlEvent, to user: UserID) {
        bus.publish(event, to: user)
    }

    func publish(_ event: EphemeralEvent, in thread: ThreadID) {
        bus.publish(event, in: thread)
    }
}
