import CoreMetrics
import Synchronization

/// Records metrics, by label and dimensions in Prometheus' notation.
final class TestInstruments: MetricsFactory {
    /// The last value or sum of each metric, and the number of recordings.
    private let values = Mutex<[String: (value: Double, count: Int)]>([:])

    /// A gauge's last value, a counter's or meter's sum, a timer's total in seconds; `nil` without recordings.
    func value(_ name: String) -> Double? { values.withLock { $0[name]?.value } }

    /// The number of recordings of a timer.
    func count(_ name: String) -> Int { values.withLock { $0[name]?.count ?? 0 } }

    private func change(_ name: String, _ change: (inout Double) -> Void) {
        values.withLock { values in
            change(&values[name, default: (0, 0)].value)
            values[name, default: (0, 0)].count += 1
        }
    }

    private final class Instrument: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
        let name: String
        let factory: TestInstruments

        init(_ label: String, _ dimensions: [(String, String)], _ factory: TestInstruments) {
            let labels = dimensions.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
            name = labels.isEmpty ? label : "\(label){\(labels)}"
            self.factory = factory
        }

        func increment(by amount: Int64) { factory.change(name) { $0 += Double(amount) } }
        func reset() { factory.change(name) { $0 = 0 } }
        func set(_ value: Int64) { factory.change(name) { $0 = Double(value) } }
        func set(_ value: Double) { factory.change(name) { $0 = value } }
        func increment(by amount: Double) { factory.change(name) { $0 += amount } }
        func decrement(by amount: Double) { factory.change(name) { $0 -= amount } }
        func record(_ value: Int64) { factory.change(name) { $0 = Double(value) } }
        func record(_ value: Double) { factory.change(name) { $0 = value } }
        func recordNanoseconds(_ duration: Int64) { factory.change(name) { $0 += Double(duration) / 1e9 } }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Instrument(label, dimensions, self)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        Instrument(label, dimensions, self)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate _: Bool) -> any RecorderHandler {
        Instrument(label, dimensions, self)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Instrument(label, dimensions, self)
    }

    func destroyCounter(_: any CounterHandler) {}
    func destroyMeter(_: any MeterHandler) {}
    func destroyRecorder(_: any RecorderHandler) {}
    func destroyTimer(_: any TimerHandler) {}
}
