package import CoreMetrics
import Metrics
package import ParleyModel

/// The instruments of a `Persister`, for all its partitions; the gauges have one dimension, `partition`.
package struct PersisterMetrics: Sendable {
    /// `parley_persister_batches_total`: transactions committed.
    private let batches: Counter
    /// `parley_persister_events_total{outcome="stored"}`: events written.
    private let stored: Counter
    /// `parley_persister_events_total{outcome="repeated"}`: events that were stored already.
    private let repeated: Counter
    /// `parley_persister_events_total{outcome="marked"}`: read cursors moved.
    private let marked: Counter
    /// `parley_persister_events_total{outcome="rejected"}`: events written to the rejects.
    private let rejected: Counter
    /// `parley_persister_events_total{outcome="dropped"}`: events of threads that were deleted before they were stored.
    private let dropped: Counter
    /// `parley_persister_retries_total`: failed attempts that are retried.
    private let retries: Counter
    /// `parley_persister_batch_events`: events per transaction.
    private let batchEvents: Recorder
    /// `parley_persister_write_seconds`: duration of a transaction, failed ones included.
    private let writeTime: Metrics.Timer
    /// `parley_persister_lag_events`: events accepted and not yet stored.
    private let lagEvents: [Partition: Gauge]
    /// `parley_persister_lag_seconds`: age of the oldest event that was read and is not stored.
    private let lagSeconds: [Partition: Gauge]
    /// `parley_persister_lag_bytes`: memory of those events in the stream, measured every few seconds.
    private let lagBytes: [Partition: Gauge]
    /// `parley_persist_seconds`: from acceptance to storage of an event, by two clocks and in whole milliseconds.
    private let persistTime: Metrics.Timer
    /// `parley_persister_owned`: 1 for a partition owned by this process, otherwise 0.
    private let owned: [Partition: Gauge]
    /// `parley_persister_partitions`: partitions owned by this process.
    private let partitions: Gauge

    package init(partitions: [Partition], factory: any MetricsFactory) {
        func events(_ outcome: String) -> Counter {
            Counter(label: "parley_persister_events_total", dimensions: [("outcome", outcome)], factory: factory)
        }
        func gauges(_ label: String) -> [Partition: Gauge] {
            Dictionary(
                uniqueKeysWithValues: partitions.map { partition in
                    let dimensions = [("partition", String(partition.number))]
                    return (partition, Gauge(label: label, dimensions: dimensions, factory: factory))
                })
        }
        batches = Counter(label: "parley_persister_batches_total", factory: factory)
        stored = events("stored")
        repeated = events("repeated")
        marked = events("marked")
        rejected = events("rejected")
        dropped = events("dropped")
        retries = Counter(label: "parley_persister_retries_total", factory: factory)
        batchEvents = Recorder(label: "parley_persister_batch_events", factory: factory)
        writeTime = Metrics.Timer(label: "parley_persister_write_seconds", factory: factory)
        lagEvents = gauges("parley_persister_lag_events")
        lagSeconds = gauges("parley_persister_lag_seconds")
        lagBytes = gauges("parley_persister_lag_bytes")
        owned = gauges("parley_persister_owned")
        for gauge in owned.values { gauge.record(0) }
        persistTime = Metrics.Timer(label: "parley_persist_seconds", factory: factory)
        self.partitions = Gauge(label: "parley_persister_partitions", factory: factory)
    }

    func wrote(in duration: Duration) {
        writeTime.record(duration: duration)
    }

    func committed(_ outcomes: [StoreOutcome]) {
        batches.increment()
        batchEvents.record(outcomes.count)
        var counts = (stored: 0, repeated: 0, marked: 0, rejected: 0, dropped: 0)
        for outcome in outcomes {
            switch outcome {
            case .stored: counts.stored += 1
            case .repeated: counts.repeated += 1
            case .marked: counts.marked += 1
            case .rejected: counts.rejected += 1
            case .dropped: counts.dropped += 1
            }
        }
        if counts.stored > 0 { stored.increment(by: counts.stored) }
        if counts.repeated > 0 { repeated.increment(by: counts.repeated) }
        if counts.marked > 0 { marked.increment(by: counts.marked) }
        if counts.rejected > 0 { rejected.increment(by: counts.rejected) }
        if counts.dropped > 0 { dropped.increment(by: counts.dropped) }
    }

    /// Records the time from acceptance to storage of an event, in nanoseconds.
    func stored(after age: Int64) {
        persistTime.recordNanoseconds(age)
    }

    func retried() {
        retries.increment()
    }

    func lags(_ partition: Partition, events: Int) {
        lagEvents[partition]?.record(events)
    }

    func lags(_ partition: Partition, seconds: Double) {
        lagSeconds[partition]?.record(seconds)
    }

    func lags(_ partition: Partition, bytes: Int) {
        lagBytes[partition]?.record(bytes)
    }

    func owns(_ now: Set<Partition>) {
        partitions.record(now.count)
        for (partition, gauge) in owned { gauge.record(now.contains(partition) ? 1 : 0) }
    }

    /// Clears the gauges of a partition that another process now owns and reports.
    func forget(_ partition: Partition) {
        lags(partition, events: 0)
        lags(partition, seconds: 0)
        lags(partition, bytes: 0)
    }
}
