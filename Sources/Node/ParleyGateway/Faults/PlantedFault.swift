package import Metrics
import NIOCore
import Synchronization

/// A delivery fault that a node injects deliberately, once, to test checkers against a real server.
///
/// Enabled by a hidden flag that needs an environment variable (`Order.permit`); the node warns at its start and counts
/// the fault in `parley_planted_faults_total`. Decorates the member registry of each event loop (`decorate`), so that a
/// node without a fault runs none of this code.
///
/// Counts deliveries over all loops of the node by an atomic.
package final class PlantedFault: Sendable {
    /// The kind of fault and the delivery it strikes.
    package struct Order: Hashable, Sendable {
        package enum Kind: String, CaseIterable, Hashable, Sendable {
            /// The delivery is left out.
            case drop
            /// The delivery is made twice.
            case double
            /// The delivery is made after the next one to the same socket.
            case swap
        }

        package let kind: Kind
        /// The number of the delivery to this node's sockets, from 1 on. Several messages in one write are one
        /// delivery.
        package let delivery: Int

        /// The environment variable that must be set, and its value.
        package static let permit = (
            variable: "PARLEY_PLANTED_FAULTS", value: "this server may lose and double messages"
        )

        /// - Parameter text: a kind, a colon and a number: `drop:300`; `nil` for every other text.
        package init?(_ text: String) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])), let delivery = Int(parts[1]),
                delivery > 0
            else { return nil }
            self.kind = kind
            self.delivery = delivery
        }
    }

    let kind: Order.Kind
    private let delivery: Int
    private let deliveries = Atomic<Int>(0)
    private let injected: Counter

    package init(_ order: Order, metrics: any MetricsFactory) {
        kind = order.kind
        delivery = order.delivery
        injected = Counter(
            label: "parley_planted_faults_total", dimensions: [("kind", order.kind.rawValue)], factory: metrics)
    }

    /// The registry of an event loop, with the fault in front of its members.
    package func decorate(_ registry: any MemberRegistry) -> any MemberRegistry {
        FaultyRegistry(registry, self)
    }

    /// Counts a delivery.
    /// - Returns: whether it is the one to strike.
    func strikes() -> Bool {
        guard deliveries.wrappingAdd(1, ordering: .relaxed).newValue == delivery else { return false }
        injected.increment()
        return true
    }

    /// The part of an uncompressed WebSocket message that marks a delivery, in every dialect.
    private static let marker = Array(#""type":"message""#.utf8)

    /// Whether these bytes deliver a message.
    static func isDelivery(_ bytes: ByteBuffer) -> Bool {
        bytes.withUnsafeReadableBytes { bytes in
            guard bytes.count >= marker.count else { return false }
            return (0...bytes.count - marker.count).contains { start in
                bytes[start] == marker[0] && bytes[start..<start + marker.count].elementsEqual(marker)
            }
        }
    }
}
