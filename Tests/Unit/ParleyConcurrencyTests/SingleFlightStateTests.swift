import ParleyConcurrency
import Testing

@Suite("Sharing of concurrent reads")
struct SingleFlightStateTests {
    @Test("callers during a read share the next one")
    func shares() {
        var table = SingleFlightState<String, Int>(maximumWaiting: 10)
        #expect(table.request("a", waiter: 0) == .lead)
        for waiter in 1...3 { #expect(table.request("a", waiter: waiter) == .wait) }
        #expect(table.request("b", waiter: 9) == .lead)
        var ended = table.end("a", leaderWithdrew: false)
        #expect(ended == .init(sharers: [], leader: 1))
        #expect(table.request("a", waiter: 4) == .wait)
        ended = table.end("a", leaderWithdrew: false)
        #expect(ended == .init(sharers: [2, 3], leader: 4))
        #expect(table.end("a", leaderWithdrew: false) == .init(sharers: [], leader: nil))
        #expect(table.request("a", waiter: 5) == .lead)
        #expect(table.waitingCount == 0)
    }

    @Test("when the leader withdraws, its sharers read again")
    func withdrawal() {
        var table = SingleFlightState<String, Int>(maximumWaiting: 10)
        #expect(table.request("a", waiter: 0) == .lead)
        for waiter in 1...3 { _ = table.request("a", waiter: waiter) }
        _ = table.end("a", leaderWithdrew: false)
        _ = table.request("a", waiter: 4)
        // 1 reads, 2 and 3 share, 4 waits for the next.
        #expect(table.end("a", leaderWithdrew: true) == .init(sharers: [], leader: 2))
        #expect(table.end("a", leaderWithdrew: false) == .init(sharers: [3, 4], leader: nil))
        #expect(table.waitingCount == 0)
    }

    @Test("the number of waiters is bounded, for all keys together")
    func bound() {
        var table = SingleFlightState<String, Int>(maximumWaiting: 2)
        #expect(table.request("a", waiter: 0) == .lead)
        #expect(table.request("b", waiter: 0) == .lead)
        #expect(table.request("a", waiter: 1) == .wait)
        #expect(table.request("b", waiter: 2) == .wait)
        #expect(table.request("a", waiter: 3) == .refuse)
        #expect(table.request("c", waiter: 4) == .lead)
        #expect(table.end("a", leaderWithdrew: false) == .init(sharers: [], leader: 1))
        #expect(table.request("a", waiter: 5) == .wait)
        #expect(table.request("a", waiter: 6) == .refuse)
    }

    @Test("in every short sequence each caller gets one value, read after its call")
    func exhaustive() {
        // Each digit is an event: 0 a call, 1 the end of a read, 2 its leader withdraws.
        for story in 0..<6561 {
            var table = SingleFlightState<Int, Int>(maximumWaiting: 100)
            var (steps, time, told): (Int, Int, [Int: Int]) = (story, 0, [:])
            var reading: (leader: Int, began: Int)?
            func end(_ withdraws: Bool) {
                guard let read = reading else { return }
                let ended = table.end(0, leaderWithdrew: withdraws)
                told[read.leader, default: 0] += 1
                for sharer in ended.sharers {
                    #expect(sharer <= read.began)
                    told[sharer, default: 0] += 1
                }
                reading = ended.leader.map { ($0, time) }
            }
            var came: [Int] = []
            for _ in 0..<8 {
                time += 1
                switch steps % 3 {
                case 0:
                    came.append(time)
                    if case .lead = table.request(0, waiter: time) { reading = (time, time) }
                case 1: end(false)
                default: end(true)
                }
                steps /= 3
            }
            while reading != nil {
                time += 1
                end(false)
            }
            #expect(told == Dictionary(uniqueKeysWithValues: came.map { ($0, 1) }), "story \(story)")
            #expect(table.waitingCount == 0)
        }
    }
}

extension SingleFlightState.Completion where Waiter == Int {
    init(sharers: [Int], leader: Int?) {
        self.init()
        self.sharers = sharers
        self.leader = leader
    }

    static func == (one: Self, other: Self) -> Bool { one.sharers == other.sharers && one.leader == other.leader }
}
