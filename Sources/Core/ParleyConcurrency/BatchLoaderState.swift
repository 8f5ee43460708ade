/// Combines lookups of one kind into queries: a state machine without tasks or clocks.
///
/// One of the waiting callers leads: it takes the next batch (`begin`), runs the query, and reports the result
/// (`finish` or `fail`), which also names the next leader. One query runs at a time. A lookup joins the query in flight
/// only if its result may be slightly stale, and never after its key was invalidated; results for invalidated keys are
/// not cached.
package struct BatchLoaderState<Key: Hashable & Sendable, Value: Sendable, Waiter: Sendable>: Sendable {
    /// The result of a lookup.
    package enum Reply: Sendable {
        case remembered(Value)
        /// The waiter was queued and will be part of a `Completion`.
        case wait
        /// The caller leads, after a pause in milliseconds; the waiter was not queued.
        case lead(pause: Int64)
        /// The queue is full; the waiter was not queued.
        case refuse
    }

    /// The waiters to resume.
    package struct Completion: Sendable {
        @inlinable init() {}

        /// In order of arrival for each key.
        package var waiters: [(waiter: Waiter, key: Key)] = []
        /// The leader of the next batch, which begins after a pause in milliseconds.
        package var leader: (waiter: Waiter, pause: Int64)?
    }

    @usableFromInline let batchSize: Int
    @usableFromInline let tick: Int64
    @usableFromInline let maximumWaiting: Int
    @usableFromInline var memory: TTLCache<Key, Value>

    /// Keys that wait for their query, in order, cut into batches. Empty unless there is a leader.
    @usableFromInline var batches: [[Key]] = []
    @usableFromInline var waiting: [Key: [Waiter]] = [:]
    @usableFromInline var inFlight: [Key: [Waiter]] = [:]
    @usableFromInline var invalidated: Set<Key> = []
    @usableFromInline var isLed = false
    @usableFromInline var lastBegin: Int64?
    @usableFromInline var kept = 0

    /// Waiters kept, of both kinds.
    @inlinable package var waitingCount: Int { kept }

    /// - Parameters:
    ///   - tick: minimum milliseconds between the starts of two queries, unless a batch is full.
    ///   - memory: with lifetime 0 nothing is cached and no query in flight is joined.
    package init(batchSize: Int, tick: Int64, maximumWaiting: Int, memory: TTLCache<Key, Value>) {
        self.batchSize = max(1, batchSize)
        self.tick = tick
        self.maximumWaiting = maximumWaiting
        self.memory = memory
    }

    /// - Parameter fresh: the answer must be read after this call.
    @inlinable package mutating func lookUp(_ key: Key, fresh: Bool, at now: Int64, waiter: Waiter) -> Reply {
        let mayBeOld = !fresh && memory.lifetime > 0
        if mayBeOld, let value = memory.value(for: key, at: now) { return .remembered(value) }
        guard isLed else {
            isLed = true
            enqueue(key)
            return .lead(pause: pause(at: now))
        }
        guard kept < maximumWaiting else { return .refuse }
        kept += 1
        if mayBeOld, !invalidated.contains(key), inFlight[key] != nil {
            inFlight[key]?.append(waiter)
        } else {
            enqueue(key)
            waiting[key]?.append(waiter)
        }
        return .wait
    }

    /// The leader takes its batch: the keys to query now, which include its own.
    @inlinable package mutating func begin(at now: Int64) -> [Key] {
        lastBegin = now
        guard !batches.isEmpty else { return [] }
        let batch = batches.removeFirst()
        for key in batch { inFlight[key] = waiting.removeValue(forKey: key) ?? [] }
        return batch
    }

    /// The query of `batch` was answered.
    @inlinable package mutating func finish(_ batch: [Key], found: [Key: Value], at now: Int64) -> Completion {
        for key in batch where !invalidated.contains(key) {
            if let value = found[key] { memory.store(value, for: key, at: now) }
        }
        return conclude(batch, at: now)
    }

    /// The query of `batch` failed.
    /// - Parameter leaderWithdrew: it failed because its leader was cancelled; the others try once more, so no caller
    ///   fails, and the next leader takes the same batch.
    @inlinable package mutating func fail(_ batch: [Key], leaderWithdrew: Bool, at now: Int64) -> Completion {
        guard leaderWithdrew else { return conclude(batch, at: now) }
        var again: [Key] = []
        for key in batch {
            guard let waiters = inFlight[key], !waiters.isEmpty else { continue }
            if waiting[key] == nil { again.append(key) }
            waiting[key, default: []].insert(contentsOf: waiters, at: 0)
            inFlight[key] = nil
        }
        if !again.isEmpty { batches.insert(again, at: 0) }
        return conclude(batch, at: now)
    }

    /// Invalidates a key: later lookups query it again.
    @inlinable package mutating func invalidate(_ key: Key) {
        memory.remove(key)
        if inFlight[key] != nil { invalidated.insert(key) }
    }

    /// Invalidates all keys.
    @inlinable package mutating func invalidateAll() {
        memory.removeAll()
        invalidated.formUnion(inFlight.keys)
    }

    /// Removes expired values from the cache.
    @inlinable package mutating func forgetOld(at now: Int64) {
        memory.removeOld(at: now)
    }

    @inlinable mutating func enqueue(_ key: Key) {
        guard waiting[key] == nil else { return }
        waiting[key] = []
        if let last = batches.indices.last, batches[last].count < batchSize {
            batches[last].append(key)
        } else {
            batches.append([key])
        }
    }

    @inlinable mutating func conclude(_ batch: [Key], at now: Int64) -> Completion {
        var completion = Completion()
        for key in batch {
            for waiter in inFlight[key] ?? [] { completion.waiters.append((waiter, key)) }
        }
        inFlight = [:]
        invalidated = []
        kept -= completion.waiters.count
        // Every waiting key has a waiter, except a leader's own key, and a leader has begun.
        if let key = batches.first?.first, waiting[key]?.isEmpty == false, let waiter = waiting[key]?.removeFirst() {
            kept -= 1
            completion.leader = (waiter, pause(at: now))
        } else {
            isLed = false
        }
        return completion
    }

    @inlinable func pause(at now: Int64) -> Int64 {
        guard let first = batches.first, first.count < batchSize, let lastBegin else { return 0 }
        let since = now - lastBegin
        // If the clock was set back, the next query does not wait for it to catch up.
        return since < 0 ? 0 : max(0, tick - since)
    }
}
