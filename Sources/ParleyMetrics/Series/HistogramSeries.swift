import CoreMetrics
import Synchronization

/// How many values were at most so large, and their sum.
///
/// To record costs one look for the bucket and two relaxed atomic additions, whoever else does it or scrapes at the same
/// time. So a scrape may have a value in its bucket and not yet in the sum; count and buckets always agree.
final class HistogramSeries: Series, RecorderHandler, TimerHandler {
    /// What the values are.
    enum Unit {
        /// Numbers, whole ones mostly.
        case plain
        /// Durations: recorded in nanoseconds, exported in seconds.
        case time

        /// How many whole units are one of what is exported.
        var perOne: Double { self == .time ? 1_000_000_000 : 1 }
    }

    let family: String
    let labels: LabelSet
    /// Rising, `+Inf` not included.
    private let bounds: [Double]
    /// The bounds in whole units of what is recorded, rounded down; what is at most one of them is in its bucket.
    private let wholeBounds: [Int64]
    private let unit: Unit
    /// Values in each bucket alone; the last one is `+Inf`.
    private let counts: AtomicCounts
    /// What came in whole units.
    private let whole = Atomic<Int64>(0)
    /// What did not: the bits of a `Double`, in what is exported.
    private let fractional = Atomic<UInt64>(0)

    init(family: String, labels: LabelSet, bounds: [Double], unit: Unit) {
        self.family = family
        self.labels = labels
        self.bounds = bounds
        self.unit = unit
        wholeBounds = bounds.map { bound in
            // A bound such as 0.1 s is meant as 100,000,000 ns, which its product may miss by a hair.
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

    /// What is not finite is ignored: the sum could never be a number again.
    func record(_ value: Double) {
        guard value.isFinite else { return }
        counts.increment(bounds.firstIndex { value <= $0 } ?? bounds.count)
        fractional.addDouble(value)
    }

    /// Prometheus measures time in seconds. A negative duration, by a clock that was set back, counts as none.
    func recordNanoseconds(_ duration: Int64) {
        unit == .time ? recordWhole(max(duration, 0)) : record(Double(max(duration, 0)) / Unit.time.perOne)
    }

    /// The unit of exposition is fixed.
    func preferDisplayUnit(_ unit: TimeUnit) {}

    var value: Double { Double((0...bounds.count).reduce(UInt64(0)) { $0 + counts[$1] }) }

    func write(to writer: inout ExpositionWriter) {
        var count: UInt64 = 0
        for index in 0...bounds.count {
            count += counts[index]
            let bound = index < bounds.count ? ExpositionWriter.number(bounds[index]) : "+Inf"
            writer.sample(family + "_bucket", labels.with("le", bound), Int64(clamping: count))
        }
        let sum =
            Double(whole.load(ordering: .relaxed)) / unit.perOne
            + Double(bitPattern: fractional.load(ordering: .relaxed))
        writer.sample(family + "_sum", labels.text, sum)
        writer.sample(family + "_count", labels.text, Int64(clamping: count))
    }
}
