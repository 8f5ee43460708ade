import ParleyBots
import Testing

@Suite("Sizing")
struct SizingTests {
    @Test("a small load needs one gateway and a spare, one Redis, two persisters")
    func small() {
        var sizing = Sizing()
        (sizing.load.sockets, sizing.load.rate) = (100, 5)
        let requirements = sizing.requirements
        #expect((requirements.gateways, requirements.redisHosts, requirements.persisters) == (2, 1, 2))
        #expect(requirements.deliveries == 25)
    }

    @Test("more of anything never needs less")
    func monotone() {
        var last = Sizing().requirements
        for step in 1...30 {
            var sizing = Sizing()
            (sizing.load.sockets, sizing.load.rate) = (10_000 * step, 5000 * Double(step))
            let requirements = sizing.requirements
            #expect(requirements.gateways >= last.gateways && requirements.redisHosts >= last.redisHosts)
            #expect(requirements.gibPerDay >= last.gibPerDay && requirements.megabits >= last.megabits)
            last = requirements
        }
        #expect(last.gateways > 10 && last.redisHosts > 1)
    }

    @Test("many idle sockets are bound by memory, few busy ones by CPU")
    func bounds() {
        var sizing = Sizing()
        (sizing.load.sockets, sizing.load.rate) = (5_000_000, 1)
        #expect(sizing.requirements.bound == "memory for sockets")
        (sizing.load.sockets, sizing.load.rate) = (100, 100_000)
        #expect(sizing.requirements.bound == "processor time")
    }

    @Test("daily figures follow from the rate, the peak and the bytes of a row")
    func days() {
        var sizing = Sizing()
        (sizing.load.rate, sizing.load.peak, sizing.load.textBytes) = (400, 4, 100)
        sizing.costs.rowBytes = 900
        #expect(sizing.requirements.rowsPerDay == 8_640_000)
        #expect(abs(sizing.requirements.gibPerDay - 8.0466) < 0.001)
        #expect(sizing.table.contains("8,640,000 rows"))
    }
}
