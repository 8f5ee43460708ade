import DequeModule
package import ParleyModel

/// The state machine of a memory log: a value that takes a call or a store reply and returns actions.
///
/// It holds no lock, task or clock; `MemoryLog` owns one and performs its actions. The steps of an append:
///
/// 1. A remembered `clientID` is answered at once (`IdempotencyTable`), or waits for the first send that has it.
/// 2. If the thread is unknown, or the `clientID` is and does not prove by its time that it is new, the store is queried
///    and the append waits in its thread's queue. The queue is processed in order, so no append overtakes another of its
///    thread.
/// 3. The event gets its number and enters the ingest queue of its partition. With `.immediately` it is accepted now.
/// 4. With `.whenStored` it is accepted when `stored` reports it.
///
/// **Epochs.** All numberings that begin in this value share its epoch. Once a thread is forgotten, which may be
/// created again under its id, later numberings use a new one. With `.whenStored`, nothing beyond what is stored was
/// ever visible, so a stored thread continues in its stored epoch. With `.immediately`, a stored thread of another
/// epoch means that an earlier log was lost together with visible events: numbering continues above the stored events,
/// in the new epoch.
package struct LogCore: Sendable {
    let settings: MemoryLogSettings
    /// The incarnation of the ingest stream; every value has its own.
    private let incarnation: String
    /// The epoch of numberings that begin from now on.
    private(set) var epoch: Epoch
    private var forgotten = 0
    var threads: ThreadTable
    var once: IdempotencyTable
    var withdrawn = WithdrawnMessages()
    var queues: [IngestQueue]
    var actions: [LogAction] = []
    /// The number of events in all ingest queues.
    var unstored = 0
    /// The number of appends in the queues of threads, waiting repeats and queries.
    var waiting = 0
    var isStopped = false

    /// - Parameter incarnation: a random text that no other log has used; also the epoch of new numberings.
    package init(settings: MemoryLogSettings, incarnation: String) {
        self.settings = settings
        self.incarnation = incarnation
        epoch = Epoch(incarnation)
        threads = ThreadTable(limit: settings.threads, windowLimit: settings.windowEventsInAll)
        once = IdempotencyTable(limit: settings.idempotencyEntries, lifetime: settings.idempotencyMilliseconds)
        queues = Array(repeating: IngestQueue(), count: max(1, settings.partitions))
    }

    /// The number of remembered threads.
    package var threadCount: Int { threads.count }

    // MARK: Appending

    /// Appends a draft. `request` is completed by a `complete` action, now or later.
    package mutating func append(_ draft: EventDraft, as request: AppendID, now: Int64) -> [LogAction] {
        if isStopped {
            refuse(request, .unavailable("the log has stopped"))
        } else if let key = IdempotencyKey(draft) {
            once.shrink(now: now)
            let content = UsedContent(thread: draft.thread, text: draft.message?.content ?? "")
            if let known = once[key] {
                append(repeating: known, key, content, as: request)
            } else {
                append(draft, key, content, as: request, now: now)
            }
        } else if let event = threads.event(of: draft) {
            actions.append(.complete(request, .success(Receipt(event).repeated)))
        } else {
            append(draft, nil, nil, as: request, now: now)
        }
        threads.forget()
        return flush()
    }

    private mutating func append(
        repeating known: IdempotencyTable.Entry, _ key: IdempotencyKey, _ content: UsedContent, as request: AppendID
    ) {
        guard known.content == content else { return refuse(request, .conflict) }
        switch known.state {
        case .accepted(let receipt, _):
            actions.append(.complete(request, .success(receipt.repeated)))
        case .pending:
            guard waiting < settings.waiting else { return refuse(request, .unavailable("too many sends are waiting")) }
            waiting += 1
            once.wait(request, for: key)
        }
    }

    private mutating func append(
        _ draft: EventDraft, _ key: IdempotencyKey?, _ content: UsedContent?, as request: AppendID, now: Int64
    ) {
        guard unstored + waiting < settings.ingestEntries else {
            return refuse(request, .unavailable("the store is too far behind"))
        }
        let index = entry(of: draft.thread)
        let mustQuery = mustQueryStore(for: key, at: index, now: now)
        guard mustQuery || threads[index].log == nil || !threads[index].waiting.isEmpty else {
            if let key, let content { once.begin(key, content, by: request) }
            return enter(draft, key, as: request, at: index, now: now)
        }
        guard threads[index].waiting.count < settings.waitingPerThread, waiting < settings.waiting else {
            return refuse(request, .unavailable("too many sends are waiting"))
        }
        waiting += 1
        var state = ThreadEntry.Waiting.State.ready
        if let key, let content {
            once.begin(key, content, by: request)
            if mustQuery, let message = draft.message {
                state = .queryingStore
                actions.append(.queryStore(.send(key, SendQuery(thread: draft.thread, message: message))))
            }
        }
        threads[index].waiting.append(.init(request: request, draft: draft, key: key, state: state))
    }

    /// Whether only the store knows if a send that is not remembered is a repeat.
    ///
    /// A `clientID` made since its thread was seeded, and since the latest forgotten send, proves that it is new: an
    /// earlier send under it would be remembered. If its time is wrong nevertheless, the store decides when it receives
    /// the event.
    private func mustQueryStore(for key: IdempotencyKey?, at index: ThreadTable.Index, now: Int64) -> Bool {
        guard let key, key.isSend else { return false }
        guard let made = key.made, let doubt = threads[index].doubt else { return true }
        return made > now || made < max(doubt, once.doubt)
    }

    /// Numbers a draft and puts it into the ingest queue.
    private mutating func enter(
        _ draft: EventDraft, _ key: IdempotencyKey?, as request: AppendID, at index: ThreadTable.Index,
        now: Int64
    ) {
        if refuseWithdrawn(draft, key, as: request) { return }
        guard let event = threads[index].log?.number(draft, now: now) else { return }
        let partition = PartitionMap.number(of: draft.thread, count: queues.count)
        unstored += 1
        switch settings.acceptance {
        case .whenStored:
            queues[partition].append(.init(event: event, request: request, key: key))
        case .immediately:
            queues[partition].append(.init(event: event, request: nil, key: key))
            accept(event, key, as: request, at: index, isStored: false, now: now)
        }
        actions.append(.wake(Partition(number: partition)))
    }

    /// Accepts an event: completes its append and publishes it.
    private mutating func accept(
        _ event: LogEvent, _ key: IdempotencyKey?, as request: AppendID?, at index: ThreadTable.Index, isStored: Bool,
        now: Int64
    ) {
        threads.accept(event, at: index, limit: settings.windowEvents)
        let receipt = Receipt(event)
        if let request { actions.append(.complete(request, .success(receipt))) }
        if let key {
            reply(once.accept(key, receipt, isStored: isStored, now: now), .success(receipt.repeated))
        }
        actions.append(.publish(event))
    }

    mutating func refuse(_ request: AppendID, _ error: AppendError) {
        actions.append(.complete(request, .failure(error)))
    }

    /// Completes waiting repeats.
    private mutating func reply(_ repeats: [AppendID], _ result: Result<Receipt, AppendError>) {
        waiting -= repeats.count
        for request in repeats { actions.append(.complete(request, result)) }
    }

    // MARK: Replies of the store

    /// Reports where a thread ends in the store, or that the store failed.
    package mutating func seeded(
        _ thread: ThreadID, _ reply: Result<ThreadHead?, StoreError>, now: Int64
    ) -> [LogAction] {
        guard let index = threads.index(of: thread), threads[index].isAsked else { return [] }
        threads[index].isAsked = false
        let queries = threads[index].queries
        threads[index].queries = []
        waiting -= queries.count
        switch reply {
        case .success(let stored):
            let stored = threads[index].isForgotten ? nil : stored
            threads[index].isForgotten = false
            let isOurs = settings.acceptance == .whenStored || stored.map { isOwn($0.position.epoch) } == true
            let epoch = isOurs ? stored?.position.epoch ?? epoch : epoch
            threads[index].log = ThreadLog(stored: stored, epoch: epoch)
            threads[index].doubt = stored == nil ? now : now + settings.doubtMilliseconds
            for query in queries { actions.append(.resume(query, nil)) }
            enterReady(index, now: now)
        case .failure:
            let error = AppendError.unavailable("the end of the thread could not be read from the store")
            for query in queries { actions.append(.resume(query, error)) }
            failAll(at: index, error)
        }
        threads.forget()
        return flush()
    }

    /// Reports whether the store has a send that waits in `thread`, or that the store failed.
    package mutating func lookedUp(
        for key: IdempotencyKey, in thread: ThreadID, _ reply: Result<StoredSend?, StoreError>, now: Int64
    ) -> [LogAction] {
        // Replies arrive roughly in the order of the queries, so the append is near the front.
        guard let index = threads.index(of: thread),
            let place = threads[index].waiting.firstIndex(where: { $0.key == key && $0.state == .queryingStore })
        else { return [] }
        let request = threads[index].waiting[place].request
        threads[index].waiting[place].state = .answered
        switch reply {
        case .success(nil):
            threads[index].waiting[place].state = .ready
        case .success(let stored?) where stored.isSame:
            let result: Result<Receipt, AppendError> = .success(stored.receipt)
            actions.append(.complete(request, result))
            self.reply(once.accept(key, stored.receipt, isStored: true, now: now), result)
        case .success:
            refuse(request, .conflict)
            self.reply(once.fail(key), .failure(.conflict))
        case .failure where settings.acceptance == .immediately:
            // The store resolves the conflict when it receives the event.
            threads[index].waiting[place].state = .ready
        case .failure:
            let error = AppendError.unavailable("the store could not be queried for an earlier send")
            refuse(request, error)
            self.reply(once.fail(key), .failure(error))
        }
        enterReady(index, now: now)
        return flush()
    }

    /// Enters the waiting appends of a known thread, up to the first one that waits for the store.
    private mutating func enterReady(_ index: ThreadTable.Index, now: Int64) {
        guard threads[index].log != nil else { return }
        while let first = threads[index].waiting.first, first.state != .queryingStore {
            threads[index].waiting.removeFirst()
            waiting -= 1
            if first.state == .ready { enter(first.draft, first.key, as: first.request, at: index, now: now) }
        }
    }

    /// Refuses all waiting appends of a thread.
    mutating func failAll(at index: ThreadTable.Index, _ error: AppendError) {
        while let first = threads[index].waiting.popFirst() {
            waiting -= 1
            guard first.state != .answered else { continue }
            refuse(first.request, error)
            if let key = first.key { reply(once.fail(key), .failure(error)) }
        }
    }

    // MARK: Ingest stream

    /// The next entries of a partition. Entries up to `checkpoint` are stored and leave the stream.
    ///
    /// An entry that the checkpoint covers although its outcome was not reported (the persister ended between its
    /// commit and its report) counts as stored under its own seq.
    /// - Returns: the batch; `nil` if there is nothing to read yet, an empty batch if there never will be.
    package mutating func read(
        _ partition: Partition, after checkpoint: IngestCheckpoint?, limit: Int, now: Int64
    ) -> (batch: IngestBatch?, actions: [LogAction]) {
        guard queues.indices.contains(partition.number) else { return (nil, []) }
        var start: Int64 = 0
        if let checkpoint, checkpoint.incarnation == incarnation, let offset = Int64(checkpoint.offset) {
            start = offset
            settle(through: offset, of: partition.number, outcome: nil, now: now)
        }
        let queue = queues[partition.number]
        let entries = queue.entries(after: start, limit: max(1, limit))
        let batch = IngestBatch(partition: partition, incarnation: incarnation, entries: entries, backlog: queue.count)
        return (entries.isEmpty && !isStopped ? nil : batch, flush())
    }

    /// The number of entries of a partition not yet reported as stored.
    package func backlog(of partition: Partition) -> Int {
        queues.indices.contains(partition.number) ? queues[partition.number].count : 0
    }

    /// Reports a batch as stored. A batch of another incarnation, or one reported before, is ignored.
    package mutating func stored(_ batch: IngestBatch, outcomes: [StoreOutcome], now: Int64) -> [LogAction] {
        guard batch.incarnation == incarnation, queues.indices.contains(batch.partition.number) else { return [] }
        for case (let offset?, let outcome) in zip(batch.entries.lazy.map { Int64($0.offset) }, outcomes) {
            settle(through: offset, of: batch.partition.number, outcome: outcome, now: now)
        }
        return flush()
    }

    /// Removes everything up to an offset from the stream; `outcome` belongs to the last entry.
    private mutating func settle(through offset: Int64, of partition: Int, outcome: StoreOutcome?, now: Int64) {
        while let (taken, element) = queues[partition].popFirst(through: offset) {
            unstored -= 1
            let outcome = taken == offset ? outcome : nil
            settle(element, outcome ?? .stored(seq: element.event.position.seq), now: now)
        }
    }

    private mutating func settle(_ element: IngestQueue.Element, _ outcome: StoreOutcome, now: Int64) {
        // A thread with an event in a queue is never evicted.
        guard let index = threads.index(of: element.event.thread) else { return }
        guard threads[index].log?.epoch == element.event.position.epoch else {
            // The thread was deleted in the meantime.
            threads[index].log?.settle(storedAs: nil)
            // The accepted send is forgotten, and its key may belong to another send by now.
            if settings.acceptance == .whenStored { refuse(element, .unavailable("the thread was deleted")) }
            return
        }
        switch settings.acceptance {
        case .immediately:
            if let key = element.key { once.markStored(key) }
            threads[index].log?.settle(storedAs: outcome.seq)
            if outcome.isStored { publishStored(element.event) }
        case .whenStored:
            reply(element, outcome, at: index, now: now)
            threads[index].log?.settle(storedAs: outcome.seq)
        }
    }

    /// Completes an append that waited for the store's decision.
    private mutating func reply(
        _ element: IngestQueue.Element, _ outcome: StoreOutcome, at index: ThreadTable.Index,
        now: Int64
    ) {
        let acceptedSeq = threads[index].log?.acceptedSeq ?? 0
        var event = element.event
        switch outcome {
        case .repeated(let seq) where seq <= acceptedSeq && element.key?.isSend != true:
            // It is an earlier event of the thread, which is already visible.
            event.position.seq = seq
            let receipt = Receipt(event).repeated
            if let request = element.request { actions.append(.complete(request, .success(receipt))) }
            if let key = element.key { reply(once.accept(key, receipt, isStored: true, now: now), .success(receipt)) }
            publishStored(event)
        case .stored(let seq) where seq > acceptedSeq,
            .repeated(let seq) where seq > acceptedSeq && (seq == event.position.seq || element.key?.isSend != true):
            event.position.seq = seq
            accept(event, element.key, as: element.request, at: index, isStored: true, now: now)
            publishStored(event)
        case .stored, .repeated:
            // Another send with this key is stored; the next repeat queries the store and gets its receipt.
            if let made = element.key?.made { once.distrust(through: made) }
            refuse(element, .unavailable("this was sent before; repeat it to get the receipt"))
        case .marked, .rejected, .dropped:
            refuse(element, .unavailable("the store rejected the event"))
        }
    }

    /// Publishes that an event is stored, if its sender asked for it.
    private mutating func publishStored(_ event: LogEvent) {
        guard event.wantsStored else { return }
        actions.append(.publishEphemeral(.stored(seq: event.position.seq, epoch: event.position.epoch), event.thread))
    }

    /// Refuses an append that has a number but is not accepted, and the repeats that wait for it.
    mutating func refuse(_ element: IngestQueue.Element, _ error: AppendError) {
        if let request = element.request { refuse(request, error) }
        if let key = element.key { reply(once.fail(key), .failure(error)) }
    }

    // MARK: Steps

    /// Starts a new epoch for numberings that begin from now on.
    mutating func beginOtherEpoch() {
        forgotten += 1
        epoch = Epoch("\(incarnation).\(forgotten)")
    }

    /// Whether a numbering began in this value.
    private func isOwn(_ epoch: Epoch) -> Bool {
        epoch.text == incarnation || epoch.text.hasPrefix("\(incarnation).")
    }

    /// The index of a thread. If its end is unknown, the store is queried.
    mutating func entry(of thread: ThreadID) -> ThreadTable.Index {
        let index = threads.use(thread)
        if threads[index].log == nil, !threads[index].isAsked, !isStopped {
            threads[index].isAsked = true
            actions.append(.queryStore(.head(thread)))
        }
        return index
    }

    /// Ends a step and returns its actions.
    mutating func flush() -> [LogAction] {
        defer { actions = [] }
        return actions
    }
}
