import ParleyStorage
import Testing

@Suite("Shares of a store's connections")
struct CallQueueTests {
    private typealias Queue = CallQueue<Int, Int>

    private func queue(_ connections: Int, limit: Int = 1000) -> Queue {
        Queue(CallShares(connections: connections, processors: 16), limit: limit)
    }

    /// A call numbered `number`, which is also its caller.
    private func call(_ number: Int, _ kind: CallClass, until: Int = 0) -> Queue.Waiter {
        Queue.Waiter(number: UInt64(number), kind: kind, until: until, caller: number)
    }

    @Test(
        "a flood of one class takes its limit, and every other class still gets what is reserved for it",
        arguments: [
            (1, [1, 1, 1, 1]), (2, [2, 2, 2, 1]), (3, [3, 2, 2, 1]), (4, [2, 2, 2, 1]), (5, [3, 3, 3, 1]),
            (8, [5, 6, 5, 2]), (32, [20, 27, 23, 8]),
        ])
    func limits(connections: Int, limits: [Int]) {
        for kind in CallClass.allCases {
            var queue = queue(connections)
            let granted = (0..<100).count { queue.ask(call($0, kind)) == .granted }
            #expect(granted == limits[kind.rawValue], "\(kind)")
            #expect(queue.shares.limits[kind.rawValue] == limits[kind.rawValue], "\(kind)")
        }
    }

    @Test("with all classes but one flooding, the other gets what is reserved for it", arguments: [4, 5, 8, 16, 32])
    func reservations(connections: Int) {
        for kind in [CallClass.storing, .serving, .reading] {
            for order in [CallClass.allCases, CallClass.allCases.reversed()] {
                var queue = queue(connections)
                for other in order where other != kind {
                    for number in 0..<100 { _ = queue.ask(call(number, other)) }
                }
                #expect(queue.ask(call(1000, kind)) == .granted, "\(kind) of \(connections)")
            }
        }
    }

    @Test(
        "searches keep at most half of the processors busy",
        arguments: [(1, 1), (2, 1), (3, 1), (4, 2), (6, 3), (16, 8), (64, 8)])
    func processors(count: Int, limit: Int) {
        #expect(CallShares(connections: 32, processors: count).limits[CallClass.searching.rawValue] == limit)
    }

    @Test(
        "another maximum of searches counts whatever the processors, but takes nothing that is reserved",
        arguments: [(1, 1), (4, 4), (21, 19), (100, 19)])
    func searches(_ searches: Int, limit: Int) {
        for processors in [1, 64] {
            let shares = CallShares(connections: 32, processors: processors, searches: searches)
            #expect(shares.limits[CallClass.searching.rawValue] == limit)
        }
    }

    @Test("readers beside a writer reserve nothing for storing")
    func besideWriter() {
        #expect(CallShares(connections: 5, hasWriter: true, processors: 16).limits[CallClass.reading.rawValue] == 4)
        #expect(CallShares(connections: 5, hasWriter: true, processors: 16).limits[CallClass.searching.rawValue] == 1)
    }

    @Test("the next connection goes to the call that waited longest of those that may take it")
    func next() {
        var queue = queue(8)
        for number in 0..<10 { _ = queue.ask(call(number, .searching)) }
        for number in 10..<20 { _ = queue.ask(call(number, .reading)) }
        // Two searches, and what is not reserved for storing and serving.
        #expect(queue.shares.used[CallClass.searching.rawValue] == 2)
        #expect(queue.shares.used[CallClass.reading.rawValue] == 3)
        // A search that ends is followed by a search, since both searches waited before the pages.
        #expect(queue.giveBack(.searching)?.caller == 2)
        // A page that ends is followed by a page, though searches have waited longer.
        #expect(queue.giveBack(.reading)?.caller == 13)
        // A login is served at once, and what it used stays reserved.
        #expect(queue.ask(call(20, .serving)) == .granted)
        #expect(queue.giveBack(.serving) == nil)
        #expect(queue.ask(call(21, .storing)) == .granted)
        #expect(queue.giveBack(.storing) == nil)
    }

    @Test("within a class calls are served in order of arrival")
    func order() {
        var queue = queue(1)
        #expect(queue.ask(call(0, .reading)) == .granted)
        for number in 1..<5 { #expect(queue.ask(call(number, .reading)) == .waits) }
        for number in 1..<5 { #expect(queue.giveBack(.reading)?.caller == number) }
        #expect(queue.giveBack(.reading) == nil)
        #expect(queue.shares.inUse == 0)
    }

    @Test("each class has a bounded queue of its own, that of searches is short")
    func bounds() {
        var queue = queue(8, limit: 100)
        let searches = (0..<500).map { queue.ask(call($0, .searching)) }
        #expect(searches.count { $0 == .waits } == CallShares.maximumSearches)
        #expect(searches.last == .refused(waiting: CallShares.maximumSearches))
        let pages = (0..<500).map { queue.ask(call($0, .reading)) }
        #expect(pages.count { $0 == .waits } == 100)
        #expect(pages.last == .refused(waiting: 100))
        #expect(queue.ask(call(2000, .serving)) == .granted)
    }

    @Test("a call that gives up leaves the queue, each at its own time")
    func leaving() {
        var queue = queue(1)
        _ = queue.ask(call(0, .reading))
        _ = queue.ask(call(1, .reading, until: 2))
        _ = queue.ask(call(2, .searching, until: 1))
        _ = queue.ask(call(3, .serving, until: 3))
        #expect(queue.nextDeadline == 1)
        #expect(queue.removeLate(at: 1).map(\.caller) == [2])
        #expect(queue.remove(1)?.caller == 1)
        #expect(queue.remove(1)?.caller == nil)
        #expect(queue.nextDeadline == 3)
        #expect(queue.removeAll().map(\.caller) == [3])
        #expect(queue.nextDeadline == nil)
    }

    @Test("whatever is asked and given back, the limits hold and nobody waits who could be served")
    func allOrders() {
        for connections in 1...6 {
            var generator = SystemRandomNumberGenerator()
            var queue = queue(connections)
            var running: [CallClass] = []
            var waiting: [Int: CallClass] = [:]
            for number in 0..<2000 {
                if Bool.random(using: &generator) || running.isEmpty {
                    let kind = CallClass.allCases.randomElement(using: &generator) ?? .reading
                    switch queue.ask(call(number, kind)) {
                    case .granted: running.append(kind)
                    case .waits: waiting[number] = kind
                    case .refused: break
                    }
                } else {
                    let kind = running.remove(at: Int.random(in: running.indices, using: &generator))
                    if let next = queue.giveBack(kind) {
                        running.append(next.kind)
                        waiting[next.caller] = nil
                    }
                }
                #expect(running.count == queue.shares.inUse && running.count <= connections)
                #expect(queue.count == waiting.count)
                for kind in CallClass.allCases {
                    #expect(running.count { $0 == kind } <= queue.shares.limits[kind.rawValue])
                }
                for kind in Set(waiting.values) { #expect(!queue.shares.admits(kind)) }
            }
        }
    }
}
