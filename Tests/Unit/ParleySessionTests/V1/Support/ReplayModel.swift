import ParleyModel
import ParleySession
import ParleyWire

/// One thread, its log and store, a node and a client that resumes. Everything that can happen next is a move, and
/// moves can be taken in any order the model allows. A value, so that every order can be tried.
struct ReplayModel {
    enum Move: Hashable {
        /// A send: the event is in the log, and on its way to the node.
        case send
        /// The persister stores the next event of the log.
        case store
        /// The node passes the next pending input to the session.
        case deliver
        /// The node reports where live events begin, in order with the pending inputs.
        case answerEnds
        /// The log or the store is read; the result contains what is there at this time.
        case read
        /// The result arrives.
        case reply
        /// The client takes what waits for it.
        case drain
        case wake
    }

    struct Settings: CustomStringConvertible {
        /// Events in the log at first.
        var initial: Int64 = 2
        /// Events that are sent later.
        var later: Int64 = 2
        /// The last seq seen by the client.
        var seen: Int64 = 0
        /// The number of events that the log keeps; the store eventually has the others.
        var window: Int64 = 100
        /// The stored seq at first.
        var stored: Int64 = 0
        /// Bytes of an event.
        var bytes = 100
        /// Events per read.
        var chunk = 64

        var description: String {
            "\(initial)+\(later) events, seen \(seen), window \(window), stored \(stored), \(bytes) bytes, chunk \(chunk)"
        }
    }

    private enum Delivery {
        case event(Int64)
        case ends(Int64)
    }

    private enum Reply {
        case log(LogSlice)
        case store(LogPage)
    }

    private static let thread = V1Run.room

    let settings: Settings
    private var run: V1Run
    private var head: Int64
    private var stored: Int64
    private var onItsWay: [Delivery] = []
    private var wantsEnds = false
    private var request: V1Session.Action?
    private var reply: Reply?
    private var wantsDrain = false
    private var wantsWake = false
    /// Since the last wake of the session.
    private var hasStored = false
    /// The client has everything up to here, or knows where to fetch it.
    private(set) var seen: Int64
    private(set) var resumption: V1Resumption?
    /// The first violation.
    private(set) var fault: String?

    init(_ settings: Settings) {
        self.settings = settings
        run = V1Run(isLive: false)
        run.session = V1Session(outboundBytes: 65_536, replayChunk: settings.chunk)
        head = settings.initial
        stored = settings.stored
        seen = settings.seen
        _ = run.open()
        perform(run.receive(.resume([Self.thread: V1Run.position(settings.seen)])))
    }

    /// Everything that can happen next.
    var moves: [Move] {
        var moves: [Move] = []
        if head < settings.initial + settings.later { moves.append(.send) }
        if mayStore { moves.append(.store) }
        if !onItsWay.isEmpty { moves.append(.deliver) }
        if wantsEnds { moves.append(.answerEnds) }
        if request != nil, reply == nil { moves.append(.read) }
        if reply != nil { moves.append(.reply) }
        if wantsDrain { moves.append(.drain) }
        // A busy persister is faster than the session's timers.
        if wantsWake, !mayStore || hasStored { moves.append(.wake) }
        return moves
    }

    /// The store matters only if the log does not have everything.
    private var mayStore: Bool { stored < head && settings.window < settings.initial + settings.later }

    /// The violation at the end, when no more moves are possible.
    var finding: String? {
        if let fault { return fault }
        if resumption == nil { return "the resume did not end" }
        if seen != head { return "the client has \(seen) of \(head)" }
        return nil
    }

    mutating func take(_ move: Move) {
        switch move {
        case .send:
            head += 1
            onItsWay.append(.event(head))
        case .store:
            stored += 1
            hasStored = true
        case .deliver:
            deliver(onItsWay.removeFirst())
        case .answerEnds:
            wantsEnds = false
            // The log's end is the position after all pending events.
            onItsWay.append(.ends(head))
        case .read:
            reply = read()
        case .reply:
            let given = reply
            (reply, request) = (nil, nil)
            switch given {
            case .log(let slice): perform(run.readLog(slice))
            case .store(let page): perform(run.readStore(page))
            case nil: break
            }
        case .drain:
            wantsDrain = false
            run.client.waitingBytes = 0
            perform(run.drained())
        case .wake:
            wantsWake = false
            hasStored = false
            perform(run.wake(after: V1Session.retryDelay))
        }
    }

    private mutating func deliver(_ delivery: Delivery) {
        switch delivery {
        case .event(let seq):
            let result = run.deliver(seq...seq, bytes: settings.bytes)
            if result.isWritten { receive([seq], isReplay: false) }
            perform(result.actions)
        case .ends(let seq):
            perform(run.findEnds(seq > 0 ? [Self.thread: V1Run.position(seq)] : [:]))
        }
    }

    private func read() -> Reply? {
        switch request {
        case .readLog(_, let after, let limit):
            let begin = max(1, head - settings.window + 1)
            let from = max(begin, after + 1)
            let events = from <= head ? V1Run.events(from...min(head, from + Int64(limit) - 1)) : []
            return .log(LogSlice(epoch: V1Run.epoch, events: events, end: 0, isTruncated: after < begin - 1))
        case .readStore(_, let after, let limit):
            let end = min(stored, after + Int64(limit))
            let events = after < end ? V1Run.events(after + 1...end) : []
            return .store(LogPage(events: events, hasMore: end < stored, head: V1Run.head(stored)))
        default:
            return nil
        }
    }

    private mutating func perform(_ actions: [V1Session.Action]) {
        for action in actions {
            switch action {
            case .findEnds: wantsEnds = true
            case .readLog, .readStore:
                if request != nil { fault = fault ?? "two questions at once" }
                request = action
            case .awaitDrain: wantsDrain = true
            case .wake(let after): wantsWake = wantsWake || after < V1Session.holdTime
            case .replay(let events):
                write(events.map(\.position.seq), isReplay: true)
            case .write(let held):
                write(held.compactMap { $0.frame.position?.seq }, isReplay: false)
            case .send(.resumed(let threads, _)):
                finish(threads[Self.thread])
            case .send(.behind(let ranges)):
                if let range = ranges[Self.thread] { skip(range) }
            case .close(let reason):
                fault = fault ?? "closed: \(reason)"
            default:
                break
            }
        }
    }

    // MARK: The client

    private mutating func receive(_ seqs: [Int64], isReplay: Bool) {
        for seq in seqs {
            if isReplay != (resumption == nil) { fault = fault ?? "\(seq) came on the wrong side of resumed" }
            if seq != seen + 1 { fault = fault ?? "\(seq) came after \(seen)" }
            seen = seq
        }
        run.client.waitingBytes += seqs.count * settings.bytes
    }

    /// Events written by an action: the session has not counted their bytes.
    private mutating func write(_ seqs: [Int64], isReplay: Bool) {
        run.session.wrote(seqs.count * settings.bytes)
        receive(seqs, isReplay: isReplay)
    }

    private mutating func finish(_ resumption: V1Resumption?) {
        if self.resumption != nil { fault = fault ?? "resumed twice" }
        self.resumption = resumption
        switch resumption?.state {
        case .live, .replayed:
            if resumption?.to != seen { fault = fault ?? "\(seen) at \(String(describing: resumption))" }
        case .page:
            guard let range = resumption, let from = range.from, let to = range.to else { return }
            skip(from...to)
        default:
            fault = fault ?? "\(String(describing: resumption))"
        }
    }

    private mutating func skip(_ range: ClosedRange<Int64>) {
        if range.lowerBound != seen + 1 { fault = fault ?? "\(range) is told after \(seen)" }
        seen = range.upperBound
    }
}
