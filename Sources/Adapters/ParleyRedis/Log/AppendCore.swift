package import ParleyModel

/// The appends of a `RedisLog` that are in progress, as a value: events in, actions out.
///
/// - Keeps the appends of each thread in order (`AppendLanes`), behind the look-ups of sends that may be repeats
///   (`SendLookups`).
/// - Decides on each reply of Redis or of the store whether an append is complete, is sent again, or waits for a query.
/// - Knows the lead of the hosts' clocks, by which a `clientID` proves that it is new.
///
/// The events append to `actions`. The owner performs them one after another, since commands must be sent in the order
/// of the lanes. An action that has a result reports it by the event named with it; each append has at most one such
/// action in progress. Bounded by the lanes and the look-ups.
package struct AppendCore: Sendable {
    package typealias Request = AppendLanes.Request

    /// An instruction to the owner.
    package enum Action: Sendable {
        /// Send it to Redis. Result: `replied`.
        case send(Request, PendingAppend)
        /// Claim its `clientID`. Result: `claimed`.
        case claim(Request, PendingAppend)
        /// Query the store. Result: see `StoreQuery`.
        case queryStore(StoreQuery)
        /// Load the scripts, before anything else is sent to the host.
        case loadScripts(host: Int)
        /// Publish an accepted event to Django, which cannot read it from the script.
        case publish(EventDraft, PackedHead)
        case complete(PendingAppend.Completion, Result<Receipt, AppendError>)
    }

    /// A query that appends wait for. Its subject is taken when it is performed.
    package enum StoreQuery: Hashable, Sendable {
        /// Whether the store has the sends of the next batch (`takeLookups`). Result: `lookedUp`, or `lookupsAreLate`
        /// and later `lookupsEnded`.
        case sends
        /// The end of the append's thread, and whether the store has the send. Result: `seeded`, `found` or `failed`.
        case end(Request)
        /// The state of a host's threads in the store (`takeUnchecked`). Result: `checked` or `failed`.
        case threads(host: Int)
        /// Whether the message is among the newest events of the log. Result: `notFound`, `found` or `failed`.
        case newest(Request)
    }

    /// A host's clock that falls back by this much, in milliseconds, counts as reset.
    private static let clockStep: Int64 = 5000

    let settings: RedisLogSettings
    let digest: SendDigest
    /// Whether claims are needed: with several hosts, a `clientID` used in threads of two hosts must be detected.
    let isClaimed: Bool
    /// Whether accepted messages must be published to Django.
    private let publishes: Bool
    var lanes: AppendLanes
    var lookups: SendLookups
    /// The appends whose threads must be checked, by host.
    var unchecked: [Int: [Request]] = [:]
    /// The minimum lead of each host's clock over this node's, in milliseconds; `nil` until the host has reported its
    /// time.
    private var leads: [Int64?]
    var pending: [Request: PendingAppend] = [:]
    private var lastRequest: Request = 0
    private var isStopped = false
    /// The actions to perform, in order; the owner takes them.
    package var actions: [Action] = []

    package init(_ settings: RedisLogSettings, hosts: Int, digest: SendDigest, publishes: Bool = false) {
        self.settings = settings
        self.digest = digest
        self.publishes = publishes
        isClaimed = hosts > 1
        lanes = AppendLanes(
            threads: settings.threads, waitingPerThread: settings.waitingPerThread, waiting: settings.waiting)
        lookups = SendLookups(waitingPerThread: settings.waitingPerThread, waiting: settings.waiting)
        leads = Array(repeating: nil, count: hosts)
    }

    // MARK: Appending

    /// Appends an event.
    /// - Parameter now: this node's time, in Unix milliseconds; needed for a send with a `clientID`.
    package mutating func append(_ append: PendingAppend, at now: Int64) {
        guard !isStopped else { return complete(append, .failure(.unavailable("the log has stopped"))) }
        lastRequest += 1
        let request = lastRequest
        var append = append
        var needsLookup = append.name != nil
        if needsLookup, !isClaimed {
            needsLookup = !isProvable(append, at: now)
            if needsLookup, lookups.isStuck { (needsLookup, append.isChecked) = (false, true) }
        }
        switch lookups.admit(request, to: append.draft.thread, needsLookup: needsLookup) {
        case .refused: refuse(append)
        case .proceeds: enter(request, append)
        case .waits:
            pending[request] = append
            guard needsLookup else { return }
            if isClaimed { actions.append(.claim(request, append)) } else { requestLookup(request) }
        }
    }

    /// Records that the log has stopped: nothing is appended from now on.
    package mutating func stop() {
        isStopped = true
        for append in pending.values { complete(append, .failure(.unavailable("the log has stopped"))) }
        pending = [:]
    }

    /// Puts an append into the lane of its thread.
    private mutating func enter(_ request: Request, _ append: PendingAppend) {
        let sendings = lanes.append(
            request, to: append.draft.thread, goesAlone: append.mayBeInLog, made: append.unprovenTime)
        guard let sendings else {
            pending[request] = nil
            return refuse(append)
        }
        pending[request] = append
        pending[request]?.isInLane = true
        send(sendings)
    }

    /// Continues after a send whose look-up is complete: every append of its thread that can proceed does so, in order.
    mutating func proceed(after request: Request, _ thread: ThreadID) {
        for ready in lookups.answered(request, of: thread) {
            if let append = pending[ready] { enter(ready, append) }
        }
    }

    mutating func send(_ sendings: [AppendLanes.Sending]) {
        for sending in sendings {
            pending[sending.request]?.epoch = sending.epoch
            send(sending.request)
        }
    }

    mutating func send(_ request: Request) {
        pending[request]?.attempts += 1
        guard let append = pending[request] else { return }
        actions.append(append.mayBeInLog ? .queryStore(.newest(request)) : .send(request, append))
    }

    // MARK: Replies of Redis

    /// Records the reply of Redis to an append.
    /// - Parameters:
    ///   - isUnmarked: it was sent before the incarnation of its host was known, which it is now.
    ///   - now: this node's time, in Unix milliseconds.
    package mutating func replied(_ request: Request, _ reply: AppendReply, isUnmarked: Bool = false, at now: Int64) {
        guard let append = pending[request] else { return }
        let thread = append.draft.thread
        switch reply {
        case .accepted(let head, let time):
            accepted(request, append, head, time: time, at: now)
        case .sentBefore(let first):
            finish(request, .success(first.receipt(in: thread)))
        case .usedBefore(let first):
            finish(request, compare(first, append))
        case .unknownThread where append.epoch == nil, .behind where append.epoch == nil:
            actions.append(.queryStore(.end(request)))
        case .unknownSend where append.isChecked || append.attempts >= PendingAppend.maximumAttempts:
            // The store was queried already; querying it again would loop.
            finish(request, .failure(.unavailable("Redis does not accept the send")))
        case .unknownSend:
            leads[append.host] = nil
            requestLookup(request)
        case .unchecked where append.attempts >= PendingAppend.maximumAttempts:
            finish(request, .failure(.unavailable("the thread could not be checked")))
        case .unchecked where isUnmarked && append.epoch == nil:
            // The thread may be checked.
            send(request)
        case .unchecked where append.epoch == nil:
            unchecked[append.host, default: []].append(request)
            if unchecked[append.host]?.count == 1 { actions.append(.queryStore(.threads(host: append.host))) }
        case .unknownThread, .behind, .otherEpoch, .unchecked:
            returned(request, append)
        case .withdrawn:
            finish(request, .failure(.unavailable("the send took too long")))
        case .noScript:
            returned(request, append, loadsScripts: true)
        case .failed(let reason):
            finish(request, .failure(.unavailable(reason)))
        }
    }

    private mutating func accepted(
        _ request: Request, _ append: PendingAppend, _ head: PackedHead, time: Int64, at now: Int64
    ) {
        if publishes, case .message = append.draft.body, !append.draft.isKnownToDjango {
            actions.append(.publish(append.draft, head))
        }
        if append.name != nil { noteClock(of: append.host, lead: time - now) }
        let receipt = Receipt(
            thread: append.draft.thread, position: head.position, milliseconds: head.milliseconds,
            messageID: append.draft.message?.id)
        finish(
            request, .success(receipt), .accepted(head.epoch, isDoubtful: head.doubt > time, doubt: head.doubt))
    }

    /// Records that an append was not executed: it is sent again when all before it are back.
    ///
    /// The scripts are loaded in the same step. Otherwise an append in between would be sent behind the scripts and
    /// overtake this one. (Another node that loads them at the same time can still cause that between two appends of a
    /// pipeline; only an administrator makes Redis forget scripts.)
    private mutating func returned(_ request: Request, _ append: PendingAppend, loadsScripts: Bool = false) {
        guard append.attempts < PendingAppend.maximumAttempts else {
            return finish(request, .failure(.unavailable("Redis does not keep the scripts")))
        }
        pending[request]?.seed = nil
        if loadsScripts { actions.append(.loadScripts(host: append.host)) }
        send(lanes.answered(request, of: append.draft.thread, .returned))
    }

    /// Decides on a `clientID` that seems to have been used for another message.
    private func compare(_ first: AppendReply.First, _ append: PendingAppend) -> Result<Receipt, AppendError> {
        guard let message = append.draft.message else { return .failure(.conflict) }
        let thread = append.draft.thread
        return switch digest.compare(first.digest, with: message, in: thread) {
        case .different: .failure(.conflict)
        // If Redis recorded the send under another secret, the `clientID` decides.
        case .same, .unknown: .success(first.receipt(in: thread))
        }
    }

    /// Records the reply of Redis to a claim.
    /// - Parameters:
    ///   - host: the host of the claim.
    ///   - now: this node's time, in Unix milliseconds.
    package mutating func claimed(_ request: Request, _ reply: ClaimReply, on host: Int, at now: Int64) {
        guard let append = pending[request], let name = append.name else { return }
        let thread = append.draft.thread
        switch reply {
        case .taken:
            // The claim may belong to a send that was itself refused.
            pending[request]?.isDisputed = true
        case .since(let since):
            if name.made ?? 0 >= since, isProvable(append, at: now) { return proceed(after: request, thread) }
        case .noScript:
            pending[request]?.attempts += 1
            guard append.attempts < PendingAppend.maximumAttempts else { break }
            actions.append(.loadScripts(host: host))
            actions.append(.claim(request, append))
            return
        case .failed:
            break
        }
        guard lookups.isStuck else { return requestLookup(request) }
        if reply == .taken {
            pending[request] = nil
            complete(append, .failure(.conflict))
        } else {
            pending[request]?.isChecked = true
        }
        proceed(after: request, thread)
    }

    // MARK: Completion

    /// Records that an append in a lane is complete.
    mutating func finish(
        _ request: Request, _ result: Result<Receipt, AppendError>, _ outcome: AppendLanes.Outcome = .finished
    ) {
        guard let append = pending.removeValue(forKey: request) else { return }
        send(lanes.answered(request, of: append.draft.thread, outcome))
        complete(append, result)
    }

    mutating func complete(_ append: PendingAppend, _ result: Result<Receipt, AppendError>) {
        actions.append(.complete(append.completion, result))
    }

    private mutating func refuse(_ append: PendingAppend) {
        complete(append, .failure(.unavailable("too many sends are waiting")))
    }

    // MARK: Clocks of Redis

    /// A late reply shows a smaller lead than the clock has; a clock that was set back shows a much smaller one.
    private mutating func noteClock(of host: Int, lead: Int64) {
        guard let known = leads[host], known - lead < Self.clockStep else { return leads[host] = lead }
        leads[host] = max(lead, known)
    }

    /// Whether Redis will most likely accept the time of the `clientID` as proof that it is new. If it does not, the
    /// store is queried then, and later sends may overtake this one.
    private func isProvable(_ append: PendingAppend, at now: Int64) -> Bool {
        guard let made = append.name?.made, let lead = leads[append.host] else { return false }
        let half = settings.onceMilliseconds / 2
        // Both clocks are truncated to whole milliseconds.
        return made <= now + lead + 1 && made > now + lead - half + min(60_000, half / 4)
    }
}
