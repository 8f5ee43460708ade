package import Logging
package import ParleyMessaging
package import ParleyModel

/// Sends the events of one endpoint after the other, in their order, as `WebhookDelivery` decides.
package struct WebhookSender: Sendable {
    package struct Times: Sendable {
        /// The pause before the database is asked again for events that are not stored yet.
        package var poll = Duration.milliseconds(100)
        /// The pause after an error of the database.
        package var failure = Duration.seconds(1)
        /// The maximum age of progress that is not stored, in milliseconds.
        package var store: Int64 = 1_000
        /// The time that the lease lasts, and the time after which it is extended, in milliseconds.
        package var lease: Int64 = 30_000
        package var extend: Int64 = 2_000
        /// The pause before the next look for dead letters to send again, in milliseconds.
        package var replay: Int64 = 2_000

        package init() {}
    }

    private enum Step: Sendable {
        case woke
        case finished(WebhookRun.Sending, WebhookOutcome)
        case replayed(DeadLetter, WebhookOutcome)
        /// The event of a dead letter no longer exists.
        case vanished(DeadLetter)

        var isAccepted: Bool {
            if case .finished(_, .accepted) = self { true } else { false }
        }
    }

    /// The state of a task that sends to an endpoint.
    private struct State {
        let id: String
        let token: String
        let settings: WebhookSettings
        var run: WebhookRun
        var requests = 0
        var isWaiting = false
        var isReplaying = false
        var storedAt: Int64
        var replayedAt: Int64 = 0
        var replays: [DeadLetter] = []
        var letters: [DeadLetter] = []
        var lag = 0.0
        var hasFailed = false
    }

    let store: any WebhookStore
    private let requests: any WebhookRequests
    private let encode: WebhookEncoder
    private let policy: WebhookPolicy
    private let times: Times
    private let clock: WallClock
    let logger: Logger
    private let metrics: WebhookMetrics
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter sleep: Waits; throws when the task is cancelled.
    package init(
        store: any WebhookStore, requests: any WebhookRequests, encode: @escaping WebhookEncoder,
        policy: WebhookPolicy = WebhookPolicy(), times: Times = Times(), clock: WallClock = .system, logger: Logger,
        metrics: WebhookMetrics = WebhookMetrics(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.store = store
        self.requests = requests
        self.encode = encode
        self.policy = policy
        self.times = times
        self.clock = clock
        self.logger = logger
        self.metrics = metrics
        self.sleep = sleep
    }

    /// Sends to an endpoint, if no other process has its lease, until the lease is lost, the endpoint is disabled, or the task is
    /// cancelled.
    package func run(_ id: String) async {
        let token = Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        do throws(StoreError) {
            guard let webhook = try await store.leaseWebhook(id, to: token, for: times.lease), webhook.isEnabled else {
                return
            }
            let address: WebhookAddress
            do throws(WebhookRefusal) {
                address = try WebhookAddress(webhook.settings)
            } catch {
                var progress = webhook.progress
                progress.disabled = "\(error)"
                _ = try await store.storeWebhook(id, progress, by: token, for: 0)
                return
            }
            var state = State(
                id: id, token: token, settings: webhook.settings, run: WebhookRun(webhook, policy),
                storedAt: clock.milliseconds)
            await send(to: address, &state)
        } catch {
            logger.debug("failed to begin with a webhook", metadata: ["webhook": "\(id)", "error": "\(error)"])
        }
        metrics.end(id)
    }

    private func send(to address: WebhookAddress, _ state: inout State) async {
        await withTaskGroup(of: Step.self) { group in
            while !Task.isCancelled {
                var pause = times.poll
                do throws(StoreError) {
                    let isMore = try await read(&state)
                    begin(&state, address, &group)
                    guard try await save(&state) else { break }
                    state.hasFailed = false
                    if state.run.isDisabled { break }
                    if isMore, state.requests == 0 { continue }
                } catch {
                    if !state.hasFailed {
                        logger.warning(
                            "a webhook waits for the database",
                            metadata: ["webhook": "\(state.id)", "error": "\(error)"])
                    }
                    state.hasFailed = true
                    pause = times.failure
                }
                if !state.isWaiting {
                    state.isWaiting = true
                    group.addTask { [sleep] in
                        try? await sleep(pause)
                        return .woke
                    }
                }
                guard let step = await group.next() else { break }
                if !Task.isCancelled || step.isAccepted { finish(step, &state) }
            }
            group.cancelAll()
            // An answer that came at the end is not asked for again.
            for await step in group where step.isAccepted { finish(step, &state) }
        }
        await release(state)
    }

    // MARK: Reading

    /// Reads the next events to send.
    /// - Returns: Whether more can be read at once.
    private func read(_ state: inout State) async throws(StoreError) -> Bool {
        let now = clock.milliseconds
        var isMore = false
        if let (place, query) = state.run.nextPart(at: now) {
            guard let page = try await store.events(after: place, query) else {
                state.run.disable("the database does not have the place of this endpoint; move it to start or end")
                return false
            }
            state.run.add(page, at: now)
            state.lag = 0
            if !page.isEnd || !page.entries.isEmpty, let stored = page.storedMilliseconds {
                state.lag = max(0, Double(now - stored) / 1_000)
            }
            isMore = !page.isEnd
        }
        metrics.note(state.id, lag: state.lag, waiting: state.run.progress.waiting.count)
        // A few pages at a time, so that the other threads continue.
        for _ in 0..<8 {
            guard let (thread, place, query) = state.run.nextThread(at: now) else { break }
            guard let page = try await store.events(after: place, query) else { break }
            state.run.add(page, of: thread, at: now)
        }
        try await readReplays(&state, at: now)
        return isMore
    }

    private func readReplays(_ state: inout State, at now: Int64) async throws(StoreError) {
        let age = now &- state.replayedAt
        guard state.replays.isEmpty, !state.isReplaying, age < 0 || age >= times.replay else { return }
        state.replayedAt = now
        state.replays = try await store.replayedDeadLetters(of: state.id, limit: 100)
    }

    // MARK: Sending

    private func begin(_ state: inout State, _ address: WebhookAddress, _ group: inout TaskGroup<Step>) {
        for sending in state.run.next(at: clock.milliseconds) {
            state.requests += 1
            group.addTask { [self] in .finished(sending, await post(sending.events, address)) }
        }
        guard !state.isReplaying, !state.replays.isEmpty, state.run.pausedUntil <= clock.milliseconds else { return }
        let letter = state.replays.removeFirst()
        state.isReplaying = true
        group.addTask { [self] in await replay(letter, address) }
    }

    private func replay(_ letter: DeadLetter, _ address: WebhookAddress) async -> Step {
        do throws(StoreError) {
            guard let event = try await event(letter.event) else { return .vanished(letter) }
            return .replayed(letter, await post([event], address))
        } catch {
            return .replayed(letter, .failed("the database is unavailable"))
        }
    }

    /// - Returns: `nil` for an event that no longer exists.
    private func event(_ id: String) async throws(StoreError) -> FeedEvent? {
        var found: FeedEvent?
        if let row = AuditEntry.rowID(in: id) {
            found = try await store.auditEntry(row).map { .audit($0) }
        } else if let unseen = UnseenMessage.ID(feedID: id) {
            found = try await store.unseenMessage(unseen).map { .unseen($0) }
        } else if let place = FeedPlace(id) {
            found = try await store.events(in: place.thread, after: place.seq - 1, limit: 1).events.first
                .map { .log($0) }
        }
        return found?.feedID == id ? found : nil
    }

    private func post(_ events: [FeedEvent], _ address: WebhookAddress) async -> WebhookOutcome {
        guard let first = events.first, let last = events.last else { return .accepted }
        let body = encode(events, address.isBatch)
        let id = address.isBatch ? "\(first.feedID)~\(last.feedID)~\(events.count)" : first.feedID
        do throws(WebhookSigningError) {
            let headers = try WebhookHeaders(id: id, seconds: clock.seconds, body: body, keys: address.keys)
            let outcome = await requests.post(body, headers, to: address.url)
            if !Task.isCancelled { metrics.requested(events.count, outcome) }
            return outcome
        } catch {
            return .failed("the request cannot be signed")
        }
    }

    private func finish(_ step: Step, _ state: inout State) {
        let now = clock.milliseconds
        switch step {
        case .woke: state.isWaiting = false
        case .finished(let sending, let outcome):
            state.requests -= 1
            state.letters += state.run.finished(sending, outcome, at: now)
        case .replayed(let letter, let outcome):
            state.isReplaying = false
            guard let failure = outcome.failure else { return finish(.vanished(letter), &state) }
            if outcome == .gone { state.run.disable(WebhookRun.gone) }
            state.letters.append(
                DeadLetter(
                    event: letter.event, attempts: letter.attempts + 1, reason: failure, failedMilliseconds: now))
        case .vanished(let letter):
            state.isReplaying = false
            state.letters.append(letter)
        }
    }

    // MARK: Storing

    /// Stores the progress if it is time.
    /// - Returns: Whether this process still has the lease.
    private func save(_ state: inout State) async throws(StoreError) -> Bool {
        let now = clock.milliseconds
        while let letter = state.letters.first {
            // A letter with an ID is one that has been sent again.
            if letter.id == 0 {
                guard try await store.addDeadLetter(letter, of: state.id) else { return false }
                metrics.buried()
                logger.warning(
                    "a webhook has given up an event",
                    metadata: ["webhook": "\(state.id)", "event": "\(letter.event)", "reason": "\(letter.reason)"])
            } else {
                _ = try await store.removeDeadLetter(letter.id, of: state.id)
            }
            state.letters.removeFirst()
        }
        let age = now &- state.storedAt
        // A clock that was set back does not keep the lease from being extended.
        guard state.run.isDisabled || age < 0 || age >= (state.run.isChanged ? times.store : times.extend) else {
            return true
        }
        let progress = state.run.isChanged ? state.run.progress : nil
        let settings = try await store.storeWebhook(state.id, progress, by: state.token, for: times.lease)
        guard let settings else { return false }
        state.run.stored()
        state.storedAt = now
        // The next process, which may be this one, begins with the new settings.
        guard settings == state.settings else { return false }
        if let reason = state.run.progress.disabled {
            logger.warning("a webhook is disabled", metadata: ["webhook": "\(state.id)", "reason": "\(reason)"])
        }
        return true
    }

    /// Stores the progress, and ends the lease, so that another process can continue at once. It runs to its end although the task
    /// is cancelled.
    private func release(_ state: State) async {
        let progress = state.run.isChanged ? state.run.progress : nil
        await Task { [store] in
            // Otherwise the lease ends by its time.
            _ = try? await store.storeWebhook(state.id, progress, by: state.token, for: 0)
        }.value
    }
}

/// The settings of an endpoint that its requests need.
struct WebhookAddress: Sendable {
    let url: WebhookURL
    let keys: [WebhookKey]
    let isBatch: Bool

    init(_ settings: WebhookSettings) throws(WebhookRefusal) {
        url = try WebhookURL(settings.url)
        keys = settings.secrets.compactMap { WebhookKey($0) }
        isBatch = settings.batch > 1
    }
}
