package import Metrics
import NIOCore
package import ParleyModel

/// The instruments of the fan-out of this node.
package struct FanOutMetrics: Sendable {
    /// Sockets that got an event, per event and event loop.
    private let size: Recorder
    /// Frames handed to sockets.
    private let deliveries: Counter
    /// Gaps in the order of a thread.
    private let gaps: Counter
    /// Readings of a log that brought or freed events of a thread with a gap.
    private let repairs: Counter
    /// Events that came once more, or late.
    private let repeats: Counter
    /// Events that the log does not have any more.
    private let lost: Counter
    /// Topics that this node is subscribed to.
    private let topics: Gauge
    /// Event loops that sockets live on.
    private let loops: Gauge
    /// From the acceptance of an event until this node handles it, by two clocks.
    private let receiveSeconds: Metrics.Timer
    /// From the arrival of a burst of events until it is handled.
    private let waitSeconds: Metrics.Timer
    /// Writing a batch of events to all sockets of a loop; see `isSampled`.
    private let fanOutSeconds: Metrics.Timer
    /// Flushing those sockets.
    private let flushSeconds: Metrics.Timer
    private let clock: WallClock

    /// One batch in so many is timed.
    private static let sampling: UInt32 = 16

    /// - Parameter clock: against which the age of events is measured.
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

    /// A burst of the bus is handled, so long after its first signal came.
    func tookUp(after wait: TimeAmount) {
        waitSeconds.recordNanoseconds(wait.nanoseconds)
    }

    /// - Parameter signal: the first of several that are handled together.
    func took(_ signal: BusSignal?) {
        guard case .event(let event) = signal else { return }
        receiveSeconds.recordNanoseconds(LogBounds.age(of: event.milliseconds, at: clock.milliseconds))
    }

    /// Whether the batch of this number is timed; the others read no clock.
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
