package import ParleyModel

/// Reads consecutive events of one thread, from the log as far back as it goes and from the store below it, without gap
/// or overlap.
///
/// A value without a clock: its owner performs `step` and passes in the result. The log may be trimmed before the store
/// has the trimmed events; both are then read again, a few times. The store leaves out the places of repeated sends,
/// which clients may have seen live; where the log still has such a place, it is read from the log.
package struct RangeReader: Hashable, Sendable {
    /// The next step for the owner.
    package enum Step: Hashable, Sendable {
        case readLog(after: Int64, limit: Int)
        case readStore(after: Int64, limit: Int)
        /// Wait briefly, then call `retry`.
        case wait
        case done
        /// The thread's epoch has changed.
        case overtaken
        /// The missing events are unavailable at the moment.
        case unreachable
    }

    /// Maximum consecutive attempts without anything new from log or store.
    package static let tries = 6

    /// The required epoch of the log; `nil` for any.
    private let epoch: Epoch?
    private let through: Int64
    private let chunk: Int
    /// Everything up to this seq has been read.
    package private(set) var last: Int64
    private var fruitless = 0
    /// The first seq above `last` that the log had when it was last read; `nil` if it had none.
    private var logBegin: Int64?
    package private(set) var step: Step

    /// - Parameters:
    ///   - after: reads everything above this seq.
    ///   - through: reads up to and including this seq, which the log has had.
    ///   - chunk: maximum number of events per read.
    package init(epoch: Epoch?, after: Int64, through: Int64, chunk: Int) {
        self.epoch = epoch
        self.through = through
        self.chunk = chunk
        last = after
        step = .done
        if last < through { readFromLog() }
    }

    /// The result of `readLog`; `nil` if the log is unavailable.
    /// - Returns: the next events, in order.
    package mutating func log(_ slice: LogSlice?) -> [LogEvent] {
        guard case .readLog = step else { return [] }
        guard let slice else {
            // The owner decides how long the log may be unavailable.
            step = .wait
            return []
        }
        if let epoch, slice.epoch != epoch {
            step = .overtaken
            return []
        }
        let events = slice.events.drop { $0.position.seq <= last }
        logBegin = events.first?.position.seq
        guard logBegin == last + 1 else {
            // The log begins higher up, or has nothing left of the thread.
            readFromStore()
            return []
        }
        return take(events)
    }

    /// The result of `readStore`; `nil` if the store is unavailable.
    /// - Returns: the next events, in order, without rejected ones.
    package mutating func store(_ page: LogPage?) -> [LogEvent] {
        guard case .readStore = step else { return [] }
        let events = page?.events.drop { $0.position.seq <= last } ?? []
        guard !events.isEmpty else {
            fruitless += 1
            step = fruitless < Self.tries ? .wait : .unreachable
            return []
        }
        if let logBegin, let end = endBeforeGap(in: events, from: logBegin) {
            let below = events.prefix { $0.position.seq <= end }.prefix { $0.position.seq <= through }
            advance(to: min(through, max(end, logBegin - 1)))
            return Array(below)
        }
        let taken = take(events)
        // Where the store continues, the log cannot have begun.
        if page?.hasMore == true, case .readLog = step { readFromStore() }
        return taken
    }

    /// Called after `wait`.
    package mutating func retry() {
        if step == .wait { readFromLog() }
    }

    private mutating func take(_ events: ArraySlice<LogEvent>) -> [LogEvent] {
        let events = events.prefix { $0.position.seq <= through }
        // The store may have no events up to the end.
        advance(to: events.last?.position.seq ?? through)
        return Array(events)
    }

    private mutating func advance(to seq: Int64) {
        last = seq
        fruitless = 0
        step = .done
        if last < through { readFromLog() }
    }

    /// Returns the seq before the first gap in stored events that the log may fill; `nil` if there is none.
    private func endBeforeGap(in events: ArraySlice<LogEvent>, from logBegin: Int64) -> Int64? {
        var previous = last
        for seq in events.lazy.map(\.position.seq) {
            if seq > logBegin, seq > previous + 1 { return previous }
            previous = seq
        }
        return nil
    }

    private mutating func readFromLog() {
        step = .readLog(after: last, limit: limit)
    }

    private mutating func readFromStore() {
        step = .readStore(after: last, limit: limit)
    }

    private var limit: Int { Int(min(Int64(chunk), through - last)) }
}
