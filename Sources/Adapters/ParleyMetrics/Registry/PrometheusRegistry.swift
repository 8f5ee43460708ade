package import CoreMetrics
import Synchronization

/// A swift-metrics backend that exports its state in the Prometheus text format, version 0.0.4.
///
/// | swift-metrics | Prometheus |
/// |---|---|
/// | `Counter`, `FloatingPointCounter` | counter; `_total` is added to a name that lacks it |
/// | `Meter`, `Gauge`, `Recorder(aggregate: false)` | gauge |
/// | `Recorder(aggregate: true)` | histogram |
/// | `Timer` | histogram in seconds; `_seconds` is added to a name that lacks it |
///
/// The same name and dimensions, in any order, give the same series. A series is removed after it has been destroyed as
/// often as it was made.
///
/// Bounds: `Settings.maximumFamilies` names and, for each of them, `Settings.maximumSeries` combinations of labels.
/// Everything above shares one series whose label values are all `other`, counted by `parley_metrics_overflow_total`.
///
/// The state is protected by one `Mutex`, held to find, add and remove series, never to update one or to write the
/// text.
package final class PrometheusRegistry: MetricsFactory {
    /// Names, buckets and limits of a registry.
    package struct Settings: Sendable {
        /// Maximum number of names.
        package var maximumFamilies = 1000
        /// Maximum number of label combinations of one name.
        package var maximumSeries = 200
        /// The buckets of histograms.
        package var buckets = HistogramBuckets()
        /// The help text of each name, as exported; the default is made from the name.
        package var help: [String: String] = [:]

        package init() {}
    }

    private struct State {
        var families: [String: MetricFamily] = [:]
        /// The family of each exported name; a histogram has three.
        var owners: [String: String] = [:]
        /// Requests for a name of another metric type, or above the maximum of families.
        var refused: Int64 = 0
        var collectors: [@Sendable () -> [ScrapedMetric]] = []
    }

    private let settings: Settings
    private let state = Mutex(State())

    package init(settings: Settings = Settings()) {
        self.settings = settings
    }

    /// Adds values that are read at each scrape. Names of this registry's families are skipped.
    package func onScrape(_ collector: @escaping @Sendable () -> [ScrapedMetric]) {
        state.withLock { $0.collectors.append(collector) }
    }

    /// All metrics, sorted by name and labels: the body of `GET /metrics`.
    package func text() -> String {
        let (families, refused, collectors) = state.withLock { ($0.families, $0.refused, $0.collectors) }
        var scraped = collectors.flatMap { $0() }
        scraped.append(Self.overflow(of: families))
        scraped.append(
            ScrapedMetric(
                name: "parley_metrics_refused_total", kind: .counter,
                help: "Metrics that are not exported because their name has another type or there are too many.",
                samples: [.init(Double(refused))]))

        var writer = ExpositionWriter()
        var entries: [(name: String, write: (inout ExpositionWriter) -> Void)] = families.values.map { family in
            (family.name, { writer in family.write(to: &writer) })
        }
        var names = Set(families.keys)
        for metric in scraped where names.insert(metric.name).inserted {
            entries.append((metric.name, { writer in metric.write(to: &writer) }))
        }
        for entry in entries.sorted(by: { $0.name < $1.name }) {
            entry.write(&writer)
        }
        return writer.text
    }

    /// The present values of a metric's series, in any order, for use within the program.
    /// - Parameters:
    ///   - name: as exported.
    ///   - label: only series with this label, in the form `name="value"`.
    package func values(of name: String, with label: String? = nil) -> [Double] {
        state.withLock { $0.families[name] }?.values(with: label) ?? []
    }

    /// The sums of a histogram's series, in any order, for use within the program; for durations in seconds.
    /// - Parameter name: as exported, without `_sum`.
    package func sums(of name: String) -> [Double] {
        state.withLock { $0.families[name] }?.sums ?? []
    }

    private static func overflow(of families: [String: MetricFamily]) -> ScrapedMetric {
        ScrapedMetric(
            name: "parley_metrics_overflow_total", kind: .counter,
            help: "Requests for a series beyond the most of its metric; they share the series named other.",
            samples: families.values.filter { $0.overflowed > 0 }
                .map { .init(Double($0.overflowed), labels: [("metric", $0.name)]) })
    }

    // MARK: MetricsFactory

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        counter(label, dimensions)
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        counter(label, dimensions)
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauge(label, dimensions)
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        aggregate ? histogram(MetricName.metric(label), dimensions, .plain) : gauge(label, dimensions)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(MetricName.metric(label, suffix: "_seconds"), dimensions, .time)
    }

    package func destroyCounter(_ handler: any CounterHandler) { destroy(handler) }

    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { destroy(handler) }

    package func destroyMeter(_ handler: any MeterHandler) { destroy(handler) }

    package func destroyRecorder(_ handler: any RecorderHandler) { destroy(handler) }

    package func destroyTimer(_ handler: any TimerHandler) { destroy(handler) }

    // MARK: Families and series

    private func counter(_ label: String, _ dimensions: [(String, String)]) -> CounterSeries {
        series(.counter, MetricName.metric(label, suffix: "_total"), dimensions) {
            CounterSeries(family: $0, labels: $1)
        }
    }

    private func gauge(_ label: String, _ dimensions: [(String, String)]) -> GaugeSeries {
        series(.gauge, MetricName.metric(label), dimensions) { GaugeSeries(family: $0, labels: $1) }
    }

    private func histogram(
        _ name: String, _ dimensions: [(String, String)], _ unit: HistogramSeries.Unit
    ) -> HistogramSeries {
        let bounds = settings.buckets.bounds(of: name)
        return series(.histogram, name, dimensions) {
            HistogramSeries(family: $0, labels: $1, bounds: bounds, unit: unit)
        }
    }

    /// The series of these labels; if rejected, a new one outside of the registry, which is never exported.
    private func series<S: Series>(
        _ kind: MetricKind, _ name: String, _ dimensions: [(String, String)],
        make: (_ family: String, _ labels: LabelSet) -> S
    ) -> S {
        let labels = LabelSet(dimensions)
        let found = state.withLock { state -> S? in
            if state.families[name] == nil {
                let names = kind.exportedNames(of: name)
                guard state.families.count < settings.maximumFamilies,
                    names.allSatisfy({ state.owners[$0] == nil })
                else {
                    state.refused += 1
                    return nil
                }
                for exported in names { state.owners[exported] = name }
                state.families[name] = MetricFamily(
                    name: name, kind: kind, help: settings.help[name] ?? MetricName.words(of: name))
            }
            let series = state.families[name]?.series(labels, limit: settings.maximumSeries) { make(name, $0) }
            guard let series = series as? S else {
                state.refused += 1
                return nil
            }
            return series
        }
        return found ?? make(name, labels)
    }

    private func destroy(_ handler: AnyObject) {
        guard let series = handler as? any Series else { return }
        state.withLock { state in
            guard let isEmpty = state.families[series.family]?.drop(series), isEmpty,
                let family = state.families.removeValue(forKey: series.family)
            else { return }
            for exported in family.kind.exportedNames(of: family.name) { state.owners[exported] = nil }
        }
    }
}
