package import ParleyModel
package import ParleyWire

/// How one thread goes on for a client that has seen it up to a position: which events it is sent again, and what it
/// is told.
///
/// A value without a clock; its owner carries out `step` and hands in the answers. `end` is where the live events
/// begin: the client gets all above it in their order, and none of those up to it, which are this machine's part.
package struct ThreadReplay: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        case readLog(after: Int64, limit: Int)
        case readStore(after: Int64, limit: Int)
        /// Wait a moment, then call `retry`.
        case wait
        case done(V1Resumption)
    }

    /// How many events are asked for, and sent, at once, unless said otherwise.
    package static let usualChunk = 64
    /// How far back the end of a former numbering is looked for.
    package static let searchDepth: Int64 = 1000

    private enum State: Hashable {
        /// Whether the log has the position that is above all that this node has seen.
        case comparing
        /// What the store has of the numbering that the client knows; `tries` are left.
        case searching(tries: Int)
        case reading(RangeReader)
        case done(V1Resumption)
    }

    package let thread: ThreadID
    private let seen: Position
    private let end: Position?
    private let chunk: Int
    private var state: State
    private var isWaiting = false
    /// The client has seen everything up to this seq, with what it was sent here.
    private var last: Int64
    /// The numbering has started over while the client was being sent events; its new name is not known.
    private var isOvertaken = false
    /// If not `nil`, live events up to this seq are not for the client, which has seen them elsewhere.
    package private(set) var skipThrough: Int64?

    /// - Parameters:
    ///   - seen: what the client names.
    ///   - end: everything above is live for the client; `nil` for a thread without events so far.
    package init(_ thread: ThreadID, seen: Position, end: Position?, chunk: Int = usualChunk) {
        self.thread = thread
        self.seen = seen
        self.end = end
        self.chunk = chunk
        last = seen.seq
        let from = seen.seq + (seen.seq < .max ? 1 : 0)
        guard let end else {
            // Nothing was seen of nothing; anything else was lost.
            state = .done(
                seen.seq == 0
                    ? V1Resumption(.live, from: 1, to: 0) : V1Resumption(.rolledBack, from: 1, to: seen.seq))
            return
        }
        // Who has seen nothing has nothing that could be void.
        if seen.seq > 0, seen.epoch != end.epoch {
            state = .searching(tries: 3)
        } else if seen.seq > end.seq {
            state = .comparing
        } else if seen.seq == end.seq {
            state = .done(V1Resumption(.live, epoch: end.epoch, from: from, to: end.seq))
        } else if end.seq - seen.seq > V1Limits.replayEvents {
            state = .done(V1Resumption(.page, epoch: end.epoch, from: from, to: end.seq))
        } else {
            state = .reading(
                RangeReader(epoch: end.epoch, after: seen.seq, through: end.seq, chunk: chunk))
        }
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

    private static func step(of reader: RangeReader) -> Step {
        switch reader.step {
        case .readLog(let after, let limit): .readLog(after: after, limit: limit)
        case .readStore(let after, let limit): .readStore(after: after, limit: limit)
        // `settle` has dealt with the ends.
        case .wait, .done, .overtaken, .unreachable: .wait
        }
    }

    // MARK: Answers

    /// The answer to `readLog`; `nil` if the log is away.
    /// - Returns: what is to be sent, in order.
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
            let events = reader.log(slice)
            settle(reader)
            return events
        case .searching, .done:
            return []
        }
    }

    /// The answer to `readStore`; `nil` if the store is away.
    /// - Returns: what is to be sent, in order.
    package mutating func store(_ page: LogPage?) -> [LogEvent] {
        switch state {
        case .searching(let tries):
            guard let page else {
                state = .searching(tries: tries - 1)
                isWaiting = true
                if tries <= 1 { rollBack(from: 1) }
                return []
            }
            let known = page.events.last { $0.position.epoch == seen.epoch && $0.position.seq <= last }
            rollBack(from: (known?.position.seq ?? 0) + 1)
            return []
        case .reading(var reader):
            let events = reader.store(page)
            settle(reader)
            return events
        case .comparing, .done:
            return []
        }
    }

    /// A moment has passed.
    package mutating func retry() {
        isWaiting = false
        guard case .reading(var reader) = state else { return }
        reader.retry()
        settle(reader)
    }

    /// The client is no member of the thread any more.
    package mutating func deny() {
        isWaiting = false
        state = .done(V1Resumption(.denied))
    }

    // MARK: Ends

    private mutating func compare(_ slice: LogSlice) {
        guard let end else { return }
        if slice.epoch == seen.epoch, slice.events.contains(where: { $0.position.seq == seen.seq }) {
            skipThrough = seen.seq
            state = .done(
                V1Resumption(
                    .live, epoch: end.epoch, from: seen.seq < .max ? seen.seq + 1 : seen.seq, to: seen.seq))
        } else {
            // Nobody has what the client has seen.
            rollBack(from: end.seq + 1)
        }
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
            state = .searching(tries: 3)
        case .unreachable:
            state = .done(V1Resumption(.page, epoch: end?.epoch, from: reader.last + 1, to: end?.seq))
        }
    }

    private mutating func rollBack(from: Int64) {
        isWaiting = false
        state = .done(V1Resumption(.rolledBack, epoch: isOvertaken ? nil : end?.epoch, from: from, to: last))
    }
}
