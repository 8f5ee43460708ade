import Synchronization

/// The records of a run besides its figures: samples, and the servers' metrics at certain instants.
///
/// Protected by a mutex: progress and the generator's task both write to it.
final class Recording: Sendable {
    enum Instant: Hashable {
        case beforeConnect, connected
    }

    struct Taken: Sendable {
        var samples: [Sample] = []
        var before = ServerStatus()
        var connected = ServerStatus()
        var logins = Histogram()
        var begin = Edge()
        var end = Edge()
    }

    /// The state at the beginning or end of the measured time.
    struct Edge: Sendable {
        var server = ServerStatus()
        var delivered = 0
        var acked = 0
        /// CPU seconds of this tool.
        var ownSeconds = 0.0
        /// Monotonic microseconds.
        var time: Int64 = 0
    }

    /// In a longer run every second sample is dropped, repeatedly.
    private static let maximumSamples = 4000

    private let state = Mutex(Taken())

    func add(_ sample: Sample) {
        state.withLock { state in
            state.samples.append(sample)
            guard state.samples.count > Self.maximumSamples else { return }
            state.samples = state.samples.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        }
    }

    func status(_ instant: Instant, _ status: ServerStatus) {
        state.withLock { state in
            switch instant {
            case .beforeConnect: state.before = status
            case .connected: state.connected = status
            }
        }
    }

    func logins(_ times: [Int64]) {
        state.withLock { state in for time in times { state.logins.record(time) } }
    }

    func begin(_ server: ServerStatus, _ figures: Figures, _ ownSeconds: Double, _ time: Int64) {
        let edge = Edge(
            server: server, delivered: figures.delivered, acked: figures.acked, ownSeconds: ownSeconds, time: time)
        state.withLock { $0.begin = edge }
    }

    func end(_ server: ServerStatus, _ figures: Figures, _ ownSeconds: Double, _ time: Int64) {
        let edge = Edge(
            server: server, delivered: figures.delivered, acked: figures.acked, ownSeconds: ownSeconds, time: time)
        state.withLock { $0.end = edge }
    }

    func taken() -> Taken { state.withLock { $0 } }
}
