import NIOCore
package import ParleyModel

/// The sends that wait until it is known whether they were sent before, as a value.
///
/// A send whose `clientID` does not prove that it is new is looked up before it is appended. Later appends to the same
/// thread wait behind it, so that appends keep their order. The lookups of all threads are sent to the store in
/// batches. Bounded by the waiting appends.
package struct SendLookups: Sendable {
    package typealias Request = AppendLanes.Request

    package enum Admission: Hashable, Sendable {
        /// The append proceeds at once.
        case proceeds
        /// The append waits until `answered` returns it.
        case waits
        /// Too many appends are waiting.
        case refused
    }

    private struct Waiting {
        let request: Request
        var isRequesting: Bool
    }

    private let waitingPerThread: Int
    private let waitingLimit: Int
    /// The waiting appends of each thread.
    private var threads: [ThreadID: CircularBuffer<Waiting>] = [:]
    private var waiting = 0
    /// The sends that are not in a batch yet.
    private var unasked: [Request] = []
    /// The number of batches without a reply.
    private var running = 0
    /// The number of batches that have timed out and are still running.
    private var late = 0

    package init(waitingPerThread: Int, waiting: Int) {
        self.waitingPerThread = waitingPerThread
        waitingLimit = waiting
    }

    /// Whether a batch has timed out and is still running: until its reply, sends are let through.
    package var isStuck: Bool { late > 0 }

    /// Admits an append.
    /// - Parameter needsLookup: whether the send must be looked up.
    package mutating func admit(_ request: Request, to thread: ThreadID, needsLookup: Bool) -> Admission {
        if !needsLookup, threads.isEmpty || threads[thread] == nil { return .proceeds }
        guard waiting < waitingLimit, threads[thread]?.count ?? 0 < waitingPerThread else { return .refused }
        waiting += 1
        threads[thread, default: []].append(Waiting(request: request, isRequesting: needsLookup))
        return .waits
    }

    /// Adds a send to the next batch.
    /// - Returns: whether a batch must be started for it; otherwise one is due already.
    package mutating func enqueue(_ request: Request) -> Bool {
        unasked.append(request)
        return unasked.count == 1
    }

    /// Whether a batch is due as soon as one may run.
    package var hasUnasked: Bool { !unasked.isEmpty }

    /// Takes the sends of the next batch.
    /// - Parameters:
    ///   - limit: the maximum number of sends.
    ///   - batches: the maximum number of concurrent batches, not counting batches that have timed out.
    /// - Returns: the sends; empty if there are none, or if enough batches are running.
    package mutating func takeBatch(limit: Int, batches: Int) -> [Request] {
        guard !unasked.isEmpty, running - late < batches else { return [] }
        running += 1
        let batch = Array(unasked.prefix(limit))
        unasked.removeFirst(batch.count)
        return batch
    }

    /// Records that a batch has timed out.
    package mutating func expire() { late += 1 }

    /// Records that a batch query has ended.
    package mutating func end(wasLate: Bool) {
        running -= 1
        if wasLate { late -= 1 }
    }

    /// Records that the lookup of a send is complete.
    /// - Returns: the appends of its thread that can proceed now, in order, possibly including the send.
    package mutating func answered(_ request: Request, of thread: ThreadID) -> [Request] {
        guard var queue = threads[thread] else { return [] }
        // Replies arrive roughly in the order of the lookups, so it is near the front.
        if let place = queue.firstIndex(where: { $0.request == request }) { queue[place].isRequesting = false }
        var ready: [Request] = []
        while let first = queue.first, !first.isRequesting { ready.append(queue.removeFirst().request) }
        waiting -= ready.count
        threads[thread] = queue.isEmpty ? nil : queue
        return ready
    }
}
