import ParleyModel
import Synchronization

/// What a `RedisLog` asks the store, and the host of a `clientID` where there are several.
extension RedisLog {
    /// Asks the store until the task is cancelled; then nothing is appended any more.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            for await storeRequest in storeRequests.stream {
                if running >= settings.log.requestsAtOnce {
                    await group.next()
                    running -= 1
                }
                running += 1
                group.addTask { await self.ask(storeRequest) }
            }
        }
        let completions = state.withLock { state in
            state.isStopped = true
            defer { state.pending = [:] }
            return state.pending.values.map(\.completion)
        }
        for completion in completions { completion(.failure(.unavailable("the log has stopped"))) }
    }

    private func ask(_ storeRequest: StoreRequest) async {
        switch storeRequest {
        case .sends:
            await askForSends()
        case .end(let request):
            guard let append = state.withLock({ $0.pending[request] }) else { return }
            await askForEnd(append, request)
        case .newest(let request):
            guard let append = state.withLock({ $0.pending[request] }) else { return }
            await lookFor(append, request)
        }
    }

    // MARK: Whether a send was sent before

    /// The store is to be asked for a send; under the lock.
    func ask(for request: AppendLanes.Request, _ state: inout State) {
        if state.lookups.ask(request) { storeRequests.continuation.yield(.sends) }
    }

    /// Asks for the sends of the next batch, and lets them through if the store does not answer in time: chat goes on
    /// without the database, and the store sorts out what was used twice when it gets the events.
    private func askForSends() async {
        let batch = state.withLock { state in
            state.lookups.takeBatch(limit: SendQuery.maximumCount, batches: settings.log.lookupsAtOnce)
                .map { request in (request: request, query: state.pending[request]?.query) }
        }
        guard !batch.isEmpty else { return }
        let requests = batch.map(\.request)
        let limit = settings.log.lookupLimit
        await withTaskGroup(of: Lookup.self) { group in
            group.addTask { .ended(try? await self.history.sends(batch.compactMap(\.query))) }
            group.addTask {
                try? await Task.sleep(for: limit)
                return .late
            }
            let first = await group.next() ?? .late
            group.cancelAll()
            answered(requests, first)
            guard case .late = first else { return }
            await group.waitForAll()
            state.withLock { $0.lookups.end(wasLate: true) }
        }
    }

    /// How the question of a batch goes out.
    private enum Lookup: Sendable {
        /// The store has told of all sends, or has failed (`nil`).
        case ended([StoredSend?]?)
        /// It takes too long, and is still at it.
        case late
    }

    /// The store has told of sends, or nobody waits for it any more.
    private func answered(_ requests: [AppendLanes.Request], _ lookup: Lookup) {
        var results: [(PendingAppend, Result<Receipt, AppendError>)] = []
        state.withLock { state in
            var reply: [StoredSend?]?
            switch lookup {
            case .ended(let sends):
                state.lookups.end(wasLate: false)
                reply = sends?.count == requests.count ? sends : nil
            case .late:
                state.lookups.expire()
            }
            for (index, request) in requests.enumerated() {
                guard let append = state.pending[request] else { continue }
                if let stored = reply?[index] {
                    state.pending[request] = nil
                    results.append((append, stored.isSame ? .success(stored.receipt) : .failure(.conflict)))
                    if append.isInLane {
                        send(state.lanes.answered(request, of: append.draft.thread, .finished), &state)
                        continue
                    }
                } else if append.isDisputed {
                    state.pending[request] = nil
                    results.append((append, .failure(.conflict)))
                } else {
                    state.pending[request]?.isChecked = true
                    if append.isInLane {
                        send(request, &state)
                        continue
                    }
                }
                results += goOn(after: request, append.draft.thread, &state)
            }
            if state.lookups.hasUnasked { storeRequests.continuation.yield(.sends) }
        }
        for (append, result) in results { append.completion(result) }
    }

    /// A send that waited is answered for: whatever can go on of its thread does, in order.
    /// - Returns: what is refused.
    func goOn(
        after request: AppendLanes.Request, _ thread: ThreadID, _ state: inout State
    ) -> [(PendingAppend, Result<Receipt, AppendError>)] {
        var refused: [(PendingAppend, Result<Receipt, AppendError>)] = []
        for ready in state.lookups.answered(request, of: thread) {
            guard let append = state.pending[ready] else { continue }
            guard !enter(ready, append, &state) else { continue }
            state.pending[ready] = nil
            refused.append((append, .failure(.unavailable("too many sends wait"))))
        }
        return refused
    }

    // MARK: Who has a clientID

    /// Several hosts: a `clientID` that is used in two threads must be noticed, whichever hosts they have.
    var isClaimed: Bool { hosts.commands.count > 1 }

    /// Claims the `clientID` on its host; if that is away the store alone is asked.
    func claim(_ request: AppendLanes.Request, _ append: PendingAppend) {
        guard let name = append.name, let command = append.claim(hosts.layout.names, settings.log) else { return }
        let host = hosts.layout.ring.host(of: hosts.layout.names.claim(name.sender, name.clientID))
        hosts.commands[host].send(command) { self.claimed(request, $0, host: host) }
    }

    private func claimed(_ request: AppendLanes.Request, _ reply: Result<RESPValue, RedisError>, host: Int) {
        let now = milliseconds
        let refused: [(PendingAppend, Result<Receipt, AppendError>)] = state.withLock { state in
            guard let append = state.pending[request], let name = append.name else { return [] }
            switch reply {
            case .success(.integer(-1)):
                // The claim may be that of a send which was refused itself.
                state.pending[request]?.isDisputed = true
            case .success(.integer(let since)):
                let lead = state.leads[hosts.layout.host(of: append.draft.thread)]
                guard name.made ?? 0 >= since, isProvable(append, now: now, lead: lead) else { break }
                return goOn(after: request, append.draft.thread, &state)
            case .success(.error(let text)) where text.hasPrefix("NOSCRIPT"):
                state.pending[request]?.attempts += 1
                guard append.attempts < PendingAppend.maximumAttempts else { break }
                hosts.commands[host].loadScripts()
                claim(request, append)
                return []
            case .success, .failure:
                break
            }
            guard !state.lookups.isStuck else {
                guard state.pending[request]?.isDisputed != true else {
                    state.pending[request] = nil
                    return [(append, .failure(.conflict))] + goOn(after: request, append.draft.thread, &state)
                }
                state.pending[request]?.isChecked = true
                return goOn(after: request, append.draft.thread, &state)
            }
            ask(for: request, &state)
            return []
        }
        for (append, result) in refused { append.completion(result) }
    }

    // MARK: Where a thread ends

    private func askForEnd(_ append: PendingAppend, _ request: AppendLanes.Request) async {
        do throws(StoreError) {
            if !append.isChecked, let query = append.query, let stored = try await history.sends([query]).first ?? nil {
                return finish(request, .finished, stored.isSame ? .success(stored.receipt) : .failure(.conflict))
            }
            let seed = try await seed(of: append.draft.thread)
            state.withLock { state in
                state.pending[request]?.isChecked = true
                state.pending[request]?.seed = seed
                send(request, &state)
            }
        } catch {
            fail(request, append.draft.thread, .unavailable("the store did not tell where the thread ends: \(error)"))
        }
    }

    private func seed(of thread: ThreadID) async throws(StoreError) -> PendingAppend.Seed {
        var generator = SystemRandomNumberGenerator()
        return PendingAppend.Seed(
            epoch: .make(using: &generator), head: try await history.head(of: thread))
    }

    // MARK: What may be there

    /// An append of which nobody knows whether it was taken: by now it is in the log, or will never be, since Redis reads
    /// what an old connection has left before it answers the first command of a new one.
    private func lookFor(_ append: PendingAppend, _ request: AppendLanes.Request) async {
        do throws(AppendError) {
            // The whole window: it is trimmed only now and then.
            let newest = try await events(in: append.draft.thread, after: 0, limit: settings.log.windowEvents + 256)
            if let event = newest.events.first(where: { $0.message?.id == append.draft.message?.id }) {
                let receipt = Receipt(
                    thread: event.thread, position: event.position, milliseconds: event.milliseconds,
                    messageID: event.message?.id, isRepeat: true)
                return finish(request, .finished, .success(receipt))
            }
            state.withLock { state in
                state.pending[request]?.mustBeLookedFor = false
                send(request, &state)
            }
        } catch {
            fail(request, append.draft.thread, error)
        }
    }

    /// Refuses an append and those that waited for it.
    private func fail(_ request: AppendLanes.Request, _ thread: ThreadID, _ error: AppendError) {
        let completions = state.withLock { state in
            let requests = [request] + state.lanes.failed(thread)
            send(state.lanes.answered(request, of: thread, .finished), &state)
            return requests.compactMap { state.pending.removeValue(forKey: $0)?.completion }
        }
        for completion in completions { completion(.failure(error)) }
    }
}
