import CoreMetrics
import ParleyMetrics
import Testing

@Suite("The registry")
struct RegistryTests {
    @Test("concurrent steps are all counted")
    func concurrency() async {
        let registry = PrometheusRegistry()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    let counter = Counter(label: "steps", factory: registry)
                    let float = FloatingPointCounter(label: "halves", factory: registry)
                    let meter = Meter(label: "level", factory: registry)
                    let time = CoreMetrics.Timer(label: "time", factory: registry)
                    for step in 0..<5000 {
                        counter.increment()
                        float.increment(by: 0.5)
                        meter.increment(by: 1)
                        time.recordNanoseconds(1_000_000_000)
                        Counter(label: "of", dimensions: [("n", "\(step % 50)")], factory: registry).increment()
                        if task == 0, step % 1000 == 0 { _ = registry.text() }
                    }
                }
            }
        }
        #expect(registry.value("steps_total") == "40000")
        #expect(registry.value("halves_total") == "20000")
        #expect(registry.value("level") == "40000")
        #expect(registry.value("time_seconds_count") == "40000")
        #expect(registry.value("time_seconds_sum") == "40000")
        for n in 0..<50 { #expect(registry.value("of_total{n=\"\(n)\"}") == "800") }
    }

    @Test("a value on a bound is in its bucket, whether recorded as a number or as a time")
    func bounds() {
        var settings = PrometheusRegistry.Settings()
        settings.buckets = HistogramBuckets([
            "t_seconds": HistogramBuckets.shortSeconds + [0.1, 3600], "n": [-1.5, 0, 2.5, 1e300],
        ])
        let registry = PrometheusRegistry(settings: settings)
        let time = CoreMetrics.Timer(label: "t", factory: registry)
        let bounds = Set(HistogramBuckets.shortSeconds + [0.1, 3600]).sorted()
        for (index, bound) in bounds.enumerated() {
            time.recordNanoseconds(Int64((bound * 1e9).rounded()))
            let line = registry.lines.filter { $0.hasPrefix("t_seconds_bucket") }[index]
            #expect(line.hasSuffix(" \(index + 1)"), "\(line)")
        }
        time.recordNanoseconds(1001)
        #expect(registry.lines.filter { $0.hasPrefix("t_seconds_bucket") }[1].hasSuffix(" 3"))
        let number = Recorder(label: "n", aggregate: true, factory: registry)
        for value in [-2, -1, 0, 2, 3, Int64.max] { number.record(value) }
        for value in [-1.5, 2.5, 2.6, 1e301] { number.record(value) }
        let counts = registry.lines.filter { $0.hasPrefix("n_bucket") }.map { $0.split(separator: " ")[1] }
        #expect(counts == ["2", "4", "6", "9", "10"])
        // The same series through a handle of the other kind.
        Recorder(label: "t_seconds", aggregate: true, factory: registry).record(3600)
        CoreMetrics.Timer(label: "n_seconds", factory: registry).recordNanoseconds(1)
        #expect(registry.lines.contains("t_seconds_bucket{le=\"3600\"} \(bounds.count + 2)"))
    }

    @Test("the values of a name can be read, all or those with a label")
    func values() {
        let registry = PrometheusRegistry()
        for (outcome, count) in [("stored", 3), ("repeated", 2)] {
            Counter(label: "events", dimensions: [("outcome", outcome)], factory: registry).increment(by: count)
        }
        Gauge(label: "lag", factory: registry).record(0.5)
        CoreMetrics.Timer(label: "time", factory: registry).recordNanoseconds(1)
        #expect(registry.values(of: "events_total").sorted() == [2, 3])
        #expect(registry.values(of: "events_total", with: "outcome=\"stored\"") == [3])
        #expect(registry.values(of: "lag") == [0.5])
        #expect(registry.values(of: "time_seconds") == [1])
        #expect(registry.values(of: "nothing") == [])
    }

    @Test(
        "series above the limit share one named other, and are counted", arguments: [(2, 2, 0), (3, 2, 1), (5, 2, 3)])
    func cardinality(made: Int, kept: Int, overflowed: Int) {
        var settings = PrometheusRegistry.Settings()
        settings.maximumSeries = 2
        let registry = PrometheusRegistry(settings: settings)
        for number in 0..<made {
            Counter(label: "x", dimensions: [("a", "\(number)"), ("b", "y")], factory: registry).increment()
        }
        // A known series is found even if the family is full.
        Counter(label: "x", dimensions: [("a", "0"), ("b", "y")], factory: registry).increment()
        let series = registry.lines.filter { $0.hasPrefix("x_total{") }
        #expect(series.count == kept + (overflowed > 0 ? 1 : 0))
        #expect(registry.value("x_total{a=\"0\",b=\"y\"}") == "2")
        #expect(registry.value("x_total{a=\"other\",b=\"other\"}") == (overflowed > 0 ? "\(overflowed)" : nil))
        #expect(
            registry.value("parley_metrics_overflow_total{metric=\"x_total\"}")
                == (overflowed > 0 ? "\(overflowed)" : nil))
    }

    @Test("other label names above the limit make no second series named other")
    func otherNames() {
        var settings = PrometheusRegistry.Settings()
        settings.maximumSeries = 1
        let registry = PrometheusRegistry(settings: settings)
        for name in ["a", "b", "c", "d"] {
            Counter(label: "x", dimensions: [(name, "1")], factory: registry).increment()
        }
        #expect(registry.lines.filter { $0.hasPrefix("x_total") } == ["x_total{a=\"1\"} 1", "x_total{b=\"other\"} 3"])
    }

    @Test("names above the limit are rejected and counted, and their handles still work")
    func families() {
        var settings = PrometheusRegistry.Settings()
        settings.maximumFamilies = 1
        let registry = PrometheusRegistry(settings: settings)
        Counter(label: "a", factory: registry).increment()
        Counter(label: "b", factory: registry).increment()
        #expect(registry.value("a_total") == "1")
        #expect(registry.value("b_total") == nil)
        #expect(registry.value("parley_metrics_refused_total") == "1")
    }

    @Test("a name has one type, and a histogram owns its three names")
    func conflicts() {
        let registry = PrometheusRegistry()
        let first = Gauge(label: "a_count", factory: registry)
        first.record(1)
        Recorder(label: "a", aggregate: true, factory: registry).record(1)
        Recorder(label: "h", aggregate: true, factory: registry).record(1)
        Gauge(label: "h_sum", factory: registry).record(7)
        Gauge(label: "h", factory: registry).record(7)
        #expect(registry.value("a_count") == "1")
        #expect(registry.value("h_sum") == "1")
        #expect(!registry.text().contains("TYPE a histogram"))
        #expect(registry.value("parley_metrics_refused_total") == "3")
        // The name is free once no handle is left.
        first.destroy()
        Recorder(label: "a", aggregate: true, factory: registry).record(1)
        #expect(registry.text().contains("TYPE a histogram"))
    }

    @Test("a series is removed when it was destroyed as often as it was made")
    func destroy() {
        let registry = PrometheusRegistry()
        let one = Counter(label: "x", dimensions: [("a", "1")], factory: registry)
        let two = Counter(label: "x", dimensions: [("a", "1")], factory: registry)
        one.increment()
        two.increment()
        one.destroy()
        #expect(registry.value("x_total{a=\"1\"}") == "2")
        two.destroy()
        #expect(!registry.text().contains("x_total"))
        // Late and duplicate calls are ordinary.
        two.destroy()
        two.increment()
        Counter(label: "x", dimensions: [("a", "1")], factory: registry).increment()
        two.destroy()
        #expect(registry.value("x_total{a=\"1\"}") == "1")

        let all: [() -> Void] = [
            { CoreMetrics.Timer(label: "t", factory: registry).destroy() },
            { Recorder(label: "r", aggregate: true, factory: registry).destroy() },
            { Gauge(label: "g", factory: registry).destroy() },
            { Meter(label: "m", factory: registry).destroy() },
            { FloatingPointCounter(label: "f", factory: registry).destroy() },
        ]
        for makeAndDestroy in all { makeAndDestroy() }
        #expect(registry.lines == ["parley_metrics_refused_total 0", "x_total{a=\"1\"} 1"])
    }

    @Test("a counter never falls or wraps, and ignores non-finite steps")
    func oddSteps() {
        let registry = PrometheusRegistry()
        let counter = Counter(label: "c", factory: registry)
        counter.increment(by: 5)
        counter.increment(by: -3)
        #expect(registry.value("c_total") == "5")
        counter.increment(by: Int64.max)
        #expect(registry.value("c_total") == "\(Int64.max)")
        counter.reset()
        #expect(registry.value("c_total") == "0")

        let float = FloatingPointCounter(label: "f", factory: registry)
        let meter = Meter(label: "m", factory: registry)
        for amount in [Double.nan, .infinity, 1.5] {
            float.increment(by: amount)
            meter.increment(by: amount)
        }
        float.increment(by: -1)
        #expect(registry.value("f_total") == "1.5")
        #expect(registry.value("m") == "1.5")
    }

    @Test(
        "buckets depend on the name, or on its unit",
        arguments: [
            ("own", [1.0, 2.0]), ("x_seconds", HistogramBuckets.seconds), ("x_bytes", HistogramBuckets.bytes),
            ("x", HistogramBuckets.numbers),
        ])
    func buckets(name: String, bounds: [Double]) {
        let buckets = HistogramBuckets(["own": [2, 1, 2, .nan, .infinity]])
        #expect(buckets.bounds(of: name) == bounds)
        #expect(bounds == Set(bounds).sorted())
    }

    @Test("a value on a bound is in that bucket", arguments: [(0.9, 1, 1), (1.0, 1, 1), (1.1, 0, 1), (2.1, 0, 0)])
    func bounds(value: Double, first: Int, second: Int) {
        var settings = PrometheusRegistry.Settings()
        settings.buckets = HistogramBuckets(["h": [1, 2]])
        let registry = PrometheusRegistry(settings: settings)
        Recorder(label: "h", aggregate: true, factory: registry).record(value)
        #expect(registry.value("h_bucket{le=\"1\"}") == "\(first)")
        #expect(registry.value("h_bucket{le=\"2\"}") == "\(second)")
        #expect(registry.value("h_bucket{le=\"+Inf\"}") == "1")
    }
}
