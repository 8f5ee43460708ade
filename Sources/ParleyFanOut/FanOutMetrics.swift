package import Metrics
import NIOCore
package import ParleyModel

/// What the fan-out of this node tells about itself.
package struct FanOutMetrics: Sendable {
    /// Sockets that got an event, per event and event loop.
    private let size: Recorder
    /// Frames handed to sockets.
    private let deliveries: Counter
    /// Holes that were noticed in the order of a thread.
    private let gaps: Counter
    /// Readings of a log that brought or freed events of a thread with a hole.
    private let repairs: Counter
    /// Events that came once more, or late.
    private let repeats: Counter
    /// Events that could not be had from the log any more.
    private let lost: Counter
    /// Topics this node is subscribed to.
    private let topics: Gauge
    /// Event loops that sockets live on.
    private let loops: Gauge
    /// From an event's acceptance until it is taken up here, by two clocks.
    private let receiveSeconds: Metrics.Timer
    /// From the arrival of a burst of events until it is taken up.
    private let waitSeconds: Metrics.Timer
    /// Handing a batch of events to all sockets of a loop; see `isSampled`.
    private let fanOutSeconds: Metrics.Timer
    /// Flushing those sockets.
    private let flushSeconds: Metrics.Timer
    private let clock: WallClock

    /// One batch of so many is timed.
    private static let sampling: UInt32 = 16

    /// - Parameter clock: against which the age of events is taken.
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

    /// A burst of the bus is taken up, so long after its first signal came.
    func tookUp(after wait: TimeAmount) {
        waitSeconds.recordNanoseconds(wait.nanoseconds)
    }

    /// The first signal of several that are handed on.
    func took(_ signal: BusSignal?) {
        guard case .event(let event) = signal else { return }
        receiveSeconds.recordNanoseconds((clock.milliseconds - event.milliseconds) * 1_000_000)
    }

    /// Whether the batch of this number is timed, so that most cost no look at the clock.
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

    func noticedGap() {
        gaps.increment()
    }

    func repaired() {
        repairs.increment()
    }

    func repeated() {
        repeats.increment()
    }

    func gaveUp(_ count: Int64) {
        lost.increment(by: count)
    }

    func subscribed(to count: Int) {
        topics.record(count)
    }
}
