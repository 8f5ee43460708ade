package import ParleyModel

/// Up to where threads have been delivered.
extension Hub {
    /// A socket requests the positions up to which threads have been delivered on its loop: later deliveries are above
    /// them, earlier events are read elsewhere.
    package mutating func requested(_ request: PositionRequest, _ actions: inout HubActions) {
        reply(to: request, mayRead: true, &actions)
    }

    /// - Parameter mayRead: whether the log may be read for threads of which the position is not known: it was away
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

    /// How far the node is in those of `names` that it is subscribed to, or is about to be: the newest event that was
    /// delivered, `nil` for a thread without any.
    package func progress(in names: [ThreadID]) -> [ThreadID: Position?] {
        var progress: [ThreadID: Position?] = [:]
        for thread in names {
            if let topic = threads[thread] { progress[thread] = .some(topic.gate.delivered) }
        }
        return progress
    }
}
