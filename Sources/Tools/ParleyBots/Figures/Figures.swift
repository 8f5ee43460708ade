/// Counts and measurements of the bots of one or all event loops; durations in microseconds.
package struct Figures: Codable, Sendable {
    /// Sends that became due.
    package var scheduled = 0
    /// Sends written to a socket for the first time, and repeated.
    package var sent = 0
    package var resent = 0
    /// Sends accepted by ack or echo; and stored, by the second ack.
    package var acked = 0
    package var stored = 0
    /// Log events that arrived live, by a replay, and by `history`.
    package var delivered = 0
    package var replayed = 0
    package var fetched = 0
    /// Typing indicators, read marks and presence.
    package var notices = 0
    package var receivedBytes = 0
    /// Sockets opened, and sockets that closed unexpectedly.
    package var connects = 0
    package var losses = 0
    /// Sockets cut by the bots: churn and storm.
    package var cuts = 0
    /// `behind` frames received.
    package var behind = 0
    /// Commands besides sends.
    package var reads = 0
    package var typings = 0
    /// Errors by frame code (`rate_limited`), HTTP status (`http_503`), close code (`close_4200`) and own codes.
    package var errors: [String: Int] = [:]

    /// From the scheduled time of a send to its ack, or its echo on a classic socket.
    package var ack = Histogram()
    package var storedAck = Histogram()
    /// From the scheduled time of a send to its delivery to a member's socket; `own`: on the node that the send went
    /// to.
    package var own = Histogram()
    package var other = Histogram()
    /// To or from a classic socket, whose node is unknown.
    package var unknown = Histogram()
    /// From the start of a connect to the first frame, or to the end of the upgrade on a classic socket.
    package var connect = Histogram()
    /// From the end of a socket to the end of the resume, or of the upgrade on a classic socket.
    package var recovery = Histogram()
    /// The delay of the tool itself with sends of connected bots: if this is large, all other figures are doubtful.
    package var lateness = Histogram()

    /// All deliveries.
    package var delivery: Histogram {
        var both = own
        both.add(other)
        both.add(unknown)
        return both
    }

    package var errorCount: Int { errors.values.reduce(0, +) }

    /// Counts an error under its code.
    package mutating func fail(_ code: String) {
        errors[code, default: 0] += 1
    }

    package mutating func add(_ more: Figures) {
        for path in Self.counters { self[keyPath: path] += more[keyPath: path] }
        for path in Self.histograms { self[keyPath: path].add(more[keyPath: path]) }
        for (code, count) in more.errors { errors[code, default: 0] += count }
    }

    private static var counters: [WritableKeyPath<Figures, Int>] {
        [
            \.scheduled, \.sent, \.resent, \.acked, \.stored, \.delivered, \.replayed, \.fetched, \.notices,
            \.receivedBytes, \.connects, \.losses, \.cuts, \.behind, \.reads, \.typings,
        ]
    }

    private static var histograms: [WritableKeyPath<Figures, Histogram>] {
        [\.ack, \.storedAck, \.own, \.other, \.unknown, \.connect, \.recovery, \.lateness]
    }
}
