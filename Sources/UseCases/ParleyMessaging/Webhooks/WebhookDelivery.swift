package import ParleyModel

/// The delivery of the stream to one endpoint, for the process that has its lease: which request is next, and what its result
/// changes. It has neither a clock nor a connection.
///
/// - Events come in parts of the stream (`add`). A thread has one request at a time, so its events arrive in order.
/// - After a failure the thread is parked: the rest of its events leave memory, and a stored row says where it goes on
///   (`Action.park`). Other threads go on, and the part is finished without it.
/// - A parked thread that is due is read again from its place (`resume`), with its own filter, until it has met the end of
///   the part in memory (`rejoin`). Parts pass it until then.
/// - With `WebhookPolicy.maximumParked` threads parked, the next failure stops the endpoint as a whole (`pausedUntil`): the
///   part is kept, and its events are tried again.
///
/// Owned by one task.
package struct WebhookDelivery: Sendable {
    /// An order to the owner.
    package enum Action: Hashable, Sendable {
        /// Sends a request, and reports to `finished`.
        case send(WebhookItem)
        /// Stores that a thread waits before this event.
        case park(WebhookItem, WebhookAttempts)
        /// Stores that a parked thread waits after this event.
        case advance(WebhookItem)
        /// Stores an event as a dead letter. The thread goes on after it.
        case bury(WebhookItem, WebhookAttempts)
        /// Disables the endpoint, which has answered 410.
        case disable
    }

    private struct Line {
        var waiting: [WebhookItem] = []
        var isSending = false
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

    /// The parked threads that are to be read again, by the time of their next attempts. At most
    /// `WebhookPolicy.maximumRequests` are in memory at once.
    package func due(at now: Int64) -> [ThreadID] {
        let places = policy.maximumRequests - lines.keys.count(where: { parked[$0] != nil })
        return parked.filter { $0.value.next <= now && lines[$0.key] == nil }
            .sorted { ($0.value.next, $0.key.text) < ($1.value.next, $1.key.text) }
            .prefix(max(0, places)).map(\.key)
    }

    /// The time at which `next` or `due` has something, in Unix milliseconds; `nil` if a result or a part has to come first.
    package var nextTime: Int64? {
        guard !isDisabled, requests < limit else { return nil }
        let threads = parked.filter { lines[$0.key] == nil }.map(\.value.next)
        let ready = lines.values.filter { !$0.isSending }.map(\.attempts.next)
        return (threads + ready).min().map { max($0, pause.next) }
    }

    /// The maximum number of requests now. An endpoint that has failed as a whole is tried with one.
    private var limit: Int { pause.count > 0 ? 1 : policy.maximumRequests }

    /// Adds the events of a parked thread from its place on.
    package mutating func resume(_ thread: ThreadID, with items: [WebhookItem]) {
        guard let attempts = parked[thread], lines[thread] == nil else { return }
        for item in items where item.thread == thread { append(item) }
        lines[thread]?.attempts = attempts
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
        for thread in order where requests < limit {
            guard var line = lines[thread], !line.isSending, let item = line.waiting.first, line.attempts.next <= now
            else { continue }
            line.isSending = true
            lines[thread] = line
            requests += 1
            actions.append(.send(item))
        }
        return actions
    }

    /// Records the result of a request. One that was not sent by `next` has no effect.
    package mutating func finished(
        _ item: WebhookItem, _ outcome: WebhookOutcome, at now: Int64, using generator: inout some RandomNumberGenerator
    ) -> [Action] {
        guard var line = lines[item.thread], line.isSending, line.waiting.first == item else { return [] }
        line.isSending = false
        requests -= 1
        lines[item.thread] = line
        switch outcome {
        case .accepted:
            pause = WebhookAttempts()
            return pass(item)
        case .gone:
            isDisabled = true
            return [.disable]
        case .later, .refused, .failed:
            return retry(item, line, outcome, at: now, using: &generator)
        }
    }

    private mutating func retry(
        _ item: WebhookItem, _ line: Line, _ outcome: WebhookOutcome, at now: Int64,
        using generator: inout some RandomNumberGenerator
    ) -> [Action] {
        var attempts = line.attempts
        guard attempts.fail(outcome, at: now, policy, using: &generator) else {
            return [.bury(item, attempts)] + pass(item)
        }
        guard parked[item.thread] != nil || parked.count < policy.maximumParked else {
            lines[item.thread]?.attempts = attempts
            // The whole endpoint waits as long as it fails, whichever event it was; the event itself gives up in time.
            if pause.next <= now { _ = pause.fail(outcome, at: now, policy, using: &generator) }
            return []
        }
        parked[item.thread] = attempts
        remove(item.thread)
        return [.park(item, attempts)]
    }

    /// Goes on after an event.
    private mutating func pass(_ item: WebhookItem) -> [Action] {
        guard var line = lines[item.thread] else { return [] }
        line.waiting.removeFirst()
        line.attempts = WebhookAttempts()
        lines[item.thread] = line
        if line.waiting.isEmpty { remove(item.thread) }
        guard parked[item.thread] != nil else { return [] }
        parked[item.thread] = WebhookAttempts()
        return [.advance(item)]
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
