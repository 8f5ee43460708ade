import NIOCore
package import ParleyModel

/// The order of a node's appends to each thread, as a value.
///
/// Redis executes commands in the order in which they were sent. But an append may be returned unexecuted, because
/// Redis does not know the thread or the store must be queried first; the appends sent after it would overtake it.
/// Therefore:
/// - An unknown thread has one append in flight at a time, until Redis has reported its epoch.
/// - Then appends are pipelined, each with the epoch that the node expects. If the thread has another, all of them are
///   returned and sent again in order.
/// - An append that needs a lookup before it is sent is in flight alone.
///
/// Bounded by `threads` (a soft bound: a thread with appends in flight is never evicted) and by the waiting appends.
package struct AppendLanes: Sendable {
    package typealias Request = UInt64

    /// An append to send now, with the expected epoch.
    package struct Sending: Hashable, Sendable {
        package let request: Request
        package let epoch: Epoch?

        package init(request: Request, epoch: Epoch?) {
            self.request = request
            self.epoch = epoch
        }
    }

    /// The outcome of an append that was sent.
    package enum Outcome: Hashable, Sendable {
        /// It was accepted.
        /// - Parameters:
        ///   - isDoubtful: the thread is within its doubt period.
        ///   - doubt: a `clientID` made before this time does not prove that the send is new.
        case accepted(Epoch, isDoubtful: Bool, doubt: Int64 = 0)
        /// It is complete, and nothing was learned about the thread: a repeat, a conflict or a failure.
        case finished
        /// Nothing was executed; it must be sent again.
        case returned
    }

    private struct Waiting {
        let request: Request
        var goesAlone = false
        /// See `append`.
        var made: Int64?
    }

    private struct Lane {
        var epoch: Epoch?
        /// The store may have to be queried: one append at a time.
        var isDoubtful = false
        /// An append whose `clientID` was made before this time may be returned as well.
        var doubt: Int64 = 0
        var inFlight = 0
        /// The append in flight must be alone.
        var isAlone = false
        /// The returned appends; sent again once all in flight are back.
        var returned: [Request] = []
        var waiting = CircularBuffer<Waiting>()

        var isIdle: Bool { inFlight == 0 && returned.isEmpty && waiting.isEmpty }
    }

    private let threads: Int
    private let waitingPerThread: Int
    private let waitingLimit: Int
    private var lanes: [ThreadID: Lane] = [:]
    /// The threads in order of arrival, for eviction.
    private var ages = CircularBuffer<ThreadID>()
    private var waiting = 0

    package init(threads: Int, waitingPerThread: Int, waiting: Int) {
        self.threads = threads
        self.waitingPerThread = waitingPerThread
        waitingLimit = waiting
    }

    package var threadCount: Int { lanes.count }

    /// Adds an append.
    /// - Parameters:
    ///   - goesAlone: nothing may be sent after it before its reply.
    ///   - made: the time in its `clientID` by which it must prove that it is new, in Unix milliseconds.
    /// - Returns: the appends to send; `nil` if too many are waiting and the append is refused.
    package mutating func append(
        _ request: Request, to thread: ThreadID, goesAlone: Bool = false, made: Int64? = nil
    ) -> [Sending]? {
        if lanes[thread] == nil {
            forget()
            lanes[thread] = Lane()
            ages.append(thread)
        }
        guard var lane = lanes[thread] else { return nil }
        guard lane.waiting.count < waitingPerThread, waiting < waitingLimit else { return nil }
        lane.waiting.append(Waiting(request: request, goesAlone: goesAlone, made: made))
        waiting += 1
        lanes[thread] = nil
        let sendings = pump(&lane)
        lanes[thread] = lane
        return sendings
    }

    /// Records the outcome of an append. Outcomes arrive in the order of sending.
    package mutating func answered(_ request: Request, of thread: ThreadID, _ outcome: Outcome) -> [Sending] {
        guard var lane = lanes.removeValue(forKey: thread) else { return [] }
        lane.inFlight -= 1
        lane.isAlone = false
        switch outcome {
        case .accepted(let epoch, let isDoubtful, let doubt):
            lane.epoch = epoch
            lane.doubt = doubt
            lane.isDoubtful = isDoubtful
        case .finished:
            break
        case .returned:
            lane.epoch = nil
            lane.returned.append(request)
            waiting += 1
        }
        let sendings = pump(&lane)
        lanes[thread] = lane
        return sendings
    }

    /// Records that the store query has failed: all waiting appends of the thread fail with it.
    /// - Returns: the appends that waited.
    package mutating func failed(_ thread: ThreadID) -> [Request] {
        guard var lane = lanes.removeValue(forKey: thread) else { return [] }
        let all = lane.returned + lane.waiting.map(\.request)
        waiting -= all.count
        lane.returned = []
        lane.waiting.removeAll()
        lanes[thread] = lane
        return all
    }

    private mutating func pump(_ lane: inout Lane) -> [Sending] {
        if !lane.returned.isEmpty {
            guard lane.inFlight == 0 else { return [] }
            for request in lane.returned.reversed() { lane.waiting.prepend(Waiting(request: request)) }
            lane.returned = []
        }
        var sendings: [Sending] = []
        while let next = lane.waiting.first {
            let isAlone = next.goesAlone || next.made ?? .max < lane.doubt
            let isPipelined = lane.epoch != nil && !lane.isDoubtful && !lane.isAlone && !isAlone
            guard lane.inFlight == 0 || isPipelined else { break }
            lane.waiting.removeFirst()
            waiting -= 1
            lane.inFlight += 1
            lane.isAlone = isAlone
            sendings.append(Sending(request: next.request, epoch: lane.epoch))
        }
        return sendings
    }

    /// Makes room for a thread: evicts the oldest ones that have no appends in flight.
    private mutating func forget() {
        for _ in 0..<8 where lanes.count >= threads {
            guard let thread = ages.popFirst() else { return }
            if lanes[thread]?.isIdle == true { lanes[thread] = nil } else { ages.append(thread) }
        }
    }
}
