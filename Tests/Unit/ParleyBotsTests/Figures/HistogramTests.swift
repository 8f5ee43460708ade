import ParleyBots
import Testing

@Suite("Histogram")
struct HistogramTests {
    @Test("short durations are exact")
    func exact() {
        var histogram = Histogram()
        for value in 1...200 as ClosedRange<Int64> { histogram.record(value) }
        #expect(histogram.quantile(0.5) == 100)
        #expect(histogram.quantile(0.99) == 198)
        #expect(histogram.quantile(1) == 200)
        #expect(histogram.quantile(0) == 1)
        #expect(histogram.count == 200)
        #expect(histogram.mean == 100.5)
    }

    @Test("a quantile is never too low and at most 0.8 % too high", arguments: [300, 4_711, 65_535, 65_536, 1 << 31])
    func precise(value: Int64) {
        var histogram = Histogram()
        histogram.record(value)
        histogram.record(Histogram.longest)
        #expect(histogram.quantile(0.5) >= value)
        #expect(Double(histogram.quantile(0.5)) <= Double(value) * 1.008)
    }

    @Test("the buckets of a long range of values ascend")
    func rising() {
        var last: Int64 = 0
        var value: Int64 = 1
        while value < Histogram.longest {
            var histogram = Histogram()
            histogram.record(value)
            histogram.record(Histogram.longest)
            let quantile = histogram.quantile(0.5)
            #expect(quantile >= last && quantile >= value)
            last = quantile
            value += max(1, value / 200)
        }
    }

    @Test("empty, negative and too long durations are handled")
    func extremes() {
        var histogram = Histogram()
        #expect(histogram.quantile(0.99) == 0)
        #expect(histogram.mean == 0)
        histogram.record(-5)
        histogram.record(.max)
        #expect(histogram.quantile(0.1) == 0)
        #expect(histogram.maximum == Histogram.longest)
    }

    @Test("the sum of two histograms equals one of all durations")
    func adding() {
        var (one, other, both) = (Histogram(), Histogram(), Histogram())
        for value in stride(from: 1, to: 1_000_000, by: 997) as StrideTo<Int64> {
            if value.isMultiple(of: 2) { one.record(value) } else { other.record(value) }
            both.record(value)
        }
        one.add(other)
        #expect(one == both)
    }
}
