/// The state machine of `SingleFlight`, without tasks.
///
/// Of the callers with the same key, one leads and reads. Callers that arrive during that read wait for the next one,
/// which begins when it has ended and whose value they all share: a value is never older than the call.
package struct SingleFlightState<Key: Hashable & Sendable, Waiter: Sendable>: Sendable {
    /// The result of a call.
    package enum Reply: Hashable, Sendable {
        /// The caller reads; the waiter was not queued.
        case lead
        /// The waiter was queued and will be part of a `Completion`.
        case wait
        /// The queue is full; the waiter was not queued.
        case refuse
    }

    /// The waiters to resume after a read.
    package struct Completion: Sendable {
        package init() {}

        /// Get the value.
        package var sharers: [Waiter] = []
        /// Reads next.
        package var leader: Waiter?
    }

    private struct Read {
        /// Will get the value of the read in progress.
        var sharers: [Waiter] = []
        /// Arrived after it had begun.
        var next: [Waiter] = []
    }

    private let maximumWaiting: Int
    private var reads: [Key: Read] = [:]
    /// The number of queued waiters, of all keys.
    package private(set) var waitingCount = 0

    package init(maximumWaiting: Int) {
        self.maximumWaiting = maximumWaiting
    }

    /// Requests the value of a key.
    package mutating func request(_ key: Key, waiter: Waiter) -> Reply {
        guard reads[key] != nil else {
            reads[key] = Read()
            return .lead
        }
        guard waitingCount < maximumWaiting else { return .refuse }
        waitingCount += 1
        reads[key]?.next.append(waiter)
        return .wait
    }

    /// Ends the read in progress.
    /// - Parameter leaderWithdrew: the leader was cancelled before it had a value, so its sharers share the next read.
    package mutating func end(_ key: Key, leaderWithdrew: Bool) -> Completion {
        guard var read = reads[key] else { return Completion() }
        var completion = Completion()
        if leaderWithdrew {
            read.next = read.sharers + read.next
        } else {
            completion.sharers = read.sharers
        }
        waitingCount -= completion.sharers.count
        guard !read.next.isEmpty else {
            reads[key] = nil
            return completion
        }
        waitingCount -= 1
        completion.leader = read.next.removeFirst()
        reads[key] = Read(sharers: read.next)
        return completion
    }
}
