import CoreMetrics
import ParleyMetrics
import Testing

@Suite("Exposition format")
struct ExpositionTests {
    @Test("counters, gauges and histograms are sorted, with help, type and escaped labels")
    func golden() {
        var settings = PrometheusRegistry.Settings()
        settings.buckets = HistogramBuckets(["parley_wait_seconds": [0.1, 1], "parley_size": [.infinity, 20, 10, 10]])
        settings.help = ["parley_in_total": "Messages \\ in\nall."]
        let registry = PrometheusRegistry(settings: settings)

        let later = Counter(label: "parley_in", dimensions: [("zone", "b"), ("dialect", "v1")], factory: registry)
        later.increment(by: 2)
        Counter(label: "parley_in_total", dimensions: [("dialect", "a\"\\\n"), ("zone", "b")], factory: registry)
            .increment()
        let time = CoreMetrics.Timer(label: "parley_wait", factory: registry)
        time.recordNanoseconds(100_000_000)
        time.recordNanoseconds(2_000_000_000)
        time.recordNanoseconds(-5)
        let size = Recorder(label: "parley_size", dimensions: [("le", "x")], aggregate: true, factory: registry)
        size.record(10)
        size.record(10.5)
        size.record(Double.nan)
        Gauge(label: "parley.sockets-open", factory: registry).record(3)
        let meter = Meter(label: "parley_depth", factory: registry)
        meter.increment(by: 2.5)
        meter.decrement(by: 1)
        FloatingPointCounter(label: "parley_cost", factory: registry).increment(by: 0.25)

        #expect(
            registry.text() == """
                # HELP parley_cost_total parley cost total.
                # TYPE parley_cost_total counter
                parley_cost_total 0.25
                # HELP parley_depth parley depth.
                # TYPE parley_depth gauge
                parley_depth 1.5
                # HELP parley_in_total Messages \\\\ in\\nall.
                # TYPE parley_in_total counter
                parley_in_total{dialect="a\\"\\\\\\n",zone="b"} 1
                parley_in_total{dialect="v1",zone="b"} 2
                # HELP parley_metrics_overflow_total Requests for a series beyond the most of its metric; they share the series named other.
                # TYPE parley_metrics_overflow_total counter
                # HELP parley_metrics_refused_total Metrics that are not exported because their name has another type or there are too many.
                # TYPE parley_metrics_refused_total counter
                parley_metrics_refused_total 0
                # HELP parley_size parley size.
                # TYPE parley_size histogram
                parley_size_bucket{le_="x",le="10"} 1
                parley_size_bucket{le_="x",le="20"} 2
                parley_size_bucket{le_="x",le="+Inf"} 2
                parley_size_sum{le_="x"} 20.5
                parley_size_count{le_="x"} 2
                # HELP parley_sockets_open parley sockets open.
                # TYPE parley_sockets_open gauge
                parley_sockets_open 3
                # HELP parley_wait_seconds parley wait seconds.
                # TYPE parley_wait_seconds histogram
                parley_wait_seconds_bucket{le="0.1"} 2
                parley_wait_seconds_bucket{le="1"} 2
                parley_wait_seconds_bucket{le="+Inf"} 3
                parley_wait_seconds_sum 2.1
                parley_wait_seconds_count 3

                """)
    }

    @Test(
        "names are made valid",
        arguments: [
            ("a.b-c", "a_b_c_total"), ("9lives", "_9lives_total"), ("", "__total"), ("ns:x", "ns:x_total"),
            ("größe", "gr__e_total"), ("x_total", "x_total"), ("a b\nc", "a_b_c_total"),
        ])
    func names(label: String, exported: String) {
        let registry = PrometheusRegistry()
        Counter(label: label, factory: registry).increment()
        #expect(registry.lines.contains("\(exported) 1"))
    }

    @Test(
        "label names are made valid, and the first of two equal ones stays",
        arguments: [
            ([("a-b", "1"), ("a_b", "2")], "a_b=\"1\""), ([("__x", "1")], "_x=\"1\""), ([("1", "x")], "_1=\"x\""),
            ([("b", "2"), ("a", "1")], "a=\"1\",b=\"2\""), ([("é", "é")], "_=\"é\""),
        ])
    func labels(dimensions: [(String, String)], exported: String) {
        let registry = PrometheusRegistry()
        Counter(label: "x", dimensions: dimensions, factory: registry).increment()
        #expect(registry.lines.contains("x_total{\(exported)} 1"))
    }

    @Test("a label value is truncated to 128 scalars", arguments: [(128, 128), (129, 128), (10_000, 128)])
    func longValues(length: Int, kept: Int) {
        let registry = PrometheusRegistry()
        Counter(label: "x", dimensions: [("v", String(repeating: "é", count: length))], factory: registry).increment()
        #expect(registry.lines.contains("x_total{v=\"\(String(repeating: "é", count: kept))\"} 1"))
    }

    @Test(
        "numbers are written as Prometheus reads them",
        arguments: [
            (3.0, "3"), (-0.5, "-0.5"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"), (1e300, "1e+300"),
            (0.00001, "1e-05"),
        ])
    func numbers(value: Double, exported: String) {
        let registry = PrometheusRegistry()
        Gauge(label: "x", factory: registry).record(value)
        #expect(registry.lines.contains("x \(exported)"))
    }

    @Test("scraped metrics are sorted in, except for names that exist already")
    func collectors() {
        let registry = PrometheusRegistry()
        Gauge(label: "taken", factory: registry).record(1)
        registry.onScrape {
            [
                ScrapedMetric(
                    name: "a", kind: .gauge, help: "A.", samples: [.init(2, labels: [("k", "b")]), .init(1)]),
                ScrapedMetric(name: "taken", kind: .gauge, help: "B.", samples: [.init(9)]),
            ]
        }
        #expect(
            registry.lines.filter { $0.hasPrefix("a") || $0.hasPrefix("taken") } == ["a 1", "a{k=\"b\"} 2", "taken 1"])
    }
}

extension PrometheusRegistry {
    /// The lines of a scrape without comments.
    var lines: [String] {
        text().split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    /// The value on the line that begins with `series`.
    func value(_ series: String) -> String? {
        lines.first { $0.hasPrefix(series + " ") }.map { String($0.dropFirst(series.count + 1)) }
    }
}
