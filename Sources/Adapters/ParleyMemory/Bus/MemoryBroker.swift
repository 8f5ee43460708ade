import ParleyModel
import Synchronization

/// The bus between nodes of one process: the in-memory counterpart of Redis pub/sub.
///
/// The state is protected by one lock, which is never held while a receiver is called. `publish` puts a signal into the
/// mailboxes of all subscribers before it returns, in the same order for all of them.
package final class MemoryBroker: Sendable {
    private let core: Mutex<BrokerCore>
    private let receivers = Mutex<[Int: @Sendable (BusSignal) -> Void]>([:])

    /// - Parameter mailboxLimit: the maximum number of signals pending for a node that is busy receiving. Signals above
    ///   it are dropped, and the node receives `resubscribed`.
    package init(mailboxLimit: Int = 65_536) {
        core = Mutex(BrokerCore(mailboxLimit: mailboxLimit))
    }

    /// Makes the bus of a further node. The node is removed when the bus is released.
    package func makeBus() -> MemoryBus {
        MemoryBus(broker: self, node: core.withLock { $0.addNode() })
    }

    /// Publishes an accepted event. The caller is responsible for the order: it never publishes two events of one
    /// thread concurrently.
    func publish(_ event: LogEvent) {
        publish(.event(event), to: .thread(event.thread))
    }

    func publish(_ signal: BusSignal, to topic: BusTopic) {
        for node in core.withLock({ $0.publish(signal, to: topic) }) {
            while let signals = core.withLock({ $0.take(node) }) {
                guard let receiver = receivers.withLock({ $0[node] }) else { continue }
                for signal in signals { receiver(signal) }
            }
        }
    }

    func attach(_ node: Int, _ receiver: @escaping @Sendable (BusSignal) -> Void) {
        receivers.withLock { $0[node] = receiver }
    }

    func subscribe(_ node: Int, to topics: [BusTopic]) {
        core.withLock { $0.subscribe(node, to: topics) }
    }

    func unsubscribe(_ node: Int, from topics: [BusTopic]) {
        core.withLock { $0.unsubscribe(node, from: topics) }
    }

    func remove(_ node: Int) {
        core.withLock { $0.removeNode(node) }
        _ = receivers.withLock { $0.removeValue(forKey: node) }
    }
}
