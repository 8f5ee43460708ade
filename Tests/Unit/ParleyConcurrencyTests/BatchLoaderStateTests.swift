import ParleyConcurrency
import ParleyTestSupport
import Testing

@Suite("Batching of lookups")
struct BatchLoaderStateTests {
    private typealias Table = BatchLoaderState<Int, Int, Int>

    private func table(
        batchSize: Int = 500, tick: Int64 = 5, maximumWaiting: Int = 1000, lifetime: Int64 = 2000
    ) -> Table {
        Table(
            batchSize: batchSize, tick: tick, maximumWaiting: maximumWaiting,
            memory: TTLCache(lifetime: lifetime, capacity: 100))
    }

    @Test("lookups during a query become one query afterwards, led by the first")
    func gathered() {
        var table = table()
        guard case .lead(pause: 0) = table.lookUp(1, fresh: false, at: 100, waiter: 1) else {
            Issue.record("the first does not lead")
            return
        }
        #expect(table.begin(at: 100) == [1])
        for waiter in 2...5 {
            guard case .wait = table.lookUp(waiter % 2 + 10, fresh: false, at: 101, waiter: waiter) else {
                Issue.record("\(waiter) does not wait")
                return
            }
        }
        let first = table.finish([1], found: [1: 1], at: 102)
        #expect(first.waiters.isEmpty)
        #expect(first.leader?.waiter == 2)
        #expect(first.leader?.pause == 3, "the tick is not kept")
        #expect(table.begin(at: 105) == [10, 11])
        let second = table.finish([10, 11], found: [10: 100], at: 106)
        #expect(second.waiters.map(\.waiter) == [4, 3, 5])
        #expect(second.leader == nil)
        #expect(table.waitingCount == 0)
    }

    @Test("a lookup joins a query in flight for its key, unless it needs a fresh value or nothing is cached")
    func joining() {
        for (fresh, lifetime, joins) in [(false, 2000, true), (true, 2000, false), (false, 0, false)]
            as [(Bool, Int64, Bool)]
        {
            var table = table(lifetime: lifetime)
            _ = table.lookUp(1, fresh: false, at: 0, waiter: 1)
            let batch = table.begin(at: 0)
            _ = table.lookUp(1, fresh: fresh, at: 0, waiter: 2)
            let done = table.finish(batch, found: [1: 7], at: 0)
            #expect(done.waiters.map(\.waiter) == (joins ? [2] : []))
            #expect((done.leader != nil) == !joins)
        }
    }

    @Test("an invalidated key is read again, also while a query is in flight")
    func invalidation() {
        var table = table()
        _ = table.lookUp(1, fresh: false, at: 0, waiter: 1)
        let batch = table.begin(at: 0)
        table.invalidate(1)
        guard case .wait = table.lookUp(1, fresh: false, at: 0, waiter: 2) else {
            Issue.record("it did not wait")
            return
        }
        let first = table.finish(batch, found: [1: 7], at: 0)
        #expect(first.waiters.isEmpty, "it joined the query that was void")
        #expect(table.begin(at: 0) == [1])
        _ = table.finish([1], found: [1: 8], at: 0)
        guard case .remembered(8) = table.lookUp(1, fresh: false, at: 0, waiter: 3) else {
            Issue.record("the new answer is not remembered")
            return
        }
        table.invalidateAll()
        guard case .lead = table.lookUp(1, fresh: false, at: 0, waiter: 4) else {
            Issue.record("the old answer is remembered")
            return
        }
    }

    @Test("the number of waiting lookups is bounded", arguments: [(9, true), (10, false)])
    func bound(waiting: Int, isAccepted: Bool) {
        var table = table(maximumWaiting: 10)
        _ = table.lookUp(0, fresh: true, at: 0, waiter: 0)
        _ = table.begin(at: 0)
        for waiter in 0..<waiting { _ = table.lookUp(waiter, fresh: true, at: 0, waiter: waiter) }
        let response = table.lookUp(99, fresh: true, at: 0, waiter: 99)
        if case .wait = response { #expect(isAccepted) } else { #expect(!isAccepted) }
    }

    @Test("when the leader of a failed query was cancelled, the others retry")
    func withdrawn() {
        var table = table()
        _ = table.lookUp(1, fresh: false, at: 0, waiter: 1)
        let batch = table.begin(at: 0)
        _ = table.lookUp(1, fresh: false, at: 0, waiter: 2)
        _ = table.lookUp(1, fresh: false, at: 0, waiter: 3)
        let failed = table.fail(batch, leaderWithdrew: true, at: 0)
        #expect(failed.waiters.isEmpty)
        #expect(failed.leader?.waiter == 2)
        #expect(table.begin(at: 0) == [1])
        let last = table.fail([1], leaderWithdrew: false, at: 0)
        #expect(last.waiters.map(\.waiter) == [3])
        #expect(last.leader == nil)
    }

    @Test("20 lookups a millisecond for 5 s cause at most a query per tick, none larger than a batch")
    func pace() {
        var table = table(maximumWaiting: 100_000, lifetime: 0)
        var queries = 0
        var requested = 0
        var answered = 0
        /// When the leader begins, or when its query ends.
        var beginAt: Int64?
        var doneAt: (Int64, [Int])?
        for now in 0..<6000 as Range<Int64> {
            if now < 5000 {
                for _ in 0..<20 {
                    requested += 1
                    if case .lead(let pause) = table.lookUp(requested, fresh: false, at: now, waiter: requested) {
                        beginAt = now + pause
                        answered += 1
                    }
                }
            }
            if let (time, batch) = doneAt, time <= now {
                doneAt = nil
                let done = table.finish(batch, found: [:], at: now)
                answered += done.waiters.count + (done.leader == nil ? 0 : 1)
                beginAt = done.leader.map { now + $0.pause }
            }
            if let time = beginAt, time <= now, doneAt == nil {
                beginAt = nil
                let batch = table.begin(at: now)
                #expect(batch.count <= 500)
                queries += 1
                doneAt = (now + 1, batch)
            }
        }
        #expect(requested == 100_000)
        #expect(answered == requested)
        #expect(table.waitingCount == 0)
        #expect(queries <= 1001, "\(queries) queries")
    }

    @Test("every lookup is answered once, and never with a value invalidated before it", arguments: 0..<100)
    func randomRuns(run: Int) {
        let seed = run == 0 ? UInt64.random(in: .min ... .max) : UInt64(run)
        var random = SeededGenerator(seed)
        let lifetime: Int64 = Bool.random(using: &random) ? 50 : 0
        var table = table(batchSize: 3, tick: 2, maximumWaiting: 20, lifetime: lifetime)
        var now: Int64 = 0
        var truth = Array(repeating: 0, count: 6)
        /// The minimum version that each open lookup may return.
        var open: [Int: (key: Int, least: Int)] = [:]
        var leader: Int?
        var flight: (batch: [Int], found: [Int: Int])?
        var next = 0

        func response(_ waiter: Int, _ value: Int?, _ what: String) {
            guard let look = open.removeValue(forKey: waiter) else {
                Issue.record("seed \(seed): \(waiter) answered twice")
                return
            }
            #expect((value ?? -1) >= look.least, "seed \(seed): \(what) is stale")
        }
        func complete(_ done: Table.Completion, _ found: [Int: Int]?) {
            for (waiter, key) in done.waiters {
                if let found { response(waiter, found[key], "an answer") } else { open[waiter] = nil }
            }
            leader = done.leader?.waiter
        }
        func step(_ choice: Int) {
            switch choice {
            case 0, 1, 2:
                let key = Int.random(in: 0..<truth.count, using: &random)
                let isFresh = Int.random(in: 0..<4, using: &random) == 0
                next += 1
                open[next] = (key, truth[key])
                switch table.lookUp(key, fresh: isFresh, at: now, waiter: next) {
                case .remembered(let value): response(next, value, "a remembered answer")
                case .lead:
                    #expect(leader == nil && flight == nil, "seed \(seed): two leaders")
                    leader = next
                case .refuse: open[next] = nil
                case .wait: break
                }
            case 3:
                let key = Int.random(in: 0..<truth.count, using: &random)
                truth[key] += 1
                table.invalidate(key)
            case 4: now += Int64.random(in: 0...20, using: &random)
            case 5:
                truth = truth.map { $0 + 1 }
                table.invalidateAll()
            default:
                if let current = flight {
                    flight = nil
                    let fails = Int.random(in: 0..<4, using: &random)
                    if fails > 1 {
                        let leading = leader
                        let done = table.finish(current.batch, found: current.found, at: now)
                        if let leading, let look = open[leading] {
                            response(leading, current.found[look.key], "the leader's answer")
                        }
                        complete(done, current.found)
                    } else {
                        if let leading = leader { open[leading] = nil }
                        complete(table.fail(current.batch, leaderWithdrew: fails == 0, at: now), nil)
                    }
                } else if leader != nil {
                    let batch = table.begin(at: now)
                    #expect((1...3).contains(batch.count), "seed \(seed): a batch of \(batch.count)")
                    flight = (batch, Dictionary(uniqueKeysWithValues: batch.map { ($0, truth[$0]) }))
                }
            }
        }
        for _ in 0..<2000 { step(Int.random(in: 0..<10, using: &random)) }
        while leader != nil || flight != nil { step(9) }
        #expect(open.isEmpty, "seed \(seed): \(open.count) look-ups were never answered")
        #expect(table.waitingCount == 0, "seed \(seed)")
    }
}
