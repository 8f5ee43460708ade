package import ParleyModel

/// The delivery of the stream to one endpoint, for the process that has its lease: which request is next, and what its result
/// changes. It has neither a clock nor a connection.
///
/// - Events come in parts of the stream (`add`). A thread has one request at a time, so its events arrive in order. A request
///   has up to `WebhookPolicy.batch` events, of one or more threads.
/// - After a failure the thread is parked: the rest of its events leave memory, and its place is stored (`Action.park`). Other
///   threads continue, and the part is finished without it. A request with several events parks none: the threads of its events
///   send one at a time until their first one has passed, which finds the one that is refused.
/// - A parked thread that is due is read again from its place (`resume`), with its own filter, until it has met the end of
///   the part in memory (`rejoin`). Parts pass it until then.
/// - With `WebhookPolicy.maximumParked` threads parked, or after `WebhookPolicy.maximumFailures` in a row, a failure stops the
///   endpoint as a whole (`pausedUntil`): the part is kept, and its events are tried again, with one request at first.
///
/// Owned by one task.
package struct WebhookDelivery: Sendable {
    /// An order to the owner.
    package enum Action: Hashable, Sendable {
        /// Sends a request, and reports to `finished`.
        case send([WebhookItem])
        /// Stores that a thread waits before this event.
        case park(WebhookItem, WebhookAttempts)
        /// Stores that a parked thread waits after this event.
        case advance(WebhookItem)
        /// Stores an event as a dead letter. The thread continues after it.
        case bury(WebhookItem, WebhookAttempts)
        /// Disables the endpoint, which has answered 410.
        case disable
    }

    private struct Line {
        var waiting: [WebhookItem] = []
        /// The number of its first events that are on the way.
        var sent = 0
        /// Whether its next event is sent alone.
        var isAlone = false
        var attempts = WebhookAttempts()
    }

    private let policy: WebhookPolicy
    /// The threads that have events in memory.
    private var lines: [ThreadID: Line] = [:]
    /// The threads of `lines` in the order in which they may send.
    private var order: [ThreadID] = []
    /// The attempts of the first event of each thread that is parked, also of one whose events are in memory.
    private var parked: [ThreadID: WebhookAttempts]
    private var requests = 0
    /// The number of failures since the last request that was accepted.
    private var failures = 0
    private var isDisabled = false
    /// The attempts of the endpoint as a whole while it waits.
    private var pause = WebhookAttempts()

    /// - Parameter parked: The stored rows of the endpoint.
    package init(_ policy: WebhookPolicy, parked: [ThreadID: WebhookAttempts] = [:]) {
        self.policy = policy
        self.parked = parked
    }

    /// Whether the last part is finished: each of its events is accepted, buried, or after the place of a parked thread.
    package var isFinished: Bool { lines.allSatisfy { parked[$0.key] != nil } }

    /// The time until which the endpoint as a whole waits, in Unix milliseconds; 0 if it does not.
    package var pausedUntil: Int64 { pause.next }

    package var parkedCount: Int { parked.count }

    /// Adds the next part of the stream. Events of parked threads are left to `resume`.
    package mutating func add(_ items: [WebhookItem]) {
        for item in items where parked[item.thread] == nil { append(item) }
    }

    /// The parked threads that will be read again, by the time of their next attempts. At most
    /// `WebhookPolicy.maximumRequests` are in memory at once.
    /// - Parameter others: Threads that wait for the next part.
    package func due(at now: Int64, except others: Set<ThreadID> = []) -> [ThreadID] {
        let places = policy.maximumRequests - lines.keys.count(where: { parked[$0] != nil })
        return parked.filter { $0.value.next <= now && lines[$0.key] == nil && !others.contains($0.key) }
            .sorted { ($0.value.next, $0.key.text) < ($1.value.next, $1.key.text) }
            .prefix(max(0, places)).map(\.key)
    }

    /// The time at which `next` or `due` has something, in Unix milliseconds; `nil` if a result or a part has to come first.
    package var nextTime: Int64? {
        guard !isDisabled, requests < limit else { return nil }
        let threads = parked.filter { lines[$0.key] == nil }.map(\.value.next)
        let ready = lines.values.filter { $0.sent == 0 }.map(\.attempts.next)
        return (threads + ready).min().map { max($0, pause.next) }
    }

    /// The maximum number of requests now. An endpoint that has failed as a whole is tried with one.
    private var limit: Int { pause.count > 0 ? 1 : policy.maximumRequests }

    /// Adds the events of a parked thread from its place on.
    package mutating func resume(_ thread: ThreadID, with items: [WebhookItem]) {
        guard let attempts = parked[thread], lines[thread] == nil else { return }
        for item in items where item.thread == thread { append(item) }
        lines[thread]?.attempts = attempts
        lines[thread]?.isAlone = true
    }

    /// Removes a parked thread that has no event from its place to the end of the last part, which has passed it. Later parts
    /// have its events again.
    package mutating func rejoin(_ thread: ThreadID) {
        guard lines[thread] == nil else { return }
        parked[thread] = nil
    }

    /// Returns the requests that may begin now.
    package mutating func next(at now: Int64) -> [Action] {
        guard !isDisabled, pause.next <= now else { return [] }
        var actions: [Action] = []
        var batch: [WebhookItem] = []
        for thread in order where requests < limit {
            guard var line = lines[thread], line.sent == 0, !line.waiting.isEmpty, line.attempts.next <= now else {
                continue
            }
            line.sent = line.isAlone ? 1 : min(line.waiting.count, policy.batch - batch.count)
            lines[thread] = line
            let items = line.waiting.prefix(line.sent)
            if line.isAlone {
                requests += 1
                actions.append(.send(Array(items)))
                continue
            }
            batch += items
            guard batch.count == policy.batch else { continue }
            requests += 1
            actions.append(.send(batch))
            batch = []
        }
        guard !batch.isEmpty else { return actions }
        guard requests < limit else {
            // Single events took the last place.
            for item in batch { lines[item.thread]?.sent = 0 }
            return actions
        }
        requests += 1
        return actions + [.send(batch)]
    }

    /// Records the result of a request. One that was not sent by `next` has no effect.
    package mutating func finished(
        _ items: [WebhookItem], _ outcome: WebhookOutcome, at now: Int64,
        using generator: inout some RandomNumberGenerator
    ) -> [Action] {
        let counts = Dictionary(items.map { ($0.thread, 1) }, uniquingKeysWith: +)
        let isExpected = counts.allSatisfy { thread, count in
            guard let line = lines[thread], line.sent == count else { return false }
            return Array(line.waiting.prefix(count)) == items.filter { $0.thread == thread }
        }
        guard isExpected, let first = items.first else { return [] }
        for thread in counts.keys { lines[thread]?.sent = 0 }
        requests -= 1
        switch outcome {
        case .accepted:
            pause = WebhookAttempts()
            failures = 0
            return items.flatMap { pass($0) }
        case .gone:
            isDisabled = true
            return [.disable]
        case .later, .refused, .failed:
            failures = min(failures, Int(Int32.max)) + 1
            if items.count == 1 { return retry(first, outcome, at: now, using: &generator) }
            for thread in counts.keys { lines[thread]?.isAlone = true }
            if outcome.isForAll || failures > policy.maximumFailures { stop(outcome, at: now, using: &generator) }
            return []
        }
    }

    private mutating func retry(
        _ item: WebhookItem, _ outcome: WebhookOutcome, at now: Int64, using generator: inout some RandomNumberGenerator
    ) -> [Action] {
        guard var attempts = lines[item.thread]?.attempts else { return [] }
        guard attempts.fail(outcome, at: now, policy, using: &generator) else {
            return [.bury(item, attempts)] + pass(item)
        }
        let stops = outcome.isForAll || failures > policy.maximumFailures
        guard parked[item.thread] != nil || (!stops && parked.count < policy.maximumParked) else {
            lines[item.thread]?.attempts = attempts
            lines[item.thread]?.isAlone = true
            stop(outcome, at: now, using: &generator)
            return []
        }
        if stops { stop(outcome, at: now, using: &generator) }
        parked[item.thread] = attempts
        remove(item.thread)
        return [.park(item, attempts)]
    }

    /// Stops the endpoint as a whole, as long as it fails; each event gives up in its own time.
    private mutating func stop(
        _ outcome: WebhookOutcome, at now: Int64, using generator: inout some RandomNumberGenerator
    ) {
        if pause.next <= now { _ = pause.fail(outcome, at: now, policy, using: &generator) }
    }

    /// Continues after an event.
    private mutating func pass(_ item: WebhookItem) -> [Action] {
        guard var line = lines[item.thread] else { return [] }
        line.waiting.removeFirst()
        line.attempts = WebhookAttempts()
        line.isAlone = parked[item.thread] != nil
        lines[item.thread] = line
        if line.waiting.isEmpty { remove(item.thread) }
        guard parked[item.thread] != nil else { return [] }
        parked[item.thread] = WebhookAttempts()
        return [.advance(item)]
    }

    /// Removes all events from memory unless some are on the way, so that they are read again in their present state. Attempts of
    /// threads that are not parked are forgotten.
    /// - Returns: Whether it has done so.
    package mutating func forget() -> Bool {
        guard requests == 0 else { return false }
        lines = [:]
        order = []
        return true
    }

    private mutating func append(_ item: WebhookItem) {
        if lines[item.thread] == nil { order.append(item.thread) }
        lines[item.thread, default: Line()].waiting.append(item)
    }

    private mutating func remove(_ thread: ThreadID) {
        lines[thread] = nil
        order.removeAll { $0 == thread }
    }
}
