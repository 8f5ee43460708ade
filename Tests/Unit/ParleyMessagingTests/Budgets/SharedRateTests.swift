import ParleyMessaging
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("A rate shared by nodes")
struct SharedRateTests {
    /// A naive model of the shared bucket.
    private struct Bucket {
        let rate: TokenRate
        var full: Int64 = 0
        var calls = 0

        mutating func take(_ tokens: Int, at now: Int64) -> SharedRate.Reply {
            calls += 1
            let next = max(full, now) + rate.interval * Int64(tokens)
            let wait = next - now - rate.interval * Int64(rate.burst)
            guard wait <= 0 else { return .wait(microseconds: wait) }
            full = next
            return .taken(tokens)
        }
    }

    /// Takes one send, with a call to the bucket if needed.
    private func take(_ rate: inout SharedRate, _ bucket: inout Bucket, at now: Int64) -> Bool {
        while true {
            switch rate.take(at: now) {
            case .taken: return true
            case .wait(let wait):
                #expect(wait > 0)
                return false
            case .request(let tokens): rate.answered(bucket.take(tokens, at: now), at: now)
            case .requested:
                Issue.record("nobody asked")
                return false
            }
        }
    }

    private func bucket(_ rate: SharedRate) throws -> Bucket {
        Bucket(rate: try #require(rate.sharedRate))
    }

    @Test("one node alone grants the burst and then the rate", arguments: [(20, 40), (1, 1), (5, 16), (100, 7)])
    func alone(perSecond: Int, burst: Int) throws {
        var rate = SharedRate(perSecond: perSecond, burst: burst)
        var bucket = try bucket(rate)
        var taken = 0
        while take(&rate, &bucket, at: 0) { taken += 1 }
        // The remainder of less than a lease is granted a moment later.
        #expect(taken <= burst && taken > burst - rate.lease)
        for millisecond in Int64(1)...60_000 where take(&rate, &bucket, at: millisecond * 1000) { taken += 1 }
        #expect(taken <= burst + 60 * perSecond)
        #expect(taken >= burst + 60 * perSecond * 98 / 100 - rate.lease)
    }

    @Test("sends below an eighth of the rate cost no call", arguments: [1, 3])
    func slow(nodes: Int) throws {
        var rate = SharedRate(perSecond: 20, burst: 40, nodes: nodes)
        var bucket = try bucket(rate)
        for send in Int64(0)..<1000 {
            #expect(take(&rate, &bucket, at: send * 400_001 * Int64(nodes)))
        }
        #expect(bucket.calls == 0)
    }

    @Test("nodes never grant more than burst + rate · t + N · burst / 8, over any stretch of time", arguments: 1...40)
    func bound(seed: UInt64) throws {
        var generator = SeededGenerator(seed)
        let nodes = Int.random(in: 1...6, using: &generator)
        let (perSecond, burst) = (Int.random(in: 1...50, using: &generator), Int.random(in: 1...80, using: &generator))
        var rates = (0..<nodes).map { _ in SharedRate(perSecond: perSecond, burst: burst, nodes: nodes) }
        var bucket = try bucket(rates[0])
        // The load on each node changes in phases: floods, trickles, silence.
        var times: [Int64] = []
        var now: Int64 = 0
        var weights = [Int](repeating: 1, count: nodes)
        for step in 0..<4000 {
            if step % 200 == 0 {
                weights = weights.map { _ in [0, 0, 1, 10, 300].randomElement(using: &generator) ?? 0 }
            }
            now += Int64.random(in: 0...20_000, using: &generator)
            for node in rates.indices where Int.random(in: 0..<300, using: &generator) < weights[node] {
                if take(&rates[node], &bucket, at: now) { times.append(now) }
            }
        }
        // Naive check: every span from one grant to another.
        for first in times.indices {
            for last in stride(from: first, to: times.count, by: 7) {
                let seconds = Double(times[last] - times[first]) / 1_000_000
                let bound = Double(burst) + Double(perSecond) * seconds + Double(nodes * burst) / 8
                guard Double(last - first + 1) <= bound + 0.000_1 else {
                    Issue.record("\(last - first + 1) in \(seconds) s, seed \(seed)")
                    return
                }
            }
        }
    }

    @Test("while the store is unavailable a node applies the limit locally, and retries after a second")
    func away() {
        var rate = SharedRate(perSecond: 20, burst: 40)
        var (taken, asks) = (0, 0)
        for millisecond in Int64(0)..<10_000 {
            while true {
                let decision = rate.take(at: millisecond * 1000)
                if case .request = decision {
                    asks += 1
                    rate.answered(.unavailable, at: millisecond * 1000)
                    continue
                }
                guard decision == .taken else { break }
                taken += 1
            }
        }
        #expect(taken <= 40 + 200)
        #expect(taken >= 38 + 190)
        #expect((8...11).contains(asks))
    }

    @Test("one call to the store is pending at a time, and sends wait for its result")
    func asking() {
        var rate = SharedRate(perSecond: 20, burst: 40)
        var decisions: [SharedRate.Decision] = []
        for _ in 0..<(rate.credit + 3) { decisions.append(rate.take(at: 0)) }
        #expect(decisions.dropLast(3).allSatisfy { $0 == .taken })
        #expect(decisions.suffix(3) == [.request(tokens: rate.lease), .requested, .requested])
        rate.answered(.taken(rate.lease), at: 1)
        for _ in 0..<rate.lease { #expect(rate.take(at: 1) == .taken) }
        #expect(rate.take(at: 1) == .request(tokens: rate.lease))
        rate.answered(.wait(microseconds: 5000), at: 2)
        #expect(rate.take(at: 2) == .wait(microseconds: 5000))
        #expect(rate.take(at: 5001) == .wait(microseconds: 1))
        #expect(rate.take(at: 5002) == .request(tokens: rate.lease))
    }

    @Test("a store without a reply counts as unavailable after a while, and a late reply gives no more than a lease")
    func silence() {
        var rate = SharedRate(perSecond: 20, burst: 40)
        while rate.take(at: 0) == .taken {}
        #expect(rate.take(at: SharedRate.replyTimeout - 1) == .requested)
        #expect(rate.take(at: SharedRate.replyTimeout) == .taken)
        let end = SharedRate.replyTimeout + SharedRate.pause
        while rate.take(at: end) == .taken {}
        #expect(rate.take(at: end) == .requested)
        for _ in 0..<3 { rate.answered(.taken(rate.lease), at: end) }
        for _ in 0..<rate.lease { #expect(rate.take(at: end) == .taken) }
        #expect(rate.take(at: end) == .request(tokens: rate.lease))
    }

    @Test("without a limit everything is granted without a call")
    func unlimited() {
        var rate = SharedRate(perSecond: 0, burst: 40)
        for _ in 0..<1000 { #expect(rate.take(at: 0) == .taken) }
        #expect(rate.sharedRate == nil)
    }
}
