package import ParleyModel

/// The actions of the hub for its driver: deliveries to event loops, and all other actions.
///
/// The driver keeps one value and empties it. Deliveries move to other threads together with their memory. The next
/// batch starts with the capacity of the last one.
package struct HubActions: Sendable {
    /// The capacity above which memory is released after a burst.
    private static let keptCapacity = 1024

    /// The deliveries of each event loop, in order.
    private var deliveries: [[LoopDelivery]]
    /// All other actions, in order. An action that resumes a waiter is performed after all earlier deliveries.
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

    /// Removes and returns the deliveries to a loop; `nil` if there are none.
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

/// An action of the hub for its driver. Its result, if any, is passed to the named method of the hub.
package enum HubAction: Hashable, Sendable {
    /// Subscribe to topics. Result: `subscribed` or `subscribeFailed`.
    case subscribe([BusTopic])
    case unsubscribe([BusTopic])
    /// Read the log of a thread, at most `SequenceGate.readLimit` events. Result: `eventsRead`.
    case readEvents(ThreadID, after: Int64)
    /// Read the newest events of a thread for a join, at most `PendingJoin.limit`. Result: `newestRead`.
    case readNewest(ThreadID, after: Int64, join: UInt64)
    /// Read the heads of threads, from the store if necessary. Result: `headsRead`.
    case readHeads([ThreadID], PositionRequest?)
    /// Read the ends of the logs of threads, without the store. Result: `endsRead`, unless the read fails.
    case readEnds([ThreadID])
    /// Start a timer. Result: `timerFired`.
    case startTimer(HubTimer, nanoseconds: Int64)
    /// Resume a waiter, with an error if its condition cannot be met.
    case resume(UInt64, BusError?)
    /// Report the end of an update.
    case finishUpdate(UInt64, SnapshotOutcome)
    /// Reply on a loop, in order with its deliveries.
    case reply(PositionRequest, ThreadEnds)
    /// Compare a user of this node with the store, immediately or later.
    case reloadUser(UserID, isUrgent: Bool)
    /// Report that the bus was interrupted and has recovered. Control events may be missing.
    case reportResubscription
    case count(HubCount)
}

/// The counters of the hub; see `FanOutMetrics`.
package enum HubCount: Hashable, Sendable {
    /// A gap in the order of a thread.
    case gap
    /// A log read that returned or released events.
    case repair
    /// A repeated or late event.
    case repeated
    /// Events that neither the bus nor the log has.
    case lost(Int64)
}

package enum HubTimer: Hashable, Sendable {
    /// Check for topics that have been unwanted for the linger time.
    case sweep
    /// A pending leave, by its number, has timed out.
    case leave(ThreadID, number: UInt64)
    /// Check for unavailable threads that have recovered.
    case awaited
}

/// The delivered positions of threads on a loop.
package struct ThreadEnds: Hashable, Sendable {
    /// The positions of the available threads that have events.
    package var positions: [ThreadID: Position]
    /// Threads that cannot be read at the moment, or have an unknown position. Their sockets are notified when they
    /// recover (`LoopDelivery.available`).
    package var unavailable: Set<ThreadID>

    package init(positions: [ThreadID: Position] = [:], unavailable: Set<ThreadID> = []) {
        self.positions = positions
        self.unavailable = unavailable
    }
}

/// A request for the delivered positions of threads on a loop.
package struct PositionRequest: Hashable, Sendable {
    /// The number that the driver identifies the request by.
    package let number: UInt64
    package let threads: [ThreadID]
    package let loop: Int

    package init(number: UInt64, threads: [ThreadID], loop: Int) {
        self.number = number
        self.threads = threads
        self.loop = loop
    }
}
