import Synchronization

/// How many deliveries are on their way to one event loop and not carried out.
final class LoopBacklog: Sendable {
    /// Above this the hub takes nothing more from the bus.
    static let limit = 8192

    private let count = Atomic<Int>(0)

    var isFull: Bool { count.load(ordering: .relaxed) > Self.limit }

    func add(_ deliveries: Int) {
        count.wrappingAdd(deliveries, ordering: .relaxed)
    }

    func remove(_ deliveries: Int) {
        count.wrappingSubtract(deliveries, ordering: .relaxed)
    }
}
