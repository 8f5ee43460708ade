package import ParleyModel
package import ParleyWire

/// The replay of one thread for a client that has seen it up to a position: the events to send again, and the result to
/// report.
///
/// A value without a clock; its owner performs `step` and passes in the results. `end` is where live events begin: the
/// client gets everything above it in order as live events, and nothing up to it, which this type replays.
package struct ThreadReplay: Hashable, Sendable {
    /// The next step for the owner.
    package enum Step: Hashable, Sendable {
        case readLog(after: Int64, limit: Int)
        case readStore(after: Int64, limit: Int)
        /// Wait briefly, then call `retry`.
        case wait
        case done(V1Resumption)
    }

    /// Default number of events read and sent at once.
    package static let usualChunk = 64
    /// The number of events, counted back from the head, that are searched for the end of a former epoch.
    package static let searchDepth: Int64 = 1000

    private enum State: Hashable {
        /// Reading whether the log has the client's position, which is above everything this node has seen.
        case comparing
        /// Reading what the store has of the client's epoch, which has ended.
        case searching
        case reading(RangeReader)
        case done(V1Resumption)
    }

    package let thread: ThreadID
    private let seen: Position
    private let end: Position?
    /// The seq of the first event that the user sees.
    private let firstSeq: Int64
    private let chunk: Int
    private var state: State
    private var isWaiting = false
    /// The client has seen everything up to this seq, including what was replayed.
    private var last: Int64
    /// The epoch changed during the replay; the new one is unknown.
    private var isOvertaken = false
    /// If not `nil`, live events up to this seq are not for the client, which has seen them elsewhere.
    package private(set) var skipThrough: Int64?

    /// - Parameters:
    ///   - seen: the position named by the client.
    ///   - end: everything above is live for the client; `nil` for a thread without events so far.
    ///   - firstSeq: the seq of the first event that the user sees.
    package init(
        _ thread: ThreadID, seen: Position, end: Position?, firstSeq: Int64 = 1, chunk: Int = usualChunk
    ) {
        self.firstSeq = firstSeq
        self.thread = thread
        self.seen = seen
        self.end = end
        self.chunk = chunk
        last = seen.seq
        guard let end else {
            // A client that has seen nothing misses nothing; anything else was lost.
            state = .done(
                seen.seq == 0
                    ? V1Resumption(.live, from: 1, to: 0) : V1Resumption(.rolledBack, from: 1, to: seen.seq))
            return
        }
        // A client that has seen nothing has nothing that could be invalid.
        if seen.seq > 0, seen.epoch != end.epoch {
            state = .searching
        } else if seen.seq > end.seq {
            state = .comparing
        } else {
            state = Self.reading(seen, end, firstSeq, chunk)
        }
    }

    /// Everything up to `seen` is valid, and what follows is missing. What the user does not see counts as replayed.
    private static func reading(_ seen: Position, _ end: Position, _ firstSeq: Int64, _ chunk: Int) -> State {
        let from = seen.seq + (seen.seq < .max ? 1 : 0)
        if seen.seq == end.seq {
            return .done(V1Resumption(.live, epoch: end.epoch, from: from, to: end.seq))
        }
        let after = max(seen.seq, firstSeq - 1)
        guard after < end.seq else {
            return .done(V1Resumption(.replayed, epoch: end.epoch, from: from, to: after))
        }
        guard end.seq - after <= V1Limits.replayEvents else {
            return .done(V1Resumption(.page, epoch: end.epoch, from: from, to: end.seq))
        }
        return .reading(RangeReader(epoch: end.epoch, after: after, through: end.seq, chunk: chunk))
    }

    package var step: Step {
        if isWaiting { return .wait }
        switch state {
        case .comparing:
            return .readLog(after: seen.seq - 1, limit: 1)
        case .searching:
            return .readStore(after: max(0, last - Self.searchDepth), limit: Int(Self.searchDepth))
        case .reading(let reader):
            return Self.step(of: reader)
        case .done(let resumption):
            return .done(resumption)
        }
    }

    /// Whether only the store can tell what of the client's epoch is valid, and has not told it yet.
    package var isSearching: Bool { state == .searching }

    private static func step(of reader: RangeReader) -> Step {
        switch reader.step {
        case .readLog(let after, let limit): .readLog(after: after, limit: limit)
        case .readStore(let after, let limit): .readStore(after: after, limit: limit)
        // Unreachable: `settle` has handled the ends.
        case .wait, .done, .overtaken, .unreachable: .wait
        }
    }

    // MARK: Results

    /// The result of `readLog`; `nil` if the log is unavailable.
    /// - Returns: the events to be sent, in order.
    package mutating func log(_ slice: LogSlice?) -> [LogEvent] {
        switch state {
        case .comparing:
            guard let slice else {
                isWaiting = true
                return []
            }
            compare(slice)
            return []
        case .reading(var reader):
            let events = reader.log(slice).compactMap { $0.shown(from: firstSeq) }
            settle(reader)
            return events
        case .searching, .done:
            return []
        }
    }

    /// The result of `readStore`; `nil` if the store is unavailable.
    /// - Returns: the events to be sent, in order.
    package mutating func store(_ page: LogPage?) -> [LogEvent] {
        switch state {
        case .searching:
            guard let page else {
                // Only the store knows; the owner decides how long it may be unavailable.
                isWaiting = true
                return []
            }
            let known = page.events.last { $0.position.epoch == seen.epoch && $0.position.seq <= last }
            if let end, !isOvertaken, known?.position == seen {
                // What the client has seen is the beginning of what there is, or this node is still in a former epoch.
                state = seen.seq <= end.seq ? Self.reading(seen, end, firstSeq, chunk) : ahead()
            } else {
                rollBack(from: (known?.position.seq ?? 0) + 1)
            }
            return []
        case .reading(var reader):
            let events = reader.store(page).compactMap { $0.shown(from: firstSeq) }
            settle(reader)
            return events
        case .comparing, .done:
            return []
        }
    }

    /// Called after `wait`.
    package mutating func retry() {
        isWaiting = false
        guard case .reading(var reader) = state else { return }
        reader.retry()
        settle(reader)
    }

    // MARK: Closing

    private mutating func compare(_ slice: LogSlice) {
        guard let end else { return }
        if slice.epoch == seen.epoch, slice.events.contains(where: { $0.position.seq == seen.seq }) {
            state = ahead()
        } else {
            // No one has what the client has seen.
            rollBack(from: end.seq + 1)
        }
    }

    /// The client has everything that this node has, and more, which is valid.
    private mutating func ahead() -> State {
        skipThrough = seen.seq
        return .done(
            V1Resumption(.live, epoch: seen.epoch, from: seen.seq < .max ? seen.seq + 1 : seen.seq, to: seen.seq))
    }

    private mutating func settle(_ reader: RangeReader) {
        switch reader.step {
        case .readLog, .readStore, .wait:
            state = .reading(reader)
        case .done:
            state = .done(V1Resumption(.replayed, epoch: end?.epoch, from: seen.seq + 1, to: end?.seq))
        case .overtaken:
            last = reader.last
            isOvertaken = true
            state = .searching
        case .unreachable:
            state = .done(V1Resumption(.page, epoch: end?.epoch, from: reader.last + 1, to: end?.seq))
        }
    }

    private mutating func rollBack(from: Int64) {
        isWaiting = false
        state = .done(V1Resumption(.rolledBack, epoch: isOvertaken ? nil : end?.epoch, from: from, to: last))
    }
}
