/// Who waits for which read: the state machine of `SingleFlight`, without tasks.
///
/// Of those who want the same, one leads and reads. Whoever comes while that read is under way waits for the next one,
/// which begins when this one has ended and whose answer all of them share: an answer is never older than its question.
package struct SingleFlightState<Key: Hashable & Sendable, Waiter: Sendable>: Sendable {
    /// What becomes of a question.
    package enum Reply: Hashable, Sendable {
        /// The asker reads; the waiter was not kept.
        case lead
        /// The waiter was kept and will be in a `Completion`.
        case wait
        /// As many wait as may; the waiter was not kept.
        case refuse
    }

    /// Whom to tell what after a read.
    package struct Completion: Sendable {
        package init() {}

        /// Share the answer.
        package var sharers: [Waiter] = []
        /// Reads next.
        package var leader: Waiter?
    }

    private struct Read {
        /// Share the answer of the read under way.
        var sharers: [Waiter] = []
        /// Came after it had begun.
        var next: [Waiter] = []
    }

    private let maximumWaiting: Int
    private var reads: [Key: Read] = [:]
    /// Waiters kept, of all keys.
    package private(set) var waitingCount = 0

    package init(maximumWaiting: Int) {
        self.maximumWaiting = maximumWaiting
    }

    package mutating func ask(_ key: Key, waiter: Waiter) -> Reply {
        guard reads[key] != nil else {
            reads[key] = Read()
            return .lead
        }
        guard waitingCount < maximumWaiting else { return .refuse }
        waitingCount += 1
        reads[key]?.next.append(waiter)
        return .wait
    }

    /// The read under way has ended.
    /// - Parameter leaderWithdrew: it ended without an answer because its leader was cancelled, so whoever was to share
    ///   it shares the next one.
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
