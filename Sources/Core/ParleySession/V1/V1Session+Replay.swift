package import ParleyModel
import ParleyWire

/// Reads from the log and the store for one client.
extension V1Session {
    /// The result of `findEnds`: the positions of the threads' logs in the order of deliveries, without threads that
    /// have no events; `nil` if unavailable at the moment.
    /// - Parameter away: threads whose log cannot be reached; they are not resumed, and `becameAvailable` follows.
    package mutating func foundEnds(
        _ ends: [ThreadID: Position]?, unavailable away: Set<ThreadID> = [], at moment: Moment,
        _ actions: inout [Action]
    ) {
        switch operation {
        case .page(var paging):
            guard let ends else { return fail(paging, at: moment, &actions) }
            paging.begin(head: ends[paging.request.thread])
            go(on: paging, at: moment.now, &actions)
        case .resume(var resuming):
            guard let ends else { return failed(resuming, at: moment.now, &actions) }
            guard let waiting = resuming.foundEnds(ends, unavailable: away) else { return }
            unavailable.merge(waiting) { $1 }
            // The client may lack events before the held ones; `becameAvailable` covers both.
            for thread in waiting.keys { hold?.forget(thread) }
            for (thread, end) in ends {
                // It is back already, and resumed from what the client has; hello has named no position.
                unavailable[thread] = nil
                skips[thread] = nil
                hold?.drop(thread, through: end)
            }
            go(on: resuming, at: moment.now, &actions)
        default:
            return
        }
        advance(at: moment, &actions)
        closeIfDone(&actions)
    }

    /// The result of `readLog`; `nil` if the log is unavailable.
    package mutating func readLog(
        _ thread: ThreadID, _ slice: LogSlice?, at moment: Moment, _ actions: inout [Action]
    ) {
        switch operation {
        case .page(var paging):
            guard paging.request.thread == thread else { return }
            guard slice != nil else { return fail(paging, at: moment, &actions) }
            paging.log(slice)
            go(on: paging, at: moment.now, &actions)
        case .resume(var resuming):
            let events = resuming.log(thread, slice)
            guard slice != nil else { return failed(resuming, at: moment.now, &actions) }
            send(events, of: resuming, at: moment.now, &actions)
        default:
            return
        }
        advance(at: moment, &actions)
        closeIfDone(&actions)
    }

    /// The result of `readStore`; `nil` if the store is unavailable.
    package mutating func readStore(
        _ thread: ThreadID, _ page: LogPage?, at moment: Moment, _ actions: inout [Action]
    ) {
        switch operation {
        case .page(var paging):
            guard paging.request.thread == thread else { return }
            guard page != nil else { return fail(paging, at: moment, &actions) }
            paging.store(page)
            go(on: paging, at: moment.now, &actions)
        case .resume(var resuming):
            // The time limit is for a store that tells nothing.
            if page != nil { timers.clear(.storeTimeout) }
            let events = resuming.store(thread, page)
            send(events, of: resuming, at: moment.now, &actions)
        default:
            return
        }
        advance(at: moment, &actions)
        closeIfDone(&actions)
    }

    /// Retries what was unavailable.
    mutating func retry(at now: Int64, _ actions: inout [Action]) {
        switch operation {
        case .page(var paging):
            guard paging.reader?.step == .wait else { return }
            paging.retry()
            go(on: paging, at: now, &actions)
        case .resume(var resuming):
            resuming.retry(&actions)
            go(on: resuming, at: now, &actions)
        default:
            return
        }
    }

    // MARK: Pages

    private mutating func go(on paging: Paging, at now: Int64, _ actions: inout [Action]) {
        operation = .page(paging)
        let thread = paging.request.thread
        switch paging.reader?.step {
        case .readLog(let after, let limit):
            actions.append(.readLog(thread, after: after, limit: limit))
        case .readStore(let after, let limit):
            actions.append(.readStore(thread, after: after, limit: limit))
        case .wait:
            arm(.retry, at: now + Self.retryDelay, now, &actions)
        case .done:
            operation = nil
            reply(paging.number, .page(paging.page), &actions)
        case .overtaken, .unreachable, nil:
            operation = nil
            fail(paging.number, .unavailable, &actions)
        }
    }

    private mutating func fail(
        _ paging: Paging, at moment: Moment, _ actions: inout [Action]
    ) {
        operation = nil
        fail(paging.number, .unavailable, &actions)
        advance(at: moment, &actions)
        closeIfDone(&actions)
    }

    // MARK: Resume

    /// Sends what was read; the next read waits until the client has taken it.
    private mutating func send(
        _ events: [LogEvent], of resuming: Resuming, at now: Int64, _ actions: inout [Action]
    ) {
        if !events.isEmpty {
            actions.append(.replay(events))
            awaitDrain(&actions)
        }
        go(on: resuming, at: now, &actions)
    }

    /// Emits the next requests, or ends the resume.
    mutating func go(on resuming: Resuming, at now: Int64, _ actions: inout [Action]) {
        var resuming = resuming
        if !awaitsDrain { resuming.request(&actions) }
        guard resuming.isDone else {
            operation = .resume(resuming)
            if resuming.isWaiting, !timers.isSet(.retry) {
                arm(.retry, at: now + Self.retryDelay, now, &actions)
            }
            limitSearch(of: resuming, at: now, &actions)
            return
        }
        operation = nil
        timers.clear(.retry)
        timers.clear(.storeTimeout)
        actions.append(.send(.resumed(resuming.results, ref: resuming.ref)))
        skips.merge(resuming.skips) { $1 }
        for (thread, seen) in skips { hold?.trim(thread, through: seen.seq) }
        goLive(&actions)
    }

    /// Limits how long the store may leave open what of an ended epoch is valid.
    private mutating func limitSearch(of resuming: Resuming, at now: Int64, _ actions: inout [Action]) {
        if !resuming.isSearching {
            timers.clear(.storeTimeout)
        } else if !timers.isSet(.storeTimeout) {
            arm(.storeTimeout, at: now + Self.storeLimit, now, &actions)
        }
    }

    /// The store has not told what of an ended epoch is valid: the client keeps what it has, and resumes again.
    mutating func endSearch(_ actions: inout [Action]) {
        guard case .resume(let resuming)? = operation, resuming.isSearching else { return }
        close(.unavailable, &actions)
    }

    /// A request of the resume failed: a client that cannot be brought up to date must not continue.
    mutating func failed(_ resuming: Resuming, at now: Int64, _ actions: inout [Action]) {
        var resuming = resuming
        guard !resuming.failed(at: now) else { return close(.unavailable, &actions) }
        operation = .resume(resuming)
        arm(.retry, at: now + Self.retryDelay, now, &actions)
    }
}
