package import ParleyMessaging
package import ParleyModel

/// The events of one endpoint in memory, and its progress, while a process sends to it.
///
/// `progress` can be stored at any time: events that were accepted since then are sent again after a failure of the process.
package struct WebhookRun {
    /// A request to send.
    package struct Sending: Sendable {
        package let items: [WebhookItem]
        package let events: [FeedEvent]
    }

    /// The events of a parked thread that were read from its place.
    private struct Page {
        /// The place after them.
        let next: EventCursor
        /// The ID of the last one.
        let last: String
    }

    /// The time after which events in memory are read again before they are sent, in milliseconds: their texts may have been
    /// deleted since.
    package static let staleness: Int64 = 5_000
    /// The reason for which an endpoint is disabled that has answered 410.
    static let gone = "the endpoint has answered 410"

    package private(set) var progress: WebhookProgress
    private var delivery: WebhookDelivery
    private let query: EventQuery
    /// The events that are in memory, by ID.
    private var events: [String: FeedEvent] = [:]
    /// The IDs of the events of the part in memory that were accepted, and the last one of each thread.
    private var accepted: Set<String> = []
    private var acceptedLast: [ThreadID: String] = [:]
    /// The place after the part in memory.
    private var partEnd: EventCursor
    private var pages: [ThreadID: Page] = [:]
    /// Parked threads whose place is after the part in memory.
    private var ahead: Set<ThreadID> = []
    /// The time at which the oldest event in memory was read, in Unix milliseconds.
    private var oldest: Int64?
    /// Whether `progress` has changed since it was stored.
    private(set) var isChanged = false
    private var random = SystemRandomNumberGenerator()

    package init(_ webhook: Webhook, _ policy: WebhookPolicy) {
        progress = webhook.progress
        query = webhook.settings.query
        partEnd = webhook.progress.place
        var policy = policy
        policy.batch = webhook.settings.batch
        delivery = WebhookDelivery(
            policy,
            parked: webhook.progress.waiting.mapValues {
                WebhookAttempts(count: $0.attempts, firstFailure: $0.firstFailure, next: $0.next)
            })
    }

    mutating func stored() { isChanged = false }

    /// Whether the endpoint has answered 410, or cannot continue.
    var isDisabled: Bool { progress.disabled != nil }

    mutating func disable(_ reason: String) {
        progress.disabled = reason
        isChanged = true
    }

    /// The time until which the endpoint as a whole waits, in Unix milliseconds.
    var pausedUntil: Int64 { delivery.pausedUntil }

    // MARK: Reading

    /// The query for the next part of the stream; `nil` while the last one is not finished.
    package mutating func nextPart(at now: Int64) -> (after: EventCursor, EventQuery)? {
        if delivery.isFinished, partEnd != progress.place {
            progress.place = partEnd
            isChanged = true
            accepted = []
            acceptedLast = [:]
            ahead = []
        }
        guard delivery.pausedUntil <= now else { return nil }
        if let oldest, now &- oldest > Self.staleness, delivery.forget() {
            pages = [:]
            events = [:]
            self.oldest = nil
            // The part is not passed if it cannot be read again now.
            partEnd = progress.place
        }
        return delivery.isFinished ? (progress.place, query) : nil
    }

    /// Adds a part of the stream.
    package mutating func add(_ page: EventFeedPage, at now: Int64) {
        partEnd = page.next
        if events.isEmpty { oldest = now }
        var items: [WebhookItem] = []
        for event in page.entries where !accepted.contains(event.feedID) {
            guard progress.waiting[event.order] == nil else { continue }
            events[event.feedID] = event
            items.append(WebhookItem(id: event.feedID, thread: event.order))
        }
        delivery.add(items)
    }

    /// The query for the events of a parked thread that is due.
    func nextThread(at now: Int64) -> (ThreadID, after: EventCursor, EventQuery)? {
        guard let thread = delivery.due(at: now, except: ahead).first, let wait = progress.waiting[thread] else {
            return nil
        }
        let part =
            RowLane(order: thread).map { lane in
                EventQuery(kinds: [], rows: [lane], thread: query.thread, user: query.user, limit: 50)
            } ?? EventQuery(kinds: query.kinds, thread: thread, user: query.user, limit: 50)
        return (thread, wait.place, part)
    }

    /// Adds events of a parked thread.
    mutating func add(_ page: EventFeedPage, of thread: ThreadID, at now: Int64) {
        guard var wait = progress.waiting[thread] else { return }
        if events.isEmpty { oldest = now }
        var events = page.entries[...]
        if let index = events.firstIndex(where: { $0.feedID == wait.delivered }) {
            events = events.suffix(from: index + 1)
        }
        if let last = events.last {
            for event in events { self.events[event.feedID] = event }
            pages[thread] = Page(next: page.next, last: last.feedID)
            delivery.resume(thread, with: events.map { WebhookItem(id: $0.feedID, thread: thread) })
            return
        }
        guard partEnd.isCovered(by: page.next) else {
            wait.place = page.next
            wait.delivered = nil
            progress.waiting[thread] = wait
            isChanged = true
            return
        }
        guard wait.place.isCovered(by: partEnd) else {
            ahead.insert(thread)
            return
        }
        progress.waiting[thread] = nil
        isChanged = true
        delivery.rejoin(thread)
    }

    // MARK: Sending

    /// The time at which there is something to send or to read; `nil` if a result has to come first.
    var nextTime: Int64? { delivery.nextTime }

    /// The requests that may begin now.
    package mutating func next(at now: Int64) -> [Sending] {
        delivery.next(at: now).compactMap { action in
            guard case .send(let items) = action else { return nil }
            return Sending(items: items, events: items.compactMap { events[$0.id] })
        }
    }

    /// Records the result of a request.
    /// - Returns: The events that are given up.
    package mutating func finished(_ sending: Sending, _ outcome: WebhookOutcome, at now: Int64) -> [DeadLetter] {
        if let failure = outcome.failure {
            progress.failureMilliseconds = now
            progress.failure = failure
        } else {
            progress.successMilliseconds = now
            for item in sending.items {
                events[item.id] = nil
                accepted.insert(item.id)
                acceptedLast[item.thread] = item.id
            }
        }
        isChanged = true
        var letters: [DeadLetter] = []
        for action in delivery.finished(sending.items, outcome, at: now, using: &random) {
            switch action {
            case .send: break
            case .park(let item, let attempts): park(item.thread, attempts)
            case .advance(let item): advance(item)
            case .bury(let item, let attempts):
                acceptedLast[item.thread] = item.id
                accepted.insert(item.id)
                events[item.id] = nil
                letters.append(
                    DeadLetter(
                        event: item.id, attempts: attempts.count, reason: outcome.failure ?? "",
                        failedMilliseconds: now))
            case .disable: disable(Self.gone)
            }
        }
        return letters
    }

    private mutating func park(_ thread: ThreadID, _ attempts: WebhookAttempts) {
        var wait =
            progress.waiting[thread]
            ?? WebhookWait(
                place: progress.place, delivered: acceptedLast[thread], attempts: 0, firstFailure: nil, next: 0)
        wait.attempts = attempts.count
        wait.firstFailure = attempts.firstFailure
        wait.next = attempts.next
        progress.waiting[thread] = wait
        pages[thread] = nil
        for (id, event) in events where event.order == thread { events[id] = nil }
    }

    private mutating func advance(_ item: WebhookItem) {
        guard var wait = progress.waiting[item.thread] else { return }
        wait.delivered = item.id
        if let page = pages[item.thread], page.last == item.id {
            wait.place = page.next
            wait.delivered = nil
            pages[item.thread] = nil
        }
        wait.attempts = 0
        wait.firstFailure = nil
        wait.next = 0
        progress.waiting[item.thread] = wait
    }
}
