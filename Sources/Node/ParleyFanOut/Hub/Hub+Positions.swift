package import ParleyModel

/// The delivered positions of threads.
extension Hub {
    /// Handles the request of a socket for the delivered positions of threads on its loop. Later deliveries are above
    /// them, and earlier events are read elsewhere.
    package mutating func requested(_ request: PositionRequest, _ actions: inout HubActions) {
        reply(to: request, mayRead: true, &actions)
    }

    /// - Parameter mayRead: Whether the log may be read for threads with an unknown position, whose log was unavailable
    ///   when they became live.
    mutating func reply(to request: PositionRequest, mayRead: Bool, _ actions: inout HubActions) {
        var ends = ThreadEnds()
        var unknown: [ThreadID] = []
        for thread in request.threads {
            if !reach.isReachable(thread) {
                ends.unavailable.insert(thread)
            } else if let topic = threads[thread], topic.gate.isPlaced {
                if let end = topic.gate.delivered { ends.positions[thread] = end }
            } else {
                unknown.append(thread)
            }
        }
        if !unknown.isEmpty, mayRead { return actions.append(.readHeads(unknown, request)) }
        ends.unavailable.formUnion(unknown)
        awaitReturn(of: ends.unavailable, &actions)
        actions.append(.reply(request, ends))
    }

    /// Returns the progress of the node in those threads that it is subscribed to or is subscribing to: the latest
    /// delivered event, or `nil` for a thread without events.
    package func progress(in names: [ThreadID]) -> [ThreadID: Position?] {
        var progress: [ThreadID: Position?] = [:]
        for thread in names {
            if let topic = threads[thread] { progress[thread] = .some(topic.gate.delivered) }
        }
        return progress
    }
}
