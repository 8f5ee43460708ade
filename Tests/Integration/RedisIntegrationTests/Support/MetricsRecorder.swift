import CoreMetrics
import Synchronization

/// Records the last value or the sum of each metric, by `name{dimension,…}`. Protected by a lock.
final class MetricsRecorder: MetricsFactory {
    private let values = Mutex<[String: Double]>([:])

    subscript(_ series: String) -> Double? {
        values.withLock { $0[series] }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Series(self, label, dimensions)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        Series(self, label, dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Series(self, label, dimensions)
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private final class Series: CounterHandler, RecorderHandler, TimerHandler {
        private let table: MetricsRecorder
        private let name: String

        init(_ table: MetricsRecorder, _ label: String, _ dimensions: [(String, String)]) {
            self.table = table
            name = "\(label){\(dimensions.map(\.1).joined(separator: ","))}"
        }

        private func add(_ value: Double) {
            table.values.withLock { $0[name, default: 0] += value }
        }

        func increment(by amount: Int64) { add(Double(amount)) }
        func reset() {}
        func record(_ value: Int64) { record(Double(value)) }
        func record(_ value: Double) { table.values.withLock { $0[name] = value } }
        func recordNanoseconds(_ duration: Int64) { add(Double(duration)) }
    }
}
