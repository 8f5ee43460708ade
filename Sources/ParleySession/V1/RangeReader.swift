package import ParleyModel

/// Reads consecutive events of one thread, from the log as far as that goes back and from the store below it, without
/// seam or overlap.
///
/// A value without a clock: its owner carries out `step` and hands in the answer. The log may be cut off at its
/// beginning before the store has what was cut off; then both are asked again, a few times.
package struct RangeReader: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        case readLog(after: Int64, limit: Int)
        case readStore(after: Int64, limit: Int)
        /// Wait a moment, then call `retry`.
        case wait
        case done
        /// The thread's numbering has started over.
        case overtaken
        /// What is missing cannot be had at the moment.
        case unreachable
    }

    /// How often in a row neither log nor store may bring anything new.
    package static let tries = 6

    /// The numbering that the log must have; `nil`: any.
    private let epoch: Epoch?
    private let through: Int64
    private let chunk: Int
    /// Everything up to this seq has been read.
    package private(set) var last: Int64
    private var fruitless = 0
    package private(set) var step: Step

    /// - Parameters:
    ///   - after: everything above this seq is to be read,
    ///   - through: up to and with this one, which the log has had.
    ///   - chunk: how many events to ask for at once.
    package init(epoch: Epoch?, after: Int64, through: Int64, chunk: Int) {
        self.epoch = epoch
        self.through = through
        self.chunk = chunk
        last = after
        step = .done
        if last < through { askLog() }
    }

    /// The answer to `readLog`; `nil` if the log is away.
    /// - Returns: what comes next, in order.
    package mutating func log(_ slice: LogSlice?) -> [LogEvent] {
        guard case .readLog = step else { return [] }
        guard let slice else {
            // However long the log is away, its owner decides when that is too long.
            step = .wait
            return []
        }
        if let epoch, slice.epoch != epoch {
            step = .overtaken
            return []
        }
        let events = slice.events.drop { $0.position.seq <= last }
        guard events.first?.position.seq == last + 1 else {
            // The log begins further up, or has nothing at all left of the thread.
            askStore()
            return []
        }
        return take(events)
    }

    /// The answer to `readStore`; `nil` if the store is away.
    /// - Returns: what comes next, in order; what the store has set aside for good is not among it.
    package mutating func store(_ page: LogPage?) -> [LogEvent] {
        guard case .readStore = step else { return [] }
        let events = page?.events.drop { $0.position.seq <= last } ?? []
        guard !events.isEmpty else {
            fruitless += 1
            step = fruitless < Self.tries ? .wait : .unreachable
            return []
        }
        let taken = take(events)
        // Where the store goes on, the log has surely not begun.
        if page?.hasMore == true, case .readLog = step { askStore() }
        return taken
    }

    /// A moment has passed.
    package mutating func retry() {
        if step == .wait { askLog() }
    }

    private mutating func take(_ events: ArraySlice<LogEvent>) -> [LogEvent] {
        let events = events.prefix { $0.position.seq <= through }
        // The store may have nothing between here and the end.
        last = events.last?.position.seq ?? through
        fruitless = 0
        step = .done
        if last < through { askLog() }
        return Array(events)
    }

    private mutating func askLog() {
        step = .readLog(after: last, limit: limit)
    }

    private mutating func askStore() {
        step = .readStore(after: last, limit: limit)
    }

    private var limit: Int { Int(min(Int64(chunk), through - last)) }
}
