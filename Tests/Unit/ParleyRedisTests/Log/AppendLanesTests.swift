import ParleyModel
import ParleyRedis
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("Appends to a thread keep their order, whatever is returned")
struct AppendLanesTests {
    private typealias Sending = AppendLanes.Sending

    private let thread = Samples.thread("t")
    private let epoch = Epoch("abcdefgh")

    private func make(perThread: Int = 100, waiting: Int = 1000, threads: Int = 100) -> AppendLanes {
        AppendLanes(threads: threads, waitingPerThread: perThread, waiting: waiting)
    }

    @Test("one append at a time until the thread is known, then all at once")
    func pipelining() {
        var lanes = make()
        #expect(lanes.append(1, to: thread) == [Sending(request: 1, epoch: nil)])
        #expect(lanes.append(2, to: thread) == [])
        #expect(lanes.append(3, to: thread) == [])
        let next = lanes.answered(1, of: thread, .accepted(epoch, isDoubtful: false))
        #expect(next == [Sending(request: 2, epoch: epoch), Sending(request: 3, epoch: epoch)])
        #expect(lanes.append(4, to: thread) == [Sending(request: 4, epoch: epoch)])
    }

    @Test("one append at a time while the store may have to be queried")
    func doubt() {
        var lanes = make()
        _ = lanes.append(1, to: thread)
        _ = lanes.append(2, to: thread)
        _ = lanes.append(3, to: thread)
        #expect(lanes.answered(1, of: thread, .accepted(epoch, isDoubtful: true)).map(\.request) == [2])
        #expect(lanes.answered(2, of: thread, .finished).map(\.request) == [3])
    }

    @Test("a clientID made before the end of doubt may need a lookup, and is sent alone")
    func madeInDoubt() {
        var lanes = make()
        _ = lanes.append(1, to: thread)
        _ = lanes.answered(1, of: thread, .accepted(epoch, isDoubtful: false, doubt: 1000))
        #expect(lanes.append(2, to: thread, made: 1000)?.map(\.request) == [2])
        #expect(lanes.append(3, to: thread, made: 999) == [])
        #expect(lanes.append(4, to: thread) == [])
        #expect(lanes.answered(2, of: thread, .finished).map(\.request) == [3])
        #expect(lanes.append(5, to: thread, made: 1001) == [])
        #expect(lanes.answered(3, of: thread, .finished).map(\.request) == [4, 5])
    }

    @Test("returned appends are sent again in order, before later ones")
    func returning() {
        var lanes = make()
        _ = lanes.append(1, to: thread)
        _ = lanes.answered(1, of: thread, .accepted(epoch, isDoubtful: false))
        for request in 2...4 as ClosedRange<UInt64> { _ = lanes.append(request, to: thread) }
        #expect(lanes.answered(2, of: thread, .returned) == [])
        #expect(lanes.append(5, to: thread) == [])
        #expect(lanes.answered(3, of: thread, .returned) == [])
        #expect(lanes.answered(4, of: thread, .returned) == [Sending(request: 2, epoch: nil)])
        let other = Epoch("12345678")
        let next = lanes.answered(2, of: thread, .accepted(other, isDoubtful: false))
        #expect(next == [3, 4, 5].map { Sending(request: $0, epoch: other) })
    }

    @Test("an append that needs a lookup is sent alone, without overtaking")
    func alone() {
        var lanes = make()
        _ = lanes.append(1, to: thread)
        _ = lanes.answered(1, of: thread, .accepted(epoch, isDoubtful: false))
        #expect(lanes.append(2, to: thread)?.map(\.request) == [2])
        #expect(lanes.append(3, to: thread, goesAlone: true) == [])
        #expect(lanes.append(4, to: thread, goesAlone: true) == [])
        #expect(lanes.append(5, to: thread) == [])
        #expect(lanes.append(6, to: thread) == [])
        #expect(lanes.answered(2, of: thread, .accepted(epoch, isDoubtful: false)).map(\.request) == [3])
        #expect(lanes.answered(3, of: thread, .finished).map(\.request) == [4])
        #expect(lanes.answered(4, of: thread, .accepted(epoch, isDoubtful: false)).map(\.request) == [5, 6])
    }

    @Test("waiting appends are bounded, per thread and in total")
    func bounds() {
        var lanes = make(perThread: 2, waiting: 3)
        let other = Samples.thread("other")
        #expect(lanes.append(1, to: thread) != nil)
        #expect(lanes.append(2, to: thread) != nil)
        #expect(lanes.append(3, to: thread) != nil)
        #expect(lanes.append(4, to: thread) == nil)
        #expect(lanes.append(5, to: other) != nil)
        #expect(lanes.append(6, to: other) != nil)
        #expect(lanes.append(7, to: other) == nil)
        #expect(lanes.failed(thread) == [2, 3])
        #expect(lanes.append(8, to: other) != nil)
    }

    @Test("the oldest threads are forgotten, but none with appends in flight")
    func forgetting() {
        var lanes = make(threads: 10)
        _ = lanes.append(1, to: thread)
        for number in 0..<100 as Range<UInt64> {
            let other = Samples.thread("t\(number)")
            _ = lanes.append(100 + number, to: other)
            _ = lanes.answered(100 + number, of: other, .accepted(epoch, isDoubtful: false))
        }
        #expect(lanes.threadCount == 10)
        #expect(lanes.append(2, to: thread) == [])
        #expect(lanes.answered(1, of: thread, .finished).map(\.request) == [2])
    }

    /// A minimal Redis and store: executes commands in order, and forgets its threads now and then.
    private struct Model {
        var lanes = AppendLanes(threads: 3, waitingPerThread: 50, waiting: 100)
        var wire: [(Sending, ThreadID)] = []
        /// Returned for a store query; sent again with its reply.
        var requested: [(Sending, ThreadID)] = []
        var replies: [(UInt64, ThreadID, AppendLanes.Outcome)] = []
        var epochs: [ThreadID: Epoch] = [:]
        var log: [ThreadID: [UInt64]] = [:]
        var finished: Set<UInt64> = []
        var threadOf: [UInt64: ThreadID] = [:]
        var generator: SeededGenerator

        mutating func send(_ sendings: [Sending], _ thread: ThreadID) {
            wire += sendings.map { ($0, thread) }
        }

        mutating func append(_ request: UInt64, to thread: ThreadID) {
            guard let sendings = lanes.append(request, to: thread) else { return }
            threadOf[request] = thread
            send(sendings, thread)
        }

        /// Executes the next command. `isSeeded`: the command includes the store's reply.
        mutating func execute(_ sending: Sending, _ thread: ThreadID, isSeeded: Bool = false) {
            let request = sending.request
            if let epoch = epochs[thread] {
                guard sending.epoch == nil || sending.epoch == epoch else {
                    return replies.append((request, thread, .returned))
                }
            } else if sending.epoch != nil {
                return replies.append((request, thread, .returned))
            } else if isSeeded {
                epochs[thread] = Epoch.make(using: &generator)
            } else {
                return requested.append((sending, thread))
            }
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: replies.append((request, thread, .finished))
            case 1:
                log[thread, default: []].append(request)
                replies.append((request, thread, .accepted(epochs[thread] ?? Epoch(""), isDoubtful: true)))
            default:
                log[thread, default: []].append(request)
                replies.append((request, thread, .accepted(epochs[thread] ?? Epoch(""), isDoubtful: false)))
            }
        }

        mutating func step() {
            switch Int.random(in: 0..<100, using: &generator) {
            case 0: epochs = [:]
            case 1..<40: if !wire.isEmpty { execute(wire[0].0, wire.removeFirst().1) }
            case 40..<60:
                if !requested.isEmpty {
                    let (sending, thread) = requested.removeFirst()
                    if Int.random(in: 0..<8, using: &generator) == 0 {
                        // The store is unavailable: this append and those behind it are refused.
                        let failed = lanes.failed(thread)
                        finished.formUnion(failed)
                        replies.append((sending.request, thread, .finished))
                    } else {
                        execute(sending, thread, isSeeded: true)
                    }
                }
            default:
                if !replies.isEmpty {
                    let (request, thread, outcome) = replies.removeFirst()
                    if outcome != .returned { finished.insert(request) }
                    send(lanes.answered(request, of: thread, outcome), thread)
                }
            }
        }
    }

    @Test("the invariants hold for random sequences of events", arguments: 1...40)
    func random(_ seed: Int) {
        var model = Model(generator: SeededGenerator(UInt64(seed)))
        let threads = (0..<6).map { Samples.thread("t\($0)") }
        for request in 1...600 as ClosedRange<UInt64> {
            let index = Int.random(in: 0..<threads.count, using: &model.generator)
            model.append(request, to: threads[index])
            for _ in 0..<Int.random(in: 0..<6, using: &model.generator) { model.step() }
        }
        var steps = 0
        while !(model.wire.isEmpty && model.requested.isEmpty && model.replies.isEmpty), steps < 1_000_000 {
            model.step()
            steps += 1
        }
        #expect(model.finished == Set(model.threadOf.keys), "every append is answered, with seed \(seed)")
        for (thread, requests) in model.log {
            #expect(requests == requests.sorted(), "order of \(thread), with seed \(seed)")
            #expect(Set(requests).count == requests.count)
        }
    }
}
