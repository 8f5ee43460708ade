package import ParleyModel

/// The bus of one node, connected to a `MemoryBroker`.
///
/// Receivers are called on a publishing thread, one call at a time; they must not block.
package final class MemoryBus: ThreadBus {
    private let broker: MemoryBroker
    private let node: Int

    init(broker: MemoryBroker, node: Int) {
        self.broker = broker
        self.node = node
    }

    deinit {
        broker.remove(node)
    }

    package func attach(_ receiver: @escaping @Sendable (BusSignal) -> Void) {
        broker.attach(node, receiver)
    }

    /// Subscribes to topics. `completion` is called before this returns.
    package func subscribe(
        to topics: [BusTopic], completion: @escaping @Sendable (Result<Void, BusError>) -> Void
    ) {
        broker.subscribe(node, to: topics)
        completion(.success(()))
    }

    package func unsubscribe(from topics: [BusTopic]) {
        broker.unsubscribe(node, from: topics)
    }

    package func publish(_ event: ControlEvent, to user: UserID) {
        broker.publish(.control(event, user), to: .user(user))
    }

    package func publish(_ event: EphemeralEvent, in thread: ThreadID) {
        broker.publish(.ephemeral(event, thread), to: .thread(thread))
    }
}
