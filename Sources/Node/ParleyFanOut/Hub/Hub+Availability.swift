package import ParleyModel

/// Threads of unavailable hosts: sockets are notified when a thread becomes unavailable and when it recovers.
extension Hub {
    /// The interval of checks for recovered threads, in nanoseconds.
    private static let awaitInterval: Int64 = 500_000_000

    /// Waits for threads that sockets know to be unavailable. `LoopDelivery.available` follows.
    package mutating func awaitReturn(of names: some Sequence<ThreadID>, _ actions: inout HubActions) {
        let isFirst = awaited.isEmpty
        for thread in names {
            guard let index = threads.index(forKey: thread) else { continue }
            threads.values[index].isAwaited = true
            awaited.insert(thread)
        }
        if isFirst, !awaited.isEmpty { actions.append(.startTimer(.awaited, nanoseconds: Self.awaitInterval)) }
    }

    /// Reads the logs of threads that can be reached again. The result determines the position that they are available
    /// from.
    mutating func checkAwaited(_ actions: inout HubActions) {
        var unplaced: [ThreadID] = []
        for thread in awaited {
            guard let index = threads.index(forKey: thread) else {
                awaited.remove(thread)
                continue
            }
            guard reach.isReachable(thread) else { continue }
            if !threads.values[index].gate.isPlaced {
                unplaced.append(thread)
            } else if let after = threads.values[index].gate.suspectGap() {
                actions.append(.readEvents(thread, after: after))
            }
        }
        if !unplaced.isEmpty { actions.append(.readHeads(unplaced, nil)) }
        if !awaited.isEmpty { actions.append(.startTimer(.awaited, nanoseconds: Self.awaitInterval)) }
    }

    /// Notes that a thread has recovered. Its later events are above a position.
    mutating func becameAvailable(_ thread: ThreadID, at end: Position?, _ actions: inout HubActions) {
        awaited.remove(thread)
        guard let index = threads.index(forKey: thread) else { return }
        threads.values[index].isAwaited = false
        actions.deliver(.available(thread, after: end), to: threads.values[index].interest.loops)
    }
}
