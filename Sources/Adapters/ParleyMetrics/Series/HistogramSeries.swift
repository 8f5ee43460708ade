import CoreMetrics
import Synchronization

/// A histogram with cumulative buckets and a sum.
///
/// Recording costs one bucket search and two relaxed atomic additions, concurrently with other records and scrapes. A
/// scrape may therefore see a value in its bucket and not yet in the sum; count and buckets always agree.
final class HistogramSeries: Series, RecorderHandler, TimerHandler {
    /// The unit of the values.
    enum Unit {
        /// Plain numbers, mostly integers.
        case plain
        /// Durations: recorded in nanoseconds, exported in seconds.
        case time

        /// Recorded units per exported unit.
        var perOne: Double { self == .time ? 1_000_000_000 : 1 }
    }

    let family: String
    let labels: LabelSet
    /// Ascending, without `+Inf`.
    private let bounds: [Double]
    /// The bounds in recorded units, rounded down; a bucket includes its bound.
    private let wholeBounds: [Int64]
    private let unit: Unit
    /// The values of each bucket alone, not cumulative; the last bucket is `+Inf`.
    private let counts: AtomicCounts
    /// The sum of integer values.
    private let whole = Atomic<Int64>(0)
    /// The sum of other values in exported units, as the bit pattern of a `Double`.
    private let fractional = Atomic<UInt64>(0)

    init(family: String, labels: LabelSet, bounds: [Double], unit: Unit) {
        self.family = family
        self.labels = labels
        self.bounds = bounds
        self.unit = unit
        wholeBounds = bounds.map { bound in
            // A bound such as 0.1 s means 100,000,000 ns exactly, which the product may miss by rounding.
            let product = bound * unit.perOne
            let whole = unit == .time ? product.rounded() : product.rounded(.down)
            return Int64(exactly: whole) ?? (product > 0 ? .max : .min)
        }
        counts = AtomicCounts(count: bounds.count + 1)
    }

    func record(_ value: Int64) {
        unit == .plain ? recordWhole(value) : record(Double(value))
    }

    private func recordWhole(_ value: Int64) {
        counts.increment(wholeBounds.firstIndex { value <= $0 } ?? bounds.count)
        whole.wrappingAdd(value, ordering: .relaxed)
    }

    /// Non-finite values are ignored, since the sum could never recover.
    func record(_ value: Double) {
        guard value.isFinite else { return }
        counts.increment(bounds.firstIndex { value <= $0 } ?? bounds.count)
        fractional.addDouble(value)
    }

    /// Prometheus measures time in seconds. A negative duration, after a clock was set back, counts as zero.
    func recordNanoseconds(_ duration: Int64) {
        unit == .time ? recordWhole(max(duration, 0)) : record(Double(max(duration, 0)) / Unit.time.perOne)
    }

    /// Ignored: the exported unit is fixed.
    func preferDisplayUnit(_ unit: TimeUnit) {}

    var value: Double { Double((0...bounds.count).reduce(UInt64(0)) { $0 + counts[$1] }) }

    var sum: Double {
        Double(whole.load(ordering: .relaxed)) / unit.perOne
            + Double(bitPattern: fractional.load(ordering: .relaxed))
    }

    func write(to writer: inout ExpositionWriter) {
        var count: UInt64 = 0
        for index in 0...bounds.count {
            count += counts[index]
            let bound = index < bounds.count ? ExpositionWriter.number(bounds[index]) : "+Inf"
            writer.sample(family + "_bucket", labels.with("le", bound), Int64(clamping: count))
        }
        writer.sample(family + "_sum", labels.text, sum)
        writer.sample(family + "_count", labels.text, Int64(clamping: count))
    }
}
