import ParleyModel
import Synchronization

/// A bus that notes the control events it is given.
final class TestBus: ThreadBus {
    private let published = Mutex<[(ControlEvent, UserID)]>([])

    var controlEvents: [(event: ControlEvent, user: UserID)] { published.withLock { $0 } }

    func attach(_ receiver: @escaping @Sendable (BusSignal) -> Void) {}

    func subscribe(to topics: [BusTopic], completion: @escaping @Sendable (Result<Void, BusError>) -> Void) {
        completion(.success(()))
    }

    func unsubscribe(from topics: [BusTopic]) {}

    func publish(_ event: ControlEvent, to user: UserID) {
        published.withLock { $0.append((event, user)) }
    }

    func publish(_ notice: ThreadNotice, in thread: ThreadID) {}
}
