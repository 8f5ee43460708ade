package import ParleyModel

/// The store queries of an `AppendCore`.
extension AppendCore {
    // MARK: Looking up sends

    mutating func requestLookup(_ request: Request) {
        if lookups.enqueue(request) { actions.append(.queryStore(.sends)) }
    }

    /// Takes the sends of the next batch; empty if enough batches are running.
    package mutating func takeLookups() -> [(request: Request, query: SendQuery?)] {
        lookups.takeBatch(limit: SendQuery.maximumCount, batches: settings.lookupsAtOnce)
            .map { ($0, pending[$0]?.query) }
    }

    /// Records that the store has replied to a batch, or has failed (`nil`): then the sends are let through. Chat
    /// continues without the database, and the store resolves duplicates when it receives the events.
    package mutating func lookedUp(_ requests: [Request], _ sends: [StoredSend?]?) {
        lookups.end(wasLate: false)
        let reply = sends?.count == requests.count ? sends : nil
        for (index, request) in requests.enumerated() { lookedUp(request, reply?[index]) }
        if lookups.hasUnasked { actions.append(.queryStore(.sends)) }
    }

    /// Records that the store has not answered a batch in time: its sends are let through.
    package mutating func lookupsAreLate(_ requests: [Request]) {
        lookups.expire()
        for request in requests { lookedUp(request, nil) }
        if lookups.hasUnasked { actions.append(.queryStore(.sends)) }
    }

    /// Records that the query of a late batch has ended.
    package mutating func lookupsEnded() { lookups.end(wasLate: true) }

    private mutating func lookedUp(_ request: Request, _ stored: StoredSend?) {
        guard let append = pending[request] else { return }
        if let stored {
            let result = stored.result
            guard !append.isInLane else { return finish(request, result) }
            pending[request] = nil
            complete(append, result)
        } else if append.isDisputed {
            pending[request] = nil
            complete(append, .failure(.conflict))
        } else {
            pending[request]?.isChecked = true
            guard !append.isInLane else { return send(request) }
        }
        proceed(after: request, append.draft.thread)
    }

    // MARK: Checking threads

    /// Takes the appends whose threads must be checked, at most `limit`. Each is the only append of its thread in
    /// flight.
    package mutating func takeUnchecked(on host: Int, limit: Int) -> [(request: Request, thread: ThreadID)] {
        let all = unchecked.removeValue(forKey: host) ?? []
        if all.count > limit {
            unchecked[host] = Array(all.dropFirst(limit))
            actions.append(.queryStore(.threads(host: host)))
        }
        return all.prefix(limit).compactMap { request in pending[request].map { (request, $0.draft.thread) } }
    }

    /// Records that the threads of these appends are checked, and sends the appends again.
    package mutating func checked(_ requests: [Request]) {
        for request in requests { send(request) }
    }

    // MARK: Single appends

    /// Records that the store has the end of an append's thread, and not the send.
    package mutating func seeded(_ request: Request, _ seed: PendingAppend.Seed) {
        pending[request]?.isChecked = true
        pending[request]?.seed = seed
        send(request)
    }

    /// Records that the append is already stored or in the log.
    package mutating func found(_ request: Request, _ result: Result<Receipt, AppendError>) {
        finish(request, result)
    }

    /// Records that an append whose fate was unknown is not in the log.
    package mutating func notFound(_ request: Request) {
        pending[request]?.mayBeInLog = false
        send(request)
    }

    /// Records that a query has failed: the append is refused, and so are the appends of its thread that wait for it.
    package mutating func failed(_ request: Request, _ error: AppendError) {
        guard let append = pending[request] else { return }
        let requests = [request] + lanes.failed(append.draft.thread)
        send(lanes.answered(request, of: append.draft.thread, .finished))
        for request in requests {
            if let append = pending.removeValue(forKey: request) { complete(append, .failure(error)) }
        }
    }
}

extension StoredSend {
    /// The result of a send that is a use of the same `clientID`.
    var result: Result<Receipt, AppendError> { isSame ? .success(receipt) : .failure(.conflict) }
}
