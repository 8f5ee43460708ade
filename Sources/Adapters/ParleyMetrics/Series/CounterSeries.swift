import CoreMetrics
import Synchronization

/// A monotonic counter; an integer step costs one relaxed atomic addition.
final class CounterSeries: Series, CounterHandler, FloatingPointCounterHandler {
    let family: String
    let labels: LabelSet
    private let whole = Atomic<Int64>(0)
    /// The sum of fractional steps, as the bit pattern of a `Double`.
    private let fractional = Atomic<UInt64>(0)

    init(family: String, labels: LabelSet) {
        self.family = family
        self.labels = labels
    }

    /// Negative steps are ignored; the count saturates at `Int64.max`.
    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        if whole.wrappingAdd(amount, ordering: .relaxed).newValue < 0 {
            whole.store(.max, ordering: .relaxed)
        }
    }

    /// Negative and non-finite steps are ignored.
    func increment(by amount: Double) {
        guard amount > 0, amount.isFinite else { return }
        fractional.addDouble(amount)
    }

    func reset() {
        whole.store(0, ordering: .relaxed)
        fractional.store(0, ordering: .relaxed)
    }

    var value: Double {
        Double(whole.load(ordering: .relaxed)) + Double(bitPattern: fractional.load(ordering: .relaxed))
    }

    func write(to writer: inout ExpositionWriter) {
        let steps = whole.load(ordering: .relaxed)
        let fraction = Double(bitPattern: fractional.load(ordering: .relaxed))
        if fraction == 0 {
            writer.sample(family, labels.text, steps)
        } else {
            writer.sample(family, labels.text, Double(steps) + fraction)
        }
    }
}
