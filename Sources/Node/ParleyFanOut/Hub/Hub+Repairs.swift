package import ParleyModel

/// Detection and repair of gaps in the order of threads.
extension Hub {
    /// Passes the result of a log read to the gate of a thread.
    /// - Parameter slice: The events; `nil` if the log could not be read.
    package mutating func eventsRead(_ thread: ThreadID, _ slice: LogSlice?, _ actions: inout HubActions) {
        guard let index = threads.index(forKey: thread) else { return }
        let repair: SequenceGate.Repair
        if let slice {
            repair = threads.values[index].gate.repaired(slice)
        } else {
            repair = threads.values[index].gate.repairFailed()
        }
        let loops = threads.values[index].interest.loops
        // The sockets are told before they receive events, even if the log must be read again.
        let isKnown = repair.readAfter == nil || !repair.events.isEmpty
        if threads.values[index].isAwaited, slice != nil, isKnown, threads.values[index].gate.isPlaced {
            let first = repair.events.first?.position
            let end = first.map { Position(epoch: $0.epoch, seq: $0.seq - 1) } ?? threads.values[index].gate.delivered
            becameAvailable(thread, at: end, &actions)
        }
        if repair.lost > 0 || repair.renumbering != nil { endPendingLeaves(in: thread, &actions) { _ in true } }
        if repair.lost > 0 {
            actions.append(.count(.lost(repair.lost)))
            actions.deliver(.lostTrack(thread), to: loops)
        }
        if !repair.events.isEmpty { actions.append(.count(.repair)) }
        if let renumbering = repair.renumbering { actions.deliver(.renumbered(thread, renumbering), to: loops) }
        for event in repair.events { pass(event, &actions) }
        if let after = repair.readAfter { actions.append(.readEvents(thread, after: after)) }
    }

    /// Handles an interruption of the bus. Every thread may have missed events after its latest one.
    mutating func catchUp(_ actions: inout HubActions) {
        // Threads that are not received yet catch up later. Their logs are probably unavailable too.
        for thread in threads.keys where reach.isReceiving(thread) { suspectGap(thread, &actions) }
    }

    private mutating func suspectGap(_ thread: ThreadID, _ actions: inout HubActions) {
        guard let index = threads.index(forKey: thread) else { return }
        if let after = threads.values[index].gate.suspectGap() { actions.append(.readEvents(thread, after: after)) }
    }

    /// An event that another program has published was taken for the position of a thread while its log could not be
    /// read.
    private mutating func retreat(_ thread: ThreadID, to end: Position, _ actions: inout HubActions) {
        threads[thread]?.gate.retreat(to: end)
        endPendingLeaves(in: thread, &actions) { _ in true }
        guard let loops = threads[thread]?.interest.loops else { return }
        actions.deliver(.lostTrack(thread), to: loops)
    }

    /// It is time to compare one of `parts` of the threads with their logs. This finds what the bus has lost with no
    /// event after it.
    package mutating func checkHeads(parts: Int, _ actions: inout HubActions) {
        if unchecked.isEmpty { unchecked = Array(threads.keys) }
        let part = Array(unchecked.suffix(max(1, topicCount / parts + 1)))
        unchecked.removeLast(part.count)
        // A single unreadable thread would prevent the check of all others.
        let readable = part.filter { reach.isReachable($0) }
        if !readable.isEmpty { actions.append(.readEnds(readable)) }
    }

    /// Handles the ends of logs. A thread whose log ends elsewhere than its delivered events is read from there.
    package mutating func endsRead(
        _ names: [ThreadID], _ ends: [ThreadID: Position], _ actions: inout HubActions
    ) {
        for thread in names {
            guard let topic = threads[thread] else { continue }
            let (end, delivered) = (ends[thread], topic.gate.delivered)
            if let end, let delivered, end.epoch == delivered.epoch, delivered.seq - end.seq > Position.reach {
                retreat(thread, to: end, &actions)
                continue
            }
            // Events that came after the reading do not matter.
            if end?.epoch == delivered?.epoch, end?.seq ?? 0 <= delivered?.seq ?? 0 { continue }
            suspectGap(thread, &actions)
        }
    }
}
