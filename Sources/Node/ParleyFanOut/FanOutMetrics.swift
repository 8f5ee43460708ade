package import Metrics
import NIOCore
package import ParleyModel

/// The instruments of the fan-out of this node.
package struct FanOutMetrics: Sendable {
    /// The number of sockets that received an event, per event and event loop.
    private let size: Recorder
    /// The number of frames passed to sockets.
    private let deliveries: Counter
    /// The number of gaps in the order of a thread.
    private let gaps: Counter
    /// The number of log reads that returned or released events of a thread with a gap.
    private let repairs: Counter
    /// The number of repeated or late events.
    private let repeats: Counter
    /// The number of events that the log no longer has.
    private let lost: Counter
    /// Topics that this node is subscribed to.
    private let topics: Gauge
    /// Event loops that sockets live on.
    private let loops: Gauge
    /// The time from the acceptance of an event to its handling by this node, measured by two clocks.
    private let receiveSeconds: Metrics.Timer
    /// The time from the arrival of a burst of events to its handling.
    private let waitSeconds: Metrics.Timer
    /// The time to write a batch of events to all sockets of a loop; see `isSampled`.
    private let fanOutSeconds: Metrics.Timer
    /// The time to flush those sockets.
    private let flushSeconds: Metrics.Timer
    private let clock: WallClock

    /// The sampling interval: one batch in this number is timed.
    private static let sampling: UInt32 = 16

    /// - Parameter clock: The clock for the age of events.
    package init(factory: any MetricsFactory, clock: WallClock = .system) {
        size = Recorder(label: "parley_fanout_sockets", dimensions: [], aggregate: true, factory: factory)
        deliveries = Counter(label: "parley_messages_out_total", factory: factory)
        gaps = Counter(label: "parley_sequence_gaps_total", factory: factory)
        repairs = Counter(label: "parley_sequence_repairs_total", factory: factory)
        repeats = Counter(label: "parley_sequence_repeats_total", factory: factory)
        lost = Counter(label: "parley_sequence_lost_total", factory: factory)
        topics = Gauge(label: "parley_bus_topics", factory: factory)
        loops = Gauge(label: "parley_event_loops", factory: factory)
        receiveSeconds = Metrics.Timer(label: "parley_bus_receive_seconds", factory: factory)
        waitSeconds = Metrics.Timer(label: "parley_bus_wait_seconds", factory: factory)
        fanOutSeconds = Metrics.Timer(label: "parley_fanout_seconds", factory: factory)
        flushSeconds = Metrics.Timer(label: "parley_flush_seconds", factory: factory)
        self.clock = clock
    }

    func runs(on loops: Int) {
        self.loops.record(loops)
    }

    /// Records that a burst of the bus is being handled, and its wait since the first signal.
    func recordWait(_ wait: TimeAmount) {
        waitSeconds.recordNanoseconds(wait.nanoseconds)
    }

    /// Records the age of the first of several signals that are handled together.
    func recordAge(of signal: BusSignal?) {
        guard case .event(let event) = signal else { return }
        receiveSeconds.recordNanoseconds(LogBounds.age(of: event.milliseconds, at: clock.milliseconds))
    }

    /// Returns whether a batch is timed. Other batches read no clock.
    static func isSampled(_ batch: UInt32) -> Bool { batch % sampling == 1 }

    func delivered(in writing: TimeAmount, flushedIn flushing: TimeAmount) {
        fanOutSeconds.recordNanoseconds(writing.nanoseconds)
        flushSeconds.recordNanoseconds(flushing.nanoseconds)
    }

    func fannedOut(to sockets: Int, deliveries count: Int) {
        guard sockets > 0 else { return }
        size.record(sockets)
        deliveries.increment(by: count)
    }

    func count(_ count: HubCount) {
        switch count {
        case .gap: gaps.increment()
        case .repair: repairs.increment()
        case .repeated: repeats.increment()
        case .lost(let events): lost.increment(by: events)
        }
    }

    func subscribed(to count: Int) {
        topics.record(count)
    }
}
