import ParleyModel

/// The store queries of a `RedisLog`.
extension RedisLog {
    /// Queries the store and notes the progress of the hosts until the task is cancelled; afterwards all appends fail.
    package func run() async {
        async let notes: Void = progress.run()
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            for await query in storeQueries.stream {
                if running >= settings.log.requestsAtOnce {
                    await group.next()
                    running -= 1
                }
                running += 1
                group.addTask { await self.perform(query) }
            }
        }
        // Before the wait for a note in progress: Redis may be slow to reply to it.
        handle { $0.stop() }
        await notes
    }

    private func perform(_ query: AppendCore.StoreQuery) async {
        switch query {
        case .sends:
            await lookUpSends()
        case .end(let request):
            guard let append = handle({ $0.pending[request] }) else { return }
            await lookUpEnd(append, request)
        case .threads(let host):
            await checkThreads(of: host)
        case .newest(let request):
            guard let append = handle({ $0.pending[request] }) else { return }
            await resolveUnknown(append, request)
        }
    }

    /// Looks up the sends of the next batch, for `lookupLimit` at most.
    private func lookUpSends() async {
        let batch = handle { $0.takeLookups() }
        guard !batch.isEmpty else { return }
        let (requests, queries) = (batch.map(\.request), batch.compactMap(\.query))
        let limit = settings.log.lookupLimit
        await withTaskGroup(of: Lookup.self) { group in
            group.addTask { .ended(try? await self.history.sends(queries)) }
            group.addTask {
                try? await Task.sleep(for: limit)
                return .late
            }
            let first = await group.next() ?? .late
            group.cancelAll()
            switch first {
            case .ended(let sends):
                handle { $0.lookedUp(requests, sends) }
            case .late:
                handle { $0.lookupsAreLate(requests) }
                await group.waitForAll()
                handle { $0.lookupsEnded() }
            }
        }
    }

    /// The outcome of a batch query.
    private enum Lookup: Sendable {
        /// The store has replied for all sends, or has failed (`nil`).
        case ended([StoredSend?]?)
        /// The query has timed out and is still running.
        case late
    }

    private func checkThreads(of host: Int) async {
        let batch = handle { $0.takeUnchecked(on: host, limit: ThreadChecks.batchSize) }
        guard !batch.isEmpty else { return }
        let requests = batch.map(\.request)
        do throws(AppendError) {
            _ = try await checks.check(batch.map(\.thread), on: host, for: .append)
            handle { $0.checked(requests) }
        } catch {
            handle { core in
                for request in requests { core.failed(request, error) }
            }
        }
    }

    private func lookUpEnd(_ append: PendingAppend, _ request: AppendCore.Request) async {
        do throws(StoreError) {
            if !append.isChecked, let query = append.query, let stored = try await history.sends([query]).first ?? nil {
                return handle { $0.found(request, stored.result) }
            }
            let head = try await history.head(of: append.draft.thread)
            var generator = SystemRandomNumberGenerator()
            let seed = PendingAppend.Seed(epoch: .make(using: &generator), head: head)
            handle { $0.seeded(request, seed) }
        } catch {
            let reason = "the end of the thread could not be read from the store: \(error)"
            handle { $0.failed(request, .unavailable(reason)) }
        }
    }

    /// Resolves an append whose fate is unknown. By now it is either in the log or never will be, since Redis processes
    /// the input of an old connection before it replies to the first command of a new one.
    private func resolveUnknown(_ append: PendingAppend, _ request: AppendCore.Request) async {
        do throws(AppendError) {
            // The whole window, which is trimmed only now and then.
            let newest = try await events(in: append.draft.thread, after: 0, limit: settings.log.windowEvents + 256)
            guard let event = newest.events.first(where: { $0.message?.id == append.draft.message?.id }) else {
                return handle { $0.notFound(request) }
            }
            let receipt = Receipt(
                thread: event.thread, position: event.position, milliseconds: event.milliseconds,
                messageID: event.message?.id, isRepeat: true)
            handle { $0.found(request, .success(receipt)) }
        } catch {
            handle { $0.failed(request, error) }
        }
    }
}
