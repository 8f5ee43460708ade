import CoreMetrics
import Synchronization

/// How many values were at most so large, and their sum.
///
/// Owner of the numbers: a `Mutex`, so that buckets, sum and count of a scrape belong together.
final class HistogramSeries: Series, RecorderHandler, TimerHandler {
    private struct Numbers {
        /// Values in each bucket alone; the last one is `+Inf`.
        var counts: [UInt64]
        var sum = 0.0
    }

    let family: String
    let labels: LabelSet
    /// Rising, `+Inf` not included.
    private let bounds: [Double]
    private let numbers: Mutex<Numbers>

    init(family: String, labels: LabelSet, bounds: [Double]) {
        self.family = family
        self.labels = labels
        self.bounds = bounds
        numbers = Mutex(Numbers(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func record(_ value: Int64) { record(Double(value)) }

    /// What is not finite is ignored: the sum could never be a number again.
    func record(_ value: Double) {
        guard value.isFinite else { return }
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        numbers.withLock { numbers in
            numbers.counts[bucket] += 1
            numbers.sum += value
        }
    }

    /// Prometheus measures time in seconds. A negative duration, by a clock that was set back, counts as none.
    func recordNanoseconds(_ duration: Int64) {
        record(Double(max(duration, 0)) / 1_000_000_000)
    }

    /// The unit of exposition is fixed.
    func preferDisplayUnit(_ unit: TimeUnit) {}

    func write(to writer: inout ExpositionWriter) {
        let numbers = numbers.withLock { $0 }
        var count: UInt64 = 0
        for (index, inBucket) in numbers.counts.enumerated() {
            count += inBucket
            let bound = index < bounds.count ? ExpositionWriter.number(bounds[index]) : "+Inf"
            writer.sample(family + "_bucket", labels.with("le", bound), Int64(clamping: count))
        }
        writer.sample(family + "_sum", labels.text, numbers.sum)
        writer.sample(family + "_count", labels.text, Int64(clamping: count))
    }
}
