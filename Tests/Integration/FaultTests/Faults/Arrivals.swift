import ParleyTestServers
import ParleyTestSupport
import Synchronization

/// Counts the sockets that gateways let in, which may be started again meanwhile.
final class Arrivals: Sendable {
    private struct State {
        var seen: [Int: Double] = [:]
        var total = 0.0
        var peak = 0.0
    }

    private let gateways: [ParleyProcess]
    private let state = Mutex(State())

    init(_ gateways: [ParleyProcess]) {
        self.gateways = gateways
    }

    /// Sockets that came in while it was counted.
    var total: Double { state.withLock { $0.total } }
    /// The most of them in one second.
    var peak: Double { state.withLock { $0.peak } }

    /// Looks once a second, until the task is cancelled.
    func count() async {
        _ = await look()
        var last = ContinuousClock.now
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            let count = await look()
            let now = ContinuousClock.now
            let seconds = (now - last) / .seconds(1)
            last = now
            state.withLock { state in
                state.total += count
                state.peak = max(state.peak, count / seconds)
            }
        }
    }

    /// How many came in since the last look.
    private func look() async -> Double {
        var count = 0.0
        for gateway in gateways {
            guard let metrics = try? await gateway.metrics() else { continue }
            let value = metrics.sum("parley_handshakes_total", where: #"status="101""#) ?? 0
            count += state.withLock { state in
                let before = state.seen.updateValue(value, forKey: gateway.port)
                // A process that was started again counts from 0.
                guard let before else { return 0 }
                return value >= before ? value - before : value
            }
        }
        return count
    }
}
