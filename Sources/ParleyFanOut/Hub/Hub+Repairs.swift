package import ParleyModel

/// Gaps in the order of threads: how they are found and filled.
extension Hub {
    /// The log of a thread was read because of its gate.
    /// - Parameter slice: `nil` if the log could not be read.
    package mutating func eventsRead(_ thread: ThreadID, _ slice: LogSlice?, _ actions: inout HubActions) {
        guard let index = threads.index(forKey: thread) else { return }
        let repair: SequenceGate.Repair
        if let slice {
            repair = threads.values[index].gate.repaired(slice)
        } else {
            repair = threads.values[index].gate.repairFailed()
        }
        let loops = threads.values[index].interest.loops
        if threads.values[index].isAwaited, slice != nil, repair.readAfter == nil, threads.values[index].gate.isPlaced {
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

    /// The bus was cut: every thread may have missed events after its last one.
    mutating func catchUp(_ actions: inout HubActions) {
        // What is not received yet is caught up with later, and its log could hardly be read.
        for thread in threads.keys where reach.isReceiving(thread) { suspectGap(thread, &actions) }
    }

    private mutating func suspectGap(_ thread: ThreadID, _ actions: inout HubActions) {
        guard let index = threads.index(forKey: thread) else { return }
        if let after = threads.values[index].gate.suspectGap() { actions.append(.readEvents(thread, after: after)) }
    }

    /// It is time to compare one of `parts` of the threads with their logs. This finds what the bus has lost with no
    /// event after it.
    package mutating func checkHeads(parts: Int, _ actions: inout HubActions) {
        if unchecked.isEmpty { unchecked = Array(threads.keys) }
        let part = Array(unchecked.suffix(max(1, topicCount / parts + 1)))
        unchecked.removeLast(part.count)
        // One thread that cannot be read would leave all others unchecked.
        let readable = part.filter { reach.isReachable($0) }
        if !readable.isEmpty { actions.append(.readEnds(readable)) }
    }

    /// The ends of logs were read: threads whose log ends elsewhere than the delivered events are read from there.
    package mutating func endsRead(
        _ names: [ThreadID], _ ends: [ThreadID: Position], _ actions: inout HubActions
    ) {
        for thread in names {
            guard let topic = threads[thread] else { continue }
            let (end, delivered) = (ends[thread], topic.gate.delivered)
            // Events that came after the reading are no reason.
            if end?.epoch == delivered?.epoch, end?.seq ?? 0 <= delivered?.seq ?? 0 { continue }
            suspectGap(thread, &actions)
        }
    }
}
