package import ParleyModel

/// The actions of the hub for its driver: deliveries to event loops, and all others.
///
/// The driver keeps one value and empties it. Deliveries go to other threads with their memory; the capacity that the
/// next batch starts with is that of the last one.
package struct HubActions: Sendable {
    /// Memory for more than this is given back after a burst.
    private static let keptCapacity = 1024

    /// By event loop, in order.
    private var deliveries: [[LoopDelivery]]
    /// In order. An action that resumes a waiter is performed after all deliveries so far.
    package private(set) var others: [HubAction] = []

    package var hasDeliveries: Bool { deliveries.contains { !$0.isEmpty } }

    package init(loops: Int) {
        deliveries = Array(repeating: [], count: loops)
    }

    mutating func append(_ action: HubAction) {
        others.append(action)
    }

    mutating func deliver(_ delivery: LoopDelivery, to loops: LoopSet) {
        loops.forEach { deliveries[$0].append(delivery) }
    }

    mutating func deliver(_ delivery: LoopDelivery, to loop: Int) {
        deliveries[loop].append(delivery)
    }

    /// Takes the deliveries to a loop out; `nil` if there are none.
    package mutating func takeDeliveries(to loop: Int) -> [LoopDelivery]? {
        guard !deliveries[loop].isEmpty else { return nil }
        let batch = deliveries[loop]
        deliveries[loop].removeAll(keepingCapacity: batch.count <= Self.keptCapacity)
        return batch
    }

    package mutating func removeOthers() {
        others.removeAll(keepingCapacity: others.count <= Self.keptCapacity)
    }
}

/// An action of the hub for its driver; its result, if any, is passed to the method of the hub that is named.
package enum HubAction: Hashable, Sendable {
    /// `subscribed`, `subscribeFailed`.
    case subscribe([BusTopic])
    case unsubscribe([BusTopic])
    /// Read the log of a thread, `SequenceGate.readLimit` events at most: `eventsRead`.
    case readEvents(ThreadID, after: Int64)
    /// Read the newest events of a thread, `PendingJoin.limit` at most, for the join of this number: `newestRead`.
    case readNewest(ThreadID, after: Int64, join: UInt64)
    /// Read where the logs of threads end, from the store if need be: `headsRead`.
    case readHeads([ThreadID], PositionRequest?)
    /// Read where the logs of threads end, without the store: `endsRead`, unless it fails.
    case readEnds([ThreadID])
    /// `timerFired`.
    case startTimer(HubTimer, nanoseconds: Int64)
    /// What a waiter waits for has happened, or cannot.
    case resume(UInt64, BusError?)
    /// An update of this number is done.
    case finishUpdate(UInt64, SnapshotOutcome)
    /// Reply on a loop, at this place among its deliveries.
    case reply(PositionRequest, ThreadEnds)
    /// A user of this node is to be compared with the store: at once, or when there is time.
    case reloadUser(UserID, isUrgent: Bool)
    /// The bus was cut and is back: control events may be missing.
    case reportResubscription
    case count(HubCount)
}

/// What the hub counts; see `FanOutMetrics`.
package enum HubCount: Hashable, Sendable {
    /// A gap in the order of a thread.
    case gap
    /// A reading of the log that has brought or freed events.
    case repair
    /// An event that came once more, or late.
    case repeated
    /// Events that neither the bus nor the log has.
    case lost(Int64)
}

package enum HubTimer: Hashable, Sendable {
    /// Topics may have been unwanted for long enough.
    case sweep
    /// A pending leave, by its number, has lasted long enough.
    case leave(ThreadID, number: UInt64)
    /// Threads that were unavailable may be back.
    case awaited
}

/// Up to where threads have been delivered on a loop.
package struct ThreadEnds: Hashable, Sendable {
    /// Of the threads that have events and are available.
    package var positions: [ThreadID: Position]
    /// Threads that cannot be read at the moment, or whose position is not known: their sockets are told when that ends
    /// (`LoopDelivery.available`).
    package var unavailable: Set<ThreadID>

    package init(positions: [ThreadID: Position] = [:], unavailable: Set<ThreadID> = []) {
        self.positions = positions
        self.unavailable = unavailable
    }
}

/// A request for the positions up to which threads have been delivered on a loop.
package struct PositionRequest: Hashable, Sendable {
    /// The number by which the driver identifies the request.
    package let number: UInt64
    package let threads: [ThreadID]
    package let loop: Int

    package init(number: UInt64, threads: [ThreadID], loop: Int) {
        self.number = number
        self.threads = threads
        self.loop = loop
    }
}
