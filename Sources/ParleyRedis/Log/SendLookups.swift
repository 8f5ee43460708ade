import NIOCore
package import ParleyModel

/// Which sends wait until it is known whether they were sent before, as a value.
///
/// A send whose `clientID` does not prove that it is new is looked for before it is appended. What comes after it to the
/// same thread waits behind it, so that appends keep their order; questions of all threads go to the store in batches.
/// Bounded by the appends that wait.
package struct SendLookups: Sendable {
    package typealias Request = AppendLanes.Request

    package enum Admission: Hashable, Sendable {
        /// Nothing is in its way.
        case goesOn
        /// It waits, and `answered` gives it back.
        case waits
        /// Too many wait.
        case refused
    }

    private struct Waiting {
        let request: Request
        var isRequesting: Bool
    }

    private let waitingPerThread: Int
    private let waitingLimit: Int
    /// Threads in which something waits.
    private var threads: [ThreadID: CircularBuffer<Waiting>] = [:]
    private var waiting = 0
    /// Sends that no batch has taken yet.
    private var unasked: [Request] = []
    /// Batches that the store has not answered.
    private var running = 0
    /// Those of them that nobody waits for any more.
    private var late = 0

    package init(waitingPerThread: Int, waiting: Int) {
        self.waitingPerThread = waitingPerThread
        waitingLimit = waiting
    }

    /// The store takes so long that nobody waits for it: until it has answered, sends are let through.
    package var isStuck: Bool { late > 0 }

    /// A caller appends.
    /// - Parameter asks: it has to be looked for.
    package mutating func admit(_ request: Request, to thread: ThreadID, asks: Bool) -> Admission {
        if !asks, threads.isEmpty || threads[thread] == nil { return .goesOn }
        guard waiting < waitingLimit, threads[thread]?.count ?? 0 < waitingPerThread else { return .refused }
        waiting += 1
        threads[thread, default: []].append(Waiting(request: request, isRequesting: asks))
        return .waits
    }

    /// A send is to be in one of the next batches.
    /// - Returns: whether a batch is to be taken for it; otherwise it goes with one that is to be taken anyway.
    package mutating func ask(_ request: Request) -> Bool {
        unasked.append(request)
        return unasked.count == 1
    }

    /// A batch is to be taken as soon as one may run.
    package var hasUnasked: Bool { !unasked.isEmpty }

    /// Takes the sends of the next batch.
    /// - Parameters:
    ///   - limit: the most sends.
    ///   - batches: how many may run at the same time.
    /// - Returns: empty if there is nothing to ask, or enough is under way.
    package mutating func takeBatch(limit: Int, batches: Int) -> [Request] {
        guard !unasked.isEmpty, running - late < batches else { return [] }
        running += 1
        let batch = Array(unasked.prefix(limit))
        unasked.removeFirst(batch.count)
        return batch
    }

    /// Nobody waits for a batch any more.
    package mutating func expire() { late += 1 }

    /// The store has answered a batch, or failed.
    package mutating func end(wasLate: Bool) {
        running -= 1
        if wasLate { late -= 1 }
    }

    /// It is known whether a send was sent before.
    /// - Returns: what of its thread can go on now, in order; the send itself may be among it.
    package mutating func answered(_ request: Request, of thread: ThreadID) -> [Request] {
        guard var queue = threads[thread] else { return [] }
        // Answers come about in the order of the questions, so it is near the front.
        if let place = queue.firstIndex(where: { $0.request == request }) { queue[place].isRequesting = false }
        var ready: [Request] = []
        while let first = queue.first, !first.isRequesting { ready.append(queue.removeFirst().request) }
        waiting -= ready.count
        threads[thread] = queue.isEmpty ? nil : queue
        return ready
    }
}
