package import ParleyModel

/// Where an event is stored.
package struct EventPlace: Hashable, Sendable {
    package let seq: Int64
    /// How many messages the thread has up to there.
    package let n: Int64
    /// The date that it is stored with, Unix milliseconds.
    package let milliseconds: Int64

    package init(seq: Int64, n: Int64, milliseconds: Int64) {
        self.seq = seq
        self.n = n
        self.milliseconds = milliseconds
    }
}

/// What surrounds a free seq below the head of a thread.
package struct Neighbours: Hashable, Sendable {
    /// How many messages lie before it.
    package let messagesBefore: Int64
    /// The dates of what lies before and after it; the widest ones where nothing does.
    package let dates: ClosedRange<Int64>

    package init(messagesBefore: Int64, earliest: Int64, latest: Int64) {
        self.messagesBefore = messagesBefore
        // Dates that an old version has left in disorder must not trap.
        dates = min(earliest, latest)...latest
    }

    /// The place of an event at this seq.
    package func place(of event: LogEvent, at seq: Int64) -> EventPlace {
        EventPlace(
            seq: seq, n: messagesBefore + (event.message == nil ? 0 : 1),
            milliseconds: min(max(event.milliseconds, dates.lowerBound), dates.upperBound))
    }
}
