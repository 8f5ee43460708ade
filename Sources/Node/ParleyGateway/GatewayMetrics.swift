package import Metrics
import NIOCore
package import ParleyModel
import ParleySession
import ParleyWire

/// The metrics of the gateway's listeners and connections.
///
/// A class, since connections reach it through values: each use would retain some twenty metrics otherwise.
package final class GatewayMetrics: Sendable {
    /// TCP connections of the HTTP and WebSocket listener. These three are counted up and down, since loops report in
    /// any order.
    private let connections: Meter
    private let sockets: Meter
    private let lines: Meter
    /// Messages of clients that the log has accepted.
    private let messagesIn: Counter
    private let bytesIn: Counter
    private let bytesOut: Counter
    /// Time from the append of a message until the log accepts it.
    private let appendSeconds: Timer
    /// Connections that were closed because too many bytes waited for them.
    private let tooSlow: Counter
    private let drops: [DropReason: Counter]
    /// Rejected commands of v1 clients.
    private let rejections: [V1ErrorCode: Counter]
    private let closes: [UInt16: Counter]
    private let handshakes: [Int: Counter]
    /// Time from a read until everything in it is handled.
    private let readSeconds: Timer
    /// Time of one step of a session; see `timingSession`.
    private let sessionSeconds: Timer
    /// The number of times that a slow client was sent the range of events that were left out.
    private let behind: Counter
    private let limits: LimitCounters

    package init(factory: any MetricsFactory) {
        connections = Meter(label: "parley_connections", factory: factory)
        sockets = Meter(label: "parley_sockets", dimensions: [("listener", "websocket")], factory: factory)
        lines = Meter(label: "parley_sockets", dimensions: [("listener", "line")], factory: factory)
        messagesIn = Counter(label: "parley_messages_in_total", factory: factory)
        bytesIn = Counter(label: "parley_socket_received_bytes_total", factory: factory)
        bytesOut = Counter(label: "parley_socket_sent_bytes_total", factory: factory)
        appendSeconds = Timer(label: "parley_append_seconds", factory: factory)
        tooSlow = Counter(label: "parley_slow_sockets_total", factory: factory)
        func counters<Key: Hashable>(_ label: String, _ dimension: String, _ values: [(Key, String)]) -> [Key: Counter]
        {
            Dictionary(
                uniqueKeysWithValues: values.map { key, value in
                    (key, Counter(label: label, dimensions: [(dimension, value)], factory: factory))
                })
        }
        readSeconds = Timer(label: "parley_frame_read_seconds", factory: factory)
        sessionSeconds = Timer(label: "parley_session_seconds", factory: factory)
        behind = Counter(label: "parley_behind_total", factory: factory)
        limits = LimitCounters(factory: factory)
        drops = counters("parley_frames_dropped_total", "reason", DropReason.allCases.map { ($0, $0.rawValue) })
        rejections = counters(
            "parley_commands_refused_total", "code", V1ErrorCode.allCases.map { ($0, $0.rawValue) })
        closes = counters(
            "parley_sockets_closed_total", "code",
            [1001, 1002, 1003, 1007, 1009, 1013, 4000, 4001, 4002, 4003, 4100, 4200, 4201, 4300].map { ($0, "\($0)") })
        handshakes = counters(
            "parley_handshakes_total", "status", [101, 400, 401, 403, 426, 429, 503].map { ($0, "\($0)") })
    }

    func opened(_ transport: Transport) { meter(transport).increment() }
    func closed(_ transport: Transport) { meter(transport).decrement() }
    func received(bytes: Int) { bytesIn.increment(by: bytes) }
    func sent(bytes: Int) { bytesOut.increment(by: bytes) }

    func dropped(_ reason: DropReason) {
        drops[reason]?.increment()
        if reason == .textTooLong { reached(.textChars) }
    }

    func refused(_ code: V1ErrorCode) {
        rejections[code]?.increment()
        if code == .tooLarge { reached(.textChars) }
    }

    func cutOffSlowSocket() {
        tooSlow.increment()
        reached(.outboundBytes)
    }

    /// A slow client is sent the range of events that were left out.
    func sentBehind() {
        behind.increment()
        reached(.outboundBytes)
    }

    func reached(_ limit: ReachedLimit) { limits.reached(limit) }

    func handledRead(in time: TimeAmount) { readSeconds.recordNanoseconds(time.nanoseconds) }

    /// Times a sample of the steps of sessions: steps in one microsecond of 16, which is as good as random and costs
    /// nothing for the others.
    /// - Parameter now: microseconds by a monotonic clock.
    func timingSession(at now: Int64, _ step: () -> Void) {
        guard now & 15 == 0 else { return step() }
        let began = NIODeadline.now()
        step()
        sessionSeconds.recordNanoseconds((NIODeadline.now() - began).nanoseconds)
    }

    /// The log has accepted a message.
    /// - Parameter nanoseconds: since its append.
    func accepted(after nanoseconds: Int64) {
        messagesIn.increment()
        appendSeconds.recordNanoseconds(nanoseconds)
    }

    /// The server closed a socket.
    func closed(code: UInt16) {
        closes[code]?.increment()
        if code == 1009 { reached(.frameBytes) }
    }

    /// A WebSocket handshake was answered with this HTTP status.
    func answeredHandshake(status: Int) { handshakes[status]?.increment() }

    /// The kind that a connection is counted as.
    enum Transport {
        case any
        case webSocket
        case line
    }

    private func meter(_ transport: Transport) -> Meter {
        switch transport {
        case .any: connections
        case .webSocket: sockets
        case .line: lines
        }
    }
}

/// `parley_limits_reached_total`, by limit, for this and other modules.
package struct LimitCounters: Sendable {
    private let counters: [ReachedLimit: Counter]

    package init(factory: any MetricsFactory) {
        counters = Dictionary(
            uniqueKeysWithValues: ReachedLimit.allCases.map { limit in
                let dimensions = [("limit", limit.rawValue)]
                return (limit, Counter(label: "parley_limits_reached_total", dimensions: dimensions, factory: factory))
            })
    }

    @Sendable package func reached(_ limit: ReachedLimit) { counters[limit]?.increment() }
}
