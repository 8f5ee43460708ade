import ParleyModel
import ParleyWire

/// A `resume` in progress: first the user's access to each thread is looked up, then where live events begin, then the
/// replays are read, a few at a time.
struct Resuming: Sendable {
    /// Maximum number of concurrent replays.
    static let concurrency = 4

    private struct Active: Sendable {
        var replay: ThreadReplay
        /// A read is pending.
        var isReading = false
    }

    private enum Stage: Sendable {
        case access([ThreadID])
        case ends([ThreadID])
        case replays
    }

    let ref: Int64?
    private let requested: [ThreadID: Position]
    private let chunk: Int
    private var members: [ThreadID] = []
    /// The seq of the first event that the user sees of each of these.
    private var firstSeqs: [ThreadID: Int64] = [:]
    private var stage = Stage.replays
    /// The request of one of the first two stages is pending.
    private var isAsked = false
    private var todo: [ThreadReplay] = []
    private var active: [Active] = []
    private(set) var results: [ThreadID: V1Resumption] = [:]
    /// Live events up to these positions are not for the client.
    private(set) var skips: [ThreadID: Position] = [:]
    /// Since when requests have failed; microseconds.
    private var failingSince: Int64?

    /// - Parameters:
    ///   - chunk: how many events are read and sent at once.
    ///   - members: the requested threads on this node that the user is a member of, with the seq of the first event that
    ///     the user sees.
    init(ref: Int64?, _ requested: [ThreadID: Position], chunk: Int, members known: [ThreadID: Int64]) {
        self.ref = ref
        self.chunk = chunk
        self.requested = requested
        let threads = requested.keys.sorted { $0.text < $1.text }
        members = threads.filter { known[$0] != nil }
        firstSeqs = known
        let others = threads.filter { known[$0] == nil }
        stage = others.isEmpty ? .ends(members) : .access(others)
        skipEmptyStages()
    }

    var isDone: Bool {
        if case .replays = stage { todo.isEmpty && active.isEmpty } else { false }
    }

    /// Whether a replay waits for a retry.
    var isWaiting: Bool { active.contains { $0.replay.step == .wait } }

    /// Whether a replay waits for the store to tell what of an ended epoch is valid.
    var isSearching: Bool {
        active.contains { $0.replay.isSearching && ($0.isReading || $0.replay.step == .wait) }
    }

    // MARK: Requests

    /// Emits the requests that are needed now, none of them twice.
    mutating func request(_ actions: inout [V1Session.Action]) {
        switch stage {
        case .access(let threads) where !isAsked: actions.append(.findThreads(threads))
        case .ends(let threads) where !isAsked: actions.append(.findEnds(threads))
        case .access, .ends: break
        case .replays: advance(&actions)
        }
        isAsked = true
    }

    /// Retries failed requests.
    mutating func retry(_ actions: inout [V1Session.Action]) {
        for index in active.indices where !active[index].isReading { active[index].replay.retry() }
        request(&actions)
    }

    private mutating func advance(_ actions: inout [V1Session.Action]) {
        var index = 0
        while true {
            if index == active.count {
                guard active.count < Self.concurrency, let next = todo.popLast() else { return }
                active.append(Active(replay: next))
            }
            let replay = active[index].replay
            switch replay.step {
            case .done(let resumption):
                active.remove(at: index)
                results[replay.thread] = resumption
                if let seq = replay.skipThrough, let epoch = resumption.epoch {
                    skips[replay.thread] = Position(epoch: epoch, seq: seq)
                }
                continue
            case .readLog(let after, let limit) where !active[index].isReading:
                actions.append(.readLog(replay.thread, after: after, limit: limit))
                active[index].isReading = true
            case .readStore(let after, let limit) where !active[index].isReading:
                actions.append(.readStore(replay.thread, after: after, limit: limit))
                active[index].isReading = true
            case .readLog, .readStore, .wait:
                break
            }
            index += 1
        }
    }

    // MARK: Results

    /// - Returns: the requested positions in threads that are shown later, because it is not known yet where the log begins
    ///   for the user.
    mutating func foundThreads(_ access: [ThreadID: ThreadAccess]) -> [ThreadID: Position] {
        guard case .access(let threads) = stage, isAsked else { return [:] }
        answered()
        var waiting: [ThreadID: Position] = [:]
        for thread in threads where results[thread] == nil {
            switch access[thread] ?? .unknown {
            case .member(let membership) where membership.start?.isKnown == false:
                results[thread] = V1Resumption(.unavailable)
                waiting[thread] = requested[thread]
            case .member(let membership):
                members.append(thread)
                firstSeqs[thread] = membership.firstSeq
            case .nonMember: results[thread] = V1Resumption(.denied)
            case .unknown: results[thread] = V1Resumption(.gone)
            }
        }
        stage = .ends(members)
        skipEmptyStages()
        return waiting
    }

    /// - Returns: the requested positions in threads that are unavailable; `nil` if this was not requested.
    mutating func foundEnds(_ ends: [ThreadID: Position], unavailable: Set<ThreadID>) -> [ThreadID: Position]? {
        guard case .ends(let threads) = stage, isAsked else { return nil }
        answered()
        var waiting: [ThreadID: Position] = [:]
        // The last one is replayed first.
        for thread in threads.reversed() where results[thread] == nil {
            guard let seen = requested[thread] else { continue }
            guard !unavailable.contains(thread) else {
                results[thread] = V1Resumption(.unavailable)
                waiting[thread] = seen
                continue
            }
            todo.append(
                ThreadReplay(
                    thread, seen: seen, end: ends[thread], firstSeq: firstSeqs[thread] ?? .max, chunk: chunk))
        }
        stage = .replays
        return waiting
    }

    /// - Returns: the events to be sent.
    mutating func log(_ thread: ThreadID, _ slice: LogSlice?) -> [LogEvent] {
        guard let index = active.firstIndex(where: { $0.replay.thread == thread && $0.isReading }) else { return [] }
        active[index].isReading = false
        if slice != nil { failingSince = nil }
        return active[index].replay.log(slice)
    }

    /// - Returns: the events to be sent.
    mutating func store(_ thread: ThreadID, _ page: LogPage?) -> [LogEvent] {
        guard let index = active.firstIndex(where: { $0.replay.thread == thread && $0.isReading }) else { return [] }
        active[index].isReading = false
        return active[index].replay.store(page)
    }

    /// The client is no longer a member of the thread.
    mutating func deny(_ thread: ThreadID) {
        guard requested[thread] != nil else { return }
        results[thread] = V1Resumption(.denied)
        members.removeAll { $0 == thread }
        todo.removeAll { $0.thread == thread }
        active.removeAll { $0.replay.thread == thread }
    }

    /// A request failed.
    /// - Returns: whether requests have failed for too long.
    mutating func failed(at now: Int64) -> Bool {
        isAsked = false
        let since = failingSince ?? now
        failingSince = since
        return now - since >= V1Session.outageLimit
    }

    private mutating func answered() {
        isAsked = false
        failingSince = nil
    }

    private mutating func skipEmptyStages() {
        if case .ends(let threads) = stage, threads.isEmpty { stage = .replays }
    }
}
