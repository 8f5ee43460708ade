package import ParleyModel

/// The place at which an event is stored.
package struct EventPlace: Hashable, Sendable {
    package let seq: Int64
    /// The number of messages in the thread up to and including this seq.
    package let n: Int64
    /// The stored date, in Unix milliseconds.
    package let milliseconds: Int64

    package init(seq: Int64, n: Int64, milliseconds: Int64) {
        self.seq = seq
        self.n = n
        self.milliseconds = milliseconds
    }
}

/// The neighbours of a free seq below a thread's head.
package struct Neighbours: Hashable, Sendable {
    /// The number of messages before it.
    package let messagesBefore: Int64
    /// The dates of the events before and after it; the widest possible bounds where there is none.
    package let dates: ClosedRange<Int64>

    package init(messagesBefore: Int64, earliest: Int64, latest: Int64) {
        self.messagesBefore = messagesBefore
        // Rows that something else has stored out of order must not trap.
        dates = min(earliest, latest)...latest
    }

    /// The place of an event at this seq. Its date is clamped to the dates of its neighbours.
    package func place(of event: LogEvent, at seq: Int64) -> EventPlace {
        EventPlace(
            seq: seq, n: messagesBefore + (event.message == nil ? 0 : 1),
            milliseconds: min(max(event.milliseconds, dates.lowerBound), dates.upperBound))
    }
}
