import DequeModule
package import ParleyModel

/// The numbering of one thread and its newest events.
///
/// An event is numbered first and accepted later; in between it is not visible. The caller's `limit` sets the length of
/// the window, which has no gaps unless the store refused an event between others.
package struct ThreadLog: Sendable {
    private struct End: Hashable, Sendable {
        var seq: Int64
        var milliseconds: Int64
        var messageCount: Int64
    }

    package private(set) var epoch: Epoch
    /// The last accepted event.
    private var accepted: End
    /// The last numbered event.
    private var numbered: End
    private var window = Deque<LogEvent>()
    /// All accepted events above this seq are in the window.
    private var floor: Int64
    /// The number of numbered events that are not stored.
    private var unstored = 0
    /// The highest seq known to be stored.
    private var storedSeq: Int64

    /// - Parameters:
    ///   - stored: the end of the stored thread; `nil` for a thread without events.
    ///   - epoch: the epoch of all later events.
    package init(stored: ThreadHead?, epoch: Epoch) {
        self.epoch = epoch
        accepted = End(
            seq: stored?.position.seq ?? 0, milliseconds: stored?.milliseconds ?? 0,
            messageCount: stored?.messageCount ?? 0)
        numbered = accepted
        floor = accepted.seq
        storedSeq = accepted.seq
    }

    /// The end of the accepted events; `nil` for a thread without events.
    package var head: ThreadHead? {
        guard accepted.seq > 0 else { return nil }
        return ThreadHead(
            position: Position(epoch: epoch, seq: accepted.seq), milliseconds: accepted.milliseconds,
            messageCount: accepted.messageCount)
    }

    package var acceptedSeq: Int64 { accepted.seq }

    /// The accepted event of a message, if it is among the newest events.
    package func event(of message: MessageID) -> LogEvent? {
        window.firstIndex { $0.message?.id == message }.map { window[$0] }
    }

    package var windowCount: Int { window.count }

    /// The store has all events that this value knows.
    package var isStored: Bool { unstored == 0 && storedSeq >= accepted.seq }

    /// Assigns the next position to a draft. Its date is `now`, or that of the event before it if the clock went back.
    package mutating func number(_ draft: EventDraft, now: Int64) -> LogEvent {
        numbered.seq += 1
        numbered.milliseconds = max(numbered.milliseconds, now)
        if case .message = draft.body { numbered.messageCount += 1 }
        unstored += 1
        return LogEvent(
            thread: draft.thread, position: Position(epoch: epoch, seq: numbered.seq),
            milliseconds: numbered.milliseconds, messageCount: numbered.messageCount, body: draft.body,
            origin: draft.origin, wantsStored: draft.wantsStored, outboxID: draft.outboxID)
    }

    /// Accepts a numbered event: it becomes the head and enters the window, which keeps the newest `limit` events.
    ///
    /// Its seq must be above the head's. It may be higher than the assigned one if the store has moved the event.
    package mutating func accept(_ event: LogEvent, limit: Int) {
        assert(event.position.seq > accepted.seq, "accepted out of order")
        accepted = End(
            seq: event.position.seq, milliseconds: max(accepted.milliseconds, event.milliseconds),
            messageCount: max(accepted.messageCount, event.messageCount))
        if numbered.seq < accepted.seq { numbered.seq = accepted.seq }
        window.append(event)
        if case .deleted(let deletion) = event.body { redact(.messages([deletion.messageID])) }
        while window.count > max(0, limit), let dropped = window.popFirst() { floor = dropped.position.seq }
    }

    /// Records that a numbered event has left the ingest stream.
    /// - Parameter seq: the seq at which it is stored; `nil` if it is not.
    package mutating func settle(storedAs seq: Int64?) {
        unstored -= 1
        if let seq { storedSeq = max(storedSeq, seq) }
        // No numbered event is pending, so refused numbers can be assigned again.
        if unstored == 0 { numbered = accepted }
    }

    /// Removes texts, parts and names from the window.
    package mutating func redact(_ redaction: LogRedaction) {
        for index in 0..<window.count {
            if let placeholder = redaction.placeholder(for: window[index]) { window[index] = placeholder }
        }
    }

    /// Restarts a deleted thread: the next event is the first of another numbering. Dates still do not decrease.
    package mutating func restart(in epoch: Epoch) {
        self.epoch = epoch
        accepted = End(seq: 0, milliseconds: accepted.milliseconds, messageCount: 0)
        numbered = accepted
        window = Deque()
        floor = 0
        storedSeq = 0
    }

    /// The accepted events above `seq`, at most `limit`.
    package func slice(after seq: Int64, limit: Int) -> LogSlice {
        let start = firstIndex(above: seq)
        let end = min(window.count, start + max(0, limit))
        return LogSlice(
            epoch: accepted.seq > 0 ? epoch : nil, events: Array(window[start..<end]), end: accepted.seq,
            isTruncated: seq < floor)
    }

    /// Where in the window the events above `seq` begin; they are in order, so half of what is left is excluded at a
    /// time.
    private func firstIndex(above seq: Int64) -> Int {
        var low = 0
        var high = window.count
        while low < high {
            let middle = (low + high) / 2
            if window[middle].position.seq <= seq { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension LogSlice {
    /// The slice of a thread without events.
    static let nothing = LogSlice(epoch: nil, events: [], end: 0, isTruncated: false)
}
