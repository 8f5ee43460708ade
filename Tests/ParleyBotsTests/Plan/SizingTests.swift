import ParleyBots
import Testing

@Suite("Sizing")
struct SizingTests {
    @Test("a small load needs one gateway and a spare, one Redis, two persisters")
    func small() {
        var sizing = Sizing()
        (sizing.load.sockets, sizing.load.rate) = (100, 5)
        let need = sizing.need
        #expect((need.gateways, need.redisHosts, need.persisters) == (2, 1, 2))
        #expect(need.deliveries == 25)
    }

    @Test("more of anything never needs less")
    func monotone() {
        var last = Sizing().need
        for step in 1...30 {
            var sizing = Sizing()
            (sizing.load.sockets, sizing.load.rate) = (10_000 * step, 5000 * Double(step))
            let need = sizing.need
            #expect(need.gateways >= last.gateways && need.redisHosts >= last.redisHosts)
            #expect(need.gibPerDay >= last.gibPerDay && need.megabits >= last.megabits)
            last = need
        }
        #expect(last.gateways > 10 && last.redisHosts > 1)
    }

    @Test("many idle sockets are bound by memory, few busy ones by CPU")
    func bounds() {
        var sizing = Sizing()
        (sizing.load.sockets, sizing.load.rate) = (5_000_000, 1)
        #expect(sizing.need.bound == "memory for sockets")
        (sizing.load.sockets, sizing.load.rate) = (100, 100_000)
        #expect(sizing.need.bound == "processor time")
    }

    @Test("daily figures follow from the rate, the peak and the bytes of a row")
    func days() {
        var sizing = Sizing()
        (sizing.load.rate, sizing.load.peak, sizing.load.textBytes) = (400, 4, 100)
        sizing.costs.rowBytes = 900
        #expect(sizing.need.rowsPerDay == 8_640_000)
        #expect(abs(sizing.need.gibPerDay - 8.0466) < 0.001)
        #expect(sizing.table.contains("8,640,000 rows"))
    }
}
