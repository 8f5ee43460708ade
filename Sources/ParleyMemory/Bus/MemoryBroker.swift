import ParleyModel
import Synchronization

/// What carries signals between the nodes of one process: the twin of Redis' channels.
///
/// The state is behind one lock, which is never held while a receiver is called. A signal is in the mailboxes of all
/// subscribers before `publish` returns, in one order for all of them.
package final class MemoryBroker: Sendable {
    private let core: Mutex<BrokerCore>
    private let receivers = Mutex<[Int: @Sendable (BusSignal) -> Void]>([:])

    /// - Parameter mailboxLimit: signals that wait for one node while it is busy receiving; above it some are dropped,
    ///   and the node is told by `resubscribed`.
    package init(mailboxLimit: Int = 65_536) {
        core = Mutex(BrokerCore(mailboxLimit: mailboxLimit))
    }

    /// A further node's end of the bus; the node is gone when this is released.
    package func makeBus() -> MemoryBus {
        MemoryBus(broker: self, node: core.withLock { $0.addNode() })
    }

    /// Delivers an accepted event. The caller sees to the order: two events of a thread never at the same time.
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
