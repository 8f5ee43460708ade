/// Gathers look-ups of one kind into queries: the state machine, without tasks or time of its own.
///
/// Of those who wait, one leads: it takes the next batch (`begin`), runs the query, and hands in the result (`finish`
/// or `fail`), which also names the next leader. One query runs at a time. A look-up joins the query in flight only if
/// its answer may be a moment old, never after its key was invalidated; what was invalidated is not remembered.
package struct BatchLoaderState<Key: Hashable & Sendable, Value: Sendable, Waiter: Sendable>: Sendable {
    /// What becomes of a look-up.
    package enum Reply: Sendable {
        case remembered(Value)
        /// The waiter was kept and will be in a `Completion`.
        case wait
        /// The asker leads, after a pause in milliseconds; the waiter was not kept.
        case lead(pause: Int64)
        /// As many wait as may; the waiter was not kept.
        case refuse
    }

    /// Whom to tell what.
    package struct Completion: Sendable {
        /// In the order they asked, per key.
        package var waiters: [(waiter: Waiter, key: Key)] = []
        /// Who leads the next batch, after a pause in milliseconds.
        package var leader: (waiter: Waiter, pause: Int64)?
    }

    private let batchSize: Int
    private let tick: Int64
    private let maximumWaiting: Int
    private var memory: TTLCache<Key, Value>

    /// Keys that wait for their query, in order, cut into batches. Not empty only while somebody leads.
    private var batches: [[Key]] = []
    private var waiting: [Key: [Waiter]] = [:]
    private var inFlight: [Key: [Waiter]] = [:]
    private var invalidated: Set<Key> = []
    private var isLed = false
    private var lastBegin: Int64?
    /// Waiters kept, of both kinds.
    package private(set) var waitingCount = 0

    /// - Parameters:
    ///   - tick: milliseconds between the beginnings of two queries, unless a batch is full.
    ///   - memory: of lifetime 0, nothing is remembered and no query in flight joined.
    package init(batchSize: Int, tick: Int64, maximumWaiting: Int, memory: TTLCache<Key, Value>) {
        self.batchSize = max(1, batchSize)
        self.tick = tick
        self.maximumWaiting = maximumWaiting
        self.memory = memory
    }

    /// - Parameter fresh: the answer must be read after this call.
    package mutating func lookUp(_ key: Key, fresh: Bool, at now: Int64, waiter: Waiter) -> Reply {
        let mayBeOld = !fresh && memory.lifetime > 0
        if mayBeOld, let value = memory.value(for: key, at: now) { return .remembered(value) }
        guard isLed else {
            isLed = true
            enqueue(key)
            return .lead(pause: pause(at: now))
        }
        guard waitingCount < maximumWaiting else { return .refuse }
        waitingCount += 1
        if mayBeOld, !invalidated.contains(key), inFlight[key] != nil {
            inFlight[key]?.append(waiter)
        } else {
            enqueue(key)
            waiting[key]?.append(waiter)
        }
        return .wait
    }

    /// The leader takes its batch: these keys, at least its own, are to be asked for now.
    package mutating func begin(at now: Int64) -> [Key] {
        lastBegin = now
        guard !batches.isEmpty else { return [] }
        let batch = batches.removeFirst()
        for key in batch { inFlight[key] = waiting.removeValue(forKey: key) ?? [] }
        return batch
    }

    /// The query of `batch` was answered.
    package mutating func finish(_ batch: [Key], found: [Key: Value], at now: Int64) -> Completion {
        for key in batch where !invalidated.contains(key) {
            if let value = found[key] { memory.store(value, for: key, at: now) }
        }
        return conclude(batch, at: now)
    }

    /// The query of `batch` failed.
    /// - Parameter leaderWithdrew: it failed because its leader was cancelled; the others try once more, so nobody is
    ///   told, and the next leader takes the same batch.
    package mutating func fail(_ batch: [Key], leaderWithdrew: Bool, at now: Int64) -> Completion {
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

    /// What was known of a key is void: later look-ups read anew.
    package mutating func invalidate(_ key: Key) {
        memory.remove(key)
        if inFlight[key] != nil { invalidated.insert(key) }
    }

    /// Everything that was known is void.
    package mutating func invalidateAll() {
        memory.removeAll()
        invalidated.formUnion(inFlight.keys)
    }

    /// Lets go of what is too old to be an answer.
    package mutating func forgetOld(at now: Int64) {
        memory.removeOld(at: now)
    }

    private mutating func enqueue(_ key: Key) {
        guard waiting[key] == nil else { return }
        waiting[key] = []
        if let last = batches.indices.last, batches[last].count < batchSize {
            batches[last].append(key)
        } else {
            batches.append([key])
        }
    }

    private mutating func conclude(_ batch: [Key], at now: Int64) -> Completion {
        var completion = Completion()
        for key in batch {
            for waiter in inFlight[key] ?? [] { completion.waiters.append((waiter, key)) }
        }
        inFlight = [:]
        invalidated = []
        waitingCount -= completion.waiters.count
        // Every key that waits has a waiter: only a leader's own key has none, and a leader has begun.
        if let key = batches.first?.first, waiting[key]?.isEmpty == false, let waiter = waiting[key]?.removeFirst() {
            waitingCount -= 1
            completion.leader = (waiter, pause(at: now))
        } else {
            isLed = false
        }
        return completion
    }

    private func pause(at now: Int64) -> Int64 {
        guard let first = batches.first, first.count < batchSize, let lastBegin else { return 0 }
        let since = now - lastBegin
        // A clock that was set back must not make anybody wait for it to catch up.
        return since < 0 ? 0 : max(0, tick - since)
    }
}
