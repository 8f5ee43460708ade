import ParleyModel
import Synchronization

/// The store queries of a `RedisLog`, and the claims on a `clientID` with several hosts.
extension RedisLog {
    /// Queries the store and notes the progress of the hosts until the task is cancelled; afterwards all appends fail.
    package func run() async {
        async let notes: Void = progress.run()
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            for await storeRequest in storeRequests.stream {
                if running >= settings.log.requestsAtOnce {
                    await group.next()
                    running -= 1
                }
                running += 1
                group.addTask { await self.perform(storeRequest) }
            }
        }
        await notes
        let completions = state.withLock { state in
            state.isStopped = true
            defer { state.pending = [:] }
            return state.pending.values.map(\.completion)
        }
        for completion in completions { completion(.failure(.unavailable("the log has stopped"))) }
    }

    private func perform(_ storeRequest: StoreRequest) async {
        switch storeRequest {
        case .sends:
            await lookUpSends()
        case .end(let request):
            guard let append = state.withLock({ $0.pending[request] }) else { return }
            await lookUpEnd(append, request)
        case .check(let host):
            await checkThreads(of: host)
        case .newest(let request):
            guard let append = state.withLock({ $0.pending[request] }) else { return }
            await resolveUnknown(append, request)
        }
    }

    // MARK: Looking up sends

    /// Requests a store query for a send; called under the lock.
    func requestLookup(for request: AppendLanes.Request, _ state: inout State) {
        if state.lookups.enqueue(request) { storeRequests.continuation.yield(.sends) }
    }

    /// Queries the store for the sends of the next batch. If it does not reply in time they are let through: chat
    /// continues without the database, and the store resolves duplicates when it receives the events.
    private func lookUpSends() async {
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

    /// The outcome of a batch query.
    private enum Lookup: Sendable {
        /// The store has replied for all sends, or has failed (`nil`).
        case ended([StoredSend?]?)
        /// The query has timed out and is still running.
        case late
    }

    /// Records the outcome of a batch query.
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
                results += proceed(after: request, append.draft.thread, &state)
            }
            if state.lookups.hasUnasked { storeRequests.continuation.yield(.sends) }
        }
        for (append, result) in results { append.completion(result) }
    }

    /// Continues after a send whose lookup is complete: every append of its thread that can proceed does so, in order.
    /// - Returns: the appends that are refused.
    func proceed(
        after request: AppendLanes.Request, _ thread: ThreadID, _ state: inout State
    ) -> [(PendingAppend, Result<Receipt, AppendError>)] {
        var refused: [(PendingAppend, Result<Receipt, AppendError>)] = []
        for ready in state.lookups.answered(request, of: thread) {
            guard let append = state.pending[ready] else { continue }
            guard !enter(ready, append, &state) else { continue }
            state.pending[ready] = nil
            refused.append((append, .failure(.unavailable("too many sends are waiting"))))
        }
        return refused
    }

    // MARK: Checking threads

    /// Requests a check of an append's thread; called under the lock.
    func enqueueCheck(_ request: AppendLanes.Request, _ host: Int, _ state: inout State) {
        state.unchecked[host, default: []].append(request)
        if state.unchecked[host]?.count == 1 { storeRequests.continuation.yield(.check(host: host)) }
    }

    /// Checks the threads of the waiting appends, each of which is the only one of its thread in flight, and sends these
    /// again.
    private func checkThreads(of host: Int) async {
        let batch = state.withLock { state in
            let all = state.unchecked.removeValue(forKey: host) ?? []
            let batch = all.prefix(ThreadChecks.batchSize)
            if batch.count < all.count {
                state.unchecked[host] = Array(all.dropFirst(batch.count))
                storeRequests.continuation.yield(.check(host: host))
            }
            return batch.compactMap { request in state.pending[request].map { (request, $0.draft.thread) } }
        }
        guard !batch.isEmpty else { return }
        do throws(AppendError) {
            _ = try await checks.check(batch.map(\.1), on: host, for: .append)
            state.withLock { state in
                for (request, _) in batch { send(request, &state) }
            }
        } catch {
            for (request, thread) in batch { fail(request, thread, error) }
        }
    }

    // MARK: Claims on a clientID

    /// Whether claims are needed: with several hosts, a `clientID` used in threads of two hosts must be detected.
    var isClaimed: Bool { hosts.commands.count > 1 }

    /// Claims the `clientID` on its host. If that is unreachable, only the store is queried.
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
                // The claim may belong to a send that was itself refused.
                state.pending[request]?.isDisputed = true
            case .success(.integer(let since)):
                let lead = state.leads[hosts.layout.host(of: append.draft.thread)]
                guard name.made ?? 0 >= since, isProvable(append, now: now, lead: lead) else { break }
                return proceed(after: request, append.draft.thread, &state)
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
                    return [(append, .failure(.conflict))] + proceed(after: request, append.draft.thread, &state)
                }
                state.pending[request]?.isChecked = true
                return proceed(after: request, append.draft.thread, &state)
            }
            requestLookup(for: request, &state)
            return []
        }
        for (append, result) in refused { append.completion(result) }
    }

    // MARK: Ends of threads

    private func lookUpEnd(_ append: PendingAppend, _ request: AppendLanes.Request) async {
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
            fail(
                request, append.draft.thread,
                .unavailable("the end of the thread could not be read from the store: \(error)"))
        }
    }

    private func seed(of thread: ThreadID) async throws(StoreError) -> PendingAppend.Seed {
        var generator = SystemRandomNumberGenerator()
        return PendingAppend.Seed(
            epoch: .make(using: &generator), head: try await history.head(of: thread))
    }

    // MARK: Possible duplicates

    /// Resolves an append whose fate is unknown. By now it is either in the log or never will be, since Redis processes
    /// the input of an old connection before it replies to the first command of a new one.
    private func resolveUnknown(_ append: PendingAppend, _ request: AppendLanes.Request) async {
        do throws(AppendError) {
            // The whole window, which is trimmed only now and then.
            let newest = try await events(in: append.draft.thread, after: 0, limit: settings.log.windowEvents + 256)
            if let event = newest.events.first(where: { $0.message?.id == append.draft.message?.id }) {
                let receipt = Receipt(
                    thread: event.thread, position: event.position, milliseconds: event.milliseconds,
                    messageID: event.message?.id, isRepeat: true)
                return finish(request, .finished, .success(receipt))
            }
            state.withLock { state in
                state.pending[request]?.mayBeInLog = false
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
