package import Metrics
import NIOCore
import Synchronization

/// A wrong that a node does on purpose, once: so that whoever looks for wrongs can be tried on the real server.
///
/// Never on by accident: it is given by a hidden flag, which is refused without a variable that says what it does (see
/// `PlantedFault.Order`), it is warned of at the start, and `/metrics` shows it. A node without one has no code of it on
/// the way of a message: it is a handler in the pipeline of each socket, which is not there then.
///
/// Counts over all loops of the node, behind an atomic.
package final class PlantedFault: Sendable {
    let order: Order
    private let deliveries = Atomic<Int>(0)
    private let done: Counter

    package init(_ order: Order, metrics: any MetricsFactory) {
        self.order = order
        done = Counter(
            label: "parley_planted_faults_total", dimensions: [("kind", order.kind.rawValue)], factory: metrics)
    }

    /// Whether this delivery is the one.
    func strikes() -> Bool {
        guard deliveries.wrappingAdd(1, ordering: .relaxed).newValue == order.delivery else { return false }
        done.increment()
        return true
    }

    /// What a delivery of a message looks like in each dialect of WebSocket, if it is not compressed.
    private static let mark = Array(#""type":"message""#.utf8)

    /// Whether these bytes show somebody a message.
    static func isDelivery(_ bytes: ByteBuffer) -> Bool {
        bytes.withUnsafeReadableBytes { bytes in
            guard bytes.count >= mark.count else { return false }
            return (0...bytes.count - mark.count).contains { start in
                bytes[start] == mark[0] && bytes[start..<start + mark.count].elementsEqual(mark)
            }
        }
    }
}
