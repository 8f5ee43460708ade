package import Metrics
import ParleyModel
import ParleySession

/// What the doors of this node tell about themselves.
package struct GatewayMetrics: Sendable {
    private let connectionsOpen: Gauge
    private let socketsOpen: Gauge
    private let lineSocketsOpen: Gauge
    private let messagesIn: Counter
    private let bytesIn: Counter
    private let bytesOut: Counter
    private let appendSeconds: Timer
    private let tooSlow: Counter
    private let drops: [DropReason: Counter]
    private let factory: any MetricsFactory

    package init(factory: any MetricsFactory) {
        self.factory = factory
        connectionsOpen = Gauge(label: "parley_connections", factory: factory)
        socketsOpen = Gauge(label: "parley_sockets", dimensions: [("door", "websocket")], factory: factory)
        lineSocketsOpen = Gauge(label: "parley_sockets", dimensions: [("door", "line")], factory: factory)
        messagesIn = Counter(label: "parley_messages_in_total", factory: factory)
        bytesIn = Counter(label: "parley_socket_received_bytes_total", factory: factory)
        bytesOut = Counter(label: "parley_socket_sent_bytes_total", factory: factory)
        appendSeconds = Timer(label: "parley_append_seconds", factory: factory)
        tooSlow = Counter(label: "parley_slow_sockets_total", factory: factory)
        drops = Dictionary(
            uniqueKeysWithValues: DropReason.allCases.map { reason in
                (
                    reason,
                    Counter(
                        label: "parley_frames_dropped_total", dimensions: [("reason", reason.rawValue)],
                        factory: factory)
                )
            })
    }

    func connections(_ count: Int) { connectionsOpen.record(count) }
    func webSockets(_ count: Int) { socketsOpen.record(count) }
    func lineSockets(_ count: Int) { lineSocketsOpen.record(count) }
    func received(bytes: Int) { bytesIn.increment(by: bytes) }
    func sent(bytes: Int) { bytesOut.increment(by: bytes) }
    func dropped(_ reason: DropReason) { drops[reason]?.increment() }
    func cutOffSlowSocket() { tooSlow.increment() }

    /// A message was accepted, so many nanoseconds after it was sent off to the log.
    func accepted(after nanoseconds: Int64) {
        messagesIn.increment()
        appendSeconds.recordNanoseconds(nanoseconds)
    }

    /// The server closed a socket.
    func closed(code: UInt16) {
        Counter(label: "parley_sockets_closed_total", dimensions: [("code", String(code))], factory: factory)
            .increment()
    }

    /// A WebSocket handshake came to this HTTP status.
    func answeredHandshake(status: Int) {
        Counter(label: "parley_handshakes_total", dimensions: [("status", String(status))], factory: factory)
            .increment()
    }
}
