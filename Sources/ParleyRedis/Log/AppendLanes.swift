import NIOCore
package import ParleyModel

/// The order of a node's appends to each thread, as a value.
///
/// Redis runs commands in the order in which they were sent. But an append may come back undone, because Redis does not
/// know the thread (any more) or must have the store asked; those sent after it would overtake it. Therefore
/// - a thread of which nothing is known gets one append at a time, until Redis has told its epoch;
/// - then appends are pipelined, each with the epoch that the node believes in: if the thread has another, all of them
///   come back, and are sent again in their order;
/// - one that takes its time before it is sent, since it must be looked for first, goes alone.
///
/// Bounded by `threads` (soft: a thread with appends on their way is never forgotten) and by the waiting appends.
package struct AppendLanes: Sendable {
    package typealias Request = UInt64

    /// To be sent now, with the epoch that is believed in.
    package struct Sending: Hashable, Sendable {
        package let request: Request
        package let epoch: Epoch?

        package init(request: Request, epoch: Epoch?) {
            self.request = request
            self.epoch = epoch
        }
    }

    /// What became of an append that was sent.
    package enum Outcome: Hashable, Sendable {
        /// It is through.
        /// - Parameters:
        ///   - isDoubtful: the thread is in doubt for now.
        ///   - doubt: what was made before this instant cannot prove that it is new.
        case accepted(Epoch, isDoubtful: Bool, doubt: Int64 = 0)
        /// It is through, and nothing was learnt of the thread: a repeat, a conflict, a failure.
        case finished
        /// Nothing was done; it must be sent again.
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
        /// The store may have to be asked: one at a time.
        var isDoubtful = false
        /// What was made before it may come back too.
        var doubt: Int64 = 0
        var inFlight = 0
        /// The one that is in flight goes alone.
        var isAlone = false
        /// Came back; sent again once all are back.
        var returned: [Request] = []
        var waiting = CircularBuffer<Waiting>()

        var isIdle: Bool { inFlight == 0 && returned.isEmpty && waiting.isEmpty }
    }

    private let threads: Int
    private let waitingPerThread: Int
    private let waitingLimit: Int
    private var lanes: [ThreadID: Lane] = [:]
    /// Threads in order of their coming, for forgetting.
    private var ages = CircularBuffer<ThreadID>()
    private var waiting = 0

    package init(threads: Int, waitingPerThread: Int, waiting: Int) {
        self.threads = threads
        self.waitingPerThread = waitingPerThread
        waitingLimit = waiting
    }

    package var threadCount: Int { lanes.count }

    /// A caller appends.
    /// - Parameters:
    ///   - goesAlone: nothing is to be sent after it before it is answered.
    ///   - made: when its `clientID` was made, by which it is to prove that it is new; Unix milliseconds.
    /// - Returns: what to send; `nil` if too many wait, and then the append is not taken.
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

    /// An append that was sent is answered. Answers come in the order of the sending.
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

    /// The store could not be asked: whatever waits in a thread fails with it.
    /// - Returns: those that waited.
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

    /// Makes room for a thread: forgets the oldest, if nothing of theirs is on its way.
    private mutating func forget() {
        for _ in 0..<8 where lanes.count >= threads {
            guard let thread = ages.popFirst() else { return }
            if lanes[thread]?.isIdle == true { lanes[thread] = nil } else { ages.append(thread) }
        }
    }
}
