package import ParleyModel
import Synchronization

/// The message log of a single-process cluster: appending, reading and the ingest stream over one `LogCore`.
///
/// Duties:
/// - Owns the `LogCore` behind one lock, which is held for its steps only. Everything the core decides (completions,
///   deliveries, store queries) is performed after the lock is released, **in the order in which it was decided**, by
///   one thread at a time (`Outbox`). The events of a thread thus reach every node in `seq` order, however many threads
///   append.
/// - Queries the store for what the core does not remember, at most `requestsAtOnce` queries at a time.
///
/// `run` must be running: it sends the queries. An append to a known thread without a `clientID` needs none. As a
/// service it starts before everything that appends and before the persister, so that it stops after them.
package final class MemoryLog: MessageLog, IngestStream, SendMemory {
    package typealias Completion = @Sendable (Result<Receipt, AppendError>) -> Void

    package let partitions: [Partition]
    package var groups: [[Partition]] { [partitions] }

    private let broker: MemoryBroker
    private let history: any LogHistory
    private let clock: WallClock
    private let settings: MemoryLogSettings
    private let state: Mutex<State>
    /// Bounded by the core: at most one query per thread and per waiting append.
    private let requests = AsyncStream.makeStream(of: LogRequest.self, bufferingPolicy: .unbounded)
    private let relief = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// The maximum number of effects that a caller of `append` performs before it leaves the rest to `run`. The caller
    /// may be an event loop, and others may append as fast as it drains.
    private static var effectsPerCaller: Int { 512 }
    /// The number of times that a resumed query may find its thread forgotten before it fails.
    private static var maximumAttempts: Int { 5 }

    /// Creates a log.
    /// - Parameters:
    ///   - broker: publishes accepted events.
    ///   - history: queried for threads and sends that the log does not remember.
    ///   - clock: dates the events.
    package init(
        bus broker: MemoryBroker, history: any LogHistory, clock: WallClock = .system, settings: MemoryLogSettings
    ) {
        var generator = SystemRandomNumberGenerator()
        let core = LogCore(settings: settings, incarnation: Epoch.make(using: &generator).text)
        self.broker = broker
        self.history = history
        self.clock = clock
        self.settings = settings
        partitions = (0..<max(1, settings.partitions)).map { Partition(number: $0) }
        state = Mutex(State(core: core))
    }

    // MARK: Appending and reading

    package func append(_ draft: EventDraft, completion: @escaping Completion) {
        let isOverloaded = step { state, now in
            guard state.effects.count < settings.undelivered else { return true }
            let request = state.nextRequest()
            state.appends[request] = completion
            state.enqueue(state.core.append(draft, as: request, now: now))
            return false
        }
        if isOverloaded { completion(.failure(.unavailable("too much is waiting to be delivered"))) }
    }

    package func head(of thread: ThreadID) async throws(AppendError) -> ThreadHead? {
        try await readThread(into: thread) { $0.head(of: thread) }
    }

    package func events(in thread: ThreadID, after: Int64, limit: Int) async throws(AppendError) -> LogSlice {
        try await readThread(into: thread) { $0.events(in: thread, after: after, limit: limit) }
    }

    /// An accepted deletion redacts its message by itself.
    package func redact(_ redaction: LogRedaction, in thread: ThreadID) async throws(AppendError) {
        state.withLock { $0.core.redact(redaction, in: thread) }
    }

    package func forget(_ thread: ThreadID) async throws(AppendError) {
        state.withLock { $0.core.forget(thread) }
    }

    package func withdraw(_ message: MessageID, from thread: ThreadID) async throws(AppendError) {
        guard state.withLock({ $0.core.withdraw(message, from: thread) }) else {
            throw .unavailable("the message is being stored")
        }
    }

    package func forget(_ clientIDs: [String], of user: UserID) async throws(AppendError) {
        state.withLock { $0.core.once.forget(clientIDs, of: user) }
    }

    /// Reads a thread once its end is known.
    private func readThread<Value: Sendable>(
        into thread: ThreadID, _ read: @Sendable (borrowing LogCore) -> Value
    ) async throws(AppendError) -> Value {
        for _ in 0..<Self.maximumAttempts {
            let (value, error): (Value?, AppendError?) = await withCheckedContinuation { continuation in
                step { state, _ in
                    let query = state.nextRequest()
                    let (isKnown, actions) = state.core.resolveEnd(of: thread, for: query)
                    if isKnown {
                        let value = read(state.core)
                        continuation.resume(returning: (value, nil))
                    } else {
                        state.queries[query] = { continuation.resume(returning: (nil, $0)) }
                    }
                    state.enqueue(actions)
                }
            }
            if let value { return value }
            if let error { throw error }
        }
        throw .unavailable("too many threads are in use")
    }

    // MARK: Ingest stream

    package func read(_ positions: [IngestPosition], limit: Int) async throws -> [IngestBatch] {
        guard positions.allSatisfy({ partitions.contains($0.partition) }) else {
            throw AppendError.unavailable("there is no such partition")
        }
        while true {
            let batches = step { state, now in state.read(positions, limit: limit, now: now) }
            if let batches { return batches }
            try await entries(at: positions)
        }
    }

    /// Waits until there is something to read, or there never will be.
    private func entries(at positions: [IngestPosition]) async throws {
        let reader = state.withLock { $0.nextRequest() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                step { state, now in
                    let batches = state.read(positions, limit: 1, now: now)
                    // Cancellation sets the flag before the handler below takes the lock, so one of the two sees it.
                    if batches != nil {
                        continuation.resume()
                    } else if Task.isCancelled || state.hasEndedWaits {
                        continuation.resume(throwing: CancellationError())
                    } else {
                        state.readers[reader] = Reader(
                            partitions: Set(positions.map(\.partition)), continuation: continuation)
                    }
                }
            }
        } onCancel: {
            state.withLock { $0.readers.removeValue(forKey: reader) }?.continuation.resume(
                throwing: CancellationError())
        }
    }

    package func endWaits() {
        let readers = state.withLock { state in
            state.hasEndedWaits = true
            defer { state.readers = [:] }
            return state.readers
        }
        for reader in readers.values { reader.continuation.resume(throwing: CancellationError()) }
    }

    package func backlog(of partition: Partition) async throws(AppendError) -> Int {
        state.withLock { $0.core.backlog(of: partition) }
    }

    @discardableResult
    package func stored(_ batches: [StoredBatch]) async -> [Int?] {
        step { state, now in
            batches.map { stored in
                state.enqueue(state.core.stored(stored.batch, outcomes: stored.outcomes, now: now))
                return state.core.backlog(of: stored.batch.partition)
            }
        }
    }

    package func refuseUnstored(in partitions: [Partition]) async -> Bool {
        guard settings.acceptance == .whenStored, settings.refusesUnstored else { return false }
        step { state, _ in state.enqueue(state.core.refuseUnstored(in: partitions)) }
        return true
    }

    // MARK: Running

    /// Queries the store and drains the outbox for callers until the task is cancelled. Must be called once.
    ///
    /// Afterwards all waiting and later appends are refused, and readers of the ingest stream get its end.
    package func run() async {
        state.withLock { $0.isRunning = true }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.answerRequests() }
            group.addTask { for await _ in self.relief.stream { self.takeOver() } }
        }
        step { state, _ in
            state.isRunning = false
            state.enqueue(state.core.stop())
        }
        takeOver()
    }

    private func answerRequests() async {
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            for await request in requests.stream {
                if running >= settings.requestsAtOnce {
                    await group.next()
                    running -= 1
                }
                running += 1
                group.addTask { await self.reply(request) }
            }
        }
    }

    private func reply(_ request: LogRequest) async {
        switch request {
        case .head(let thread):
            let reply: Result<ThreadHead?, StoreError>
            do throws(StoreError) {
                reply = .success(try await history.head(of: thread))
            } catch {
                reply = .failure(error)
            }
            step { state, now in state.enqueue(state.core.seeded(thread, reply, now: now)) }
        case .send(let key, let query):
            let reply: Result<StoredSend?, StoreError>
            do throws(StoreError) {
                reply = .success(try await history.sends([query]).first ?? nil)
            } catch {
                reply = .failure(error)
            }
            step { state, now in state.enqueue(state.core.lookedUp(for: key, in: query.thread, reply, now: now)) }
        }
    }

    // MARK: Steps and effects

    /// Takes a step under the lock, then performs the effects unless another thread is the drainer.
    private func step<Value: Sendable>(_ body: (inout State, Int64) -> Value) -> Value {
        let now = clock.milliseconds
        let (value, isDrainer) = state.withLock { state in
            let value = body(&state, now)
            return (value, state.effects.begin())
        }
        if isDrainer { drain(atMost: Self.effectsPerCaller) }
        return value
    }

    /// Performs the effects that wait; only the drainer may call this.
    private func drain(atMost limit: Int) {
        var performed = 0
        while let effects = state.withLock({ $0.takeEffects(isAtLimit: performed >= limit) }) {
            for effect in effects { perform(effect) }
            performed += effects.count
        }
        if state.withLock({ $0.isLeft }) { relief.continuation.yield() }
    }

    /// Becomes the drainer in place of one that left early.
    private func takeOver() {
        let isDrainer = state.withLock { state in
            defer { state.isLeft = false }
            return state.isLeft
        }
        if isDrainer { drain(atMost: .max) }
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .complete(let completion, let result): completion(result)
        case .resume(let query, let error): query(error)
        case .publish(let event): broker.publish(event)
        case .publishEphemeral(let event, let thread): broker.publish(.ephemeral(event, thread), to: .thread(thread))
        case .queryStore(let request): requests.continuation.yield(request)
        case .wake(let continuation): continuation.resume()
        }
    }

    // MARK: State

    /// An action together with the completions that its request IDs stand for.
    private enum Effect {
        case complete(Completion, Result<Receipt, AppendError>)
        case resume(@Sendable (AppendError?) -> Void, AppendError?)
        case publish(LogEvent)
        case publishEphemeral(EphemeralEvent, ThreadID)
        case queryStore(LogRequest)
        case wake(CheckedContinuation<Void, any Error>)
    }

    private struct Reader {
        let partitions: Set<Partition>
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var core: LogCore
        var effects = DrainQueue<Effect>()
        /// The appends not yet completed; bounded by the core.
        var appends: [AppendID: Completion] = [:]
        var queries: [AppendID: @Sendable (AppendError?) -> Void] = [:]
        /// At most one per partition, as the port requires of persisters.
        var readers: [AppendID: Reader] = [:]
        var hasEndedWaits = false
        var isRunning = false
        /// The drainer has gone before all effects were performed, and `run` is to take over.
        var isLeft = false
        private var lastRequest: UInt64 = 0

        init(core: LogCore) {
            self.core = core
        }

        mutating func nextRequest() -> AppendID {
            lastRequest += 1
            return AppendID(lastRequest)
        }

        /// - Returns: the batches that can be read now; `nil` if there are none yet, empty if there never will be any.
        mutating func read(_ positions: [IngestPosition], limit: Int, now: Int64) -> [IngestBatch]? {
            var (batches, hasEnded): ([IngestBatch], Bool) = ([], true)
            for (index, position) in positions.enumerated() {
                let share = max(1, (limit - batches.reduce(0) { $0 + $1.entries.count }) / (positions.count - index))
                let (batch, actions) = core.read(
                    position.partition, after: position.checkpoint, limit: share, now: now)
                enqueue(actions)
                if let batch, !batch.entries.isEmpty { batches.append(batch) }
                if batch == nil { hasEnded = false }
            }
            return batches.isEmpty && !hasEnded ? nil : batches
        }

        mutating func enqueue(_ actions: [LogAction]) {
            for action in actions {
                switch action {
                case .complete(let request, let result):
                    if let completion = appends.removeValue(forKey: request) {
                        effects.append(.complete(completion, result))
                    }
                case .resume(let request, let error):
                    if let query = queries.removeValue(forKey: request) { effects.append(.resume(query, error)) }
                case .publish(let event):
                    effects.append(.publish(event))
                case .publishEphemeral(let event, let thread):
                    effects.append(.publishEphemeral(event, thread))
                case .queryStore(let request):
                    effects.append(.queryStore(request))
                case .wake(let partition):
                    for (id, reader) in readers where reader.partitions.contains(partition) {
                        readers[id] = nil
                        effects.append(.wake(reader.continuation))
                    }
                }
            }
        }

        /// Takes the effects for the drainer.
        /// - Parameter isAtLimit: whether the drainer has performed as many as it may; `run`, if active, takes over.
        /// - Returns: `nil` if there are none, or if `run` takes over.
        mutating func takeEffects(isAtLimit: Bool) -> [Effect]? {
            if isAtLimit, isRunning, effects.count > 0 {
                isLeft = true
                return nil
            }
            return effects.take()
        }
    }
}
