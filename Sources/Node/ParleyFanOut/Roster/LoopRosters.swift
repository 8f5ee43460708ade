import NIOCore
import Synchronization

/// The rosters of all event loops, and the path of deliveries to them.
final class LoopRosters: Sendable {
    private let loops: [any EventLoop]
    private let rosters: [NIOLoopBoundBox<LoopRoster?>]
    private let backlogs: [LoopBacklog]

    init(loops: [any EventLoop]) {
        self.loops = loops
        rosters = loops.map { .makeEmptyBox(eventLoop: $0) }
        backlogs = loops.map { _ in LoopBacklog() }
    }

    var count: Int { loops.count }

    /// The roster of a loop. Use it only on that loop. It is set once, before it is read.
    subscript(loop: Int) -> LoopRoster {
        get {
            guard let roster = rosters[loop].value else { preconditionFailure("FanOut was not started") }
            return roster
        }
        set { rosters[loop].value = newValue }
    }

    /// Whether the deliveries of some loop exceed its limit.
    var isOverloaded: Bool { backlogs.contains(where: \.isFull) }

    /// Passes a batch from the home loop to a roster.
    func deliver(_ batch: [LoopDelivery], to loop: Int) {
        if loop == 0 { return self[0].deliver(batch) }
        backlogs[loop].add(batch.count)
        loops[loop].execute { [self] in
            self[loop].deliver(batch)
            backlogs[loop].remove(batch.count)
        }
    }
}

/// The pending deliveries to one event loop.
private final class LoopBacklog: Sendable {
    /// The number of pending deliveries above which the hub stops receiving signals from the bus.
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
