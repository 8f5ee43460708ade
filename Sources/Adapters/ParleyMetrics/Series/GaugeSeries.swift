import CoreMetrics
import Synchronization

/// A value that rises and falls: the last one set, or the sum of steps.
final class GaugeSeries: Series, MeterHandler, RecorderHandler {
    let family: String
    let labels: LabelSet
    /// The bit pattern of a `Double`.
    private let bits = Atomic<UInt64>(0)

    init(family: String, labels: LabelSet) {
        self.family = family
        self.labels = labels
    }

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func record(_ value: Int64) { set(Double(value)) }

    func record(_ value: Double) { set(value) }

    /// Non-finite steps are ignored, since the value could never recover.
    func increment(by amount: Double) {
        guard amount.isFinite else { return }
        bits.addDouble(amount)
    }

    /// Non-finite steps are ignored, since the value could never recover.
    func decrement(by amount: Double) {
        guard amount.isFinite else { return }
        bits.addDouble(-amount)
    }

    var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func write(to writer: inout ExpositionWriter) {
        writer.sample(family, labels.text, Double(bitPattern: bits.load(ordering: .relaxed)))
    }
}
