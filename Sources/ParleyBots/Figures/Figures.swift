/// What the bots of one event loop, or all, have counted and measured; durations in microseconds.
package struct Figures: Codable, Sendable {
    /// Sends that were due.
    package var scheduled = 0
    /// Written to a socket for the first time, and again.
    package var sent = 0
    package var resent = 0
    /// In the log, by ack or echo; and stored, by the second ack.
    package var acked = 0
    package var stored = 0
    /// Log events that came live; that came by a replay; that were fetched by `history`.
    package var delivered = 0
    package var replayed = 0
    package var fetched = 0
    /// Typing, read receipts, presence.
    package var notices = 0
    package var receivedBytes = 0
    /// Sockets that were opened, and that ended against the bot's will.
    package var connects = 0
    package var losses = 0
    /// Sockets that bots have cut themselves: churn and storm.
    package var cuts = 0
    /// Times that a server said `behind`.
    package var behind = 0
    /// Commands besides sends.
    package var reads = 0
    package var typings = 0
    /// What went wrong, by the codes of frames (`rate_limited`), HTTP (`http_503`), closes (`close_4200`) and ours.
    package var errors: [String: Int] = [:]

    /// From the instant for which a send was scheduled to its ack (to its echo on a classic socket).
    package var ack = Histogram()
    package var storedAck = Histogram()
    /// To each member's socket; `own`: on the node that the send went to.
    package var own = Histogram()
    package var other = Histogram()
    /// To or from a classic socket, which does not say on which node it is.
    package var unknown = Histogram()
    /// From the beginning of a connect to the first frame, or the end of the upgrade on a classic socket.
    package var connect = Histogram()
    /// From the death of a socket to the end of the resume, or of the upgrade on a classic socket.
    package var recovery = Histogram()
    /// How late the tool itself was with sends of bots that had a socket: what is large here makes everything else
    /// doubtful.
    package var lateness = Histogram()

    package init() {}

    /// All deliveries.
    package var delivery: Histogram {
        var both = own
        both.add(other)
        both.add(unknown)
        return both
    }

    package var errorCount: Int { errors.values.reduce(0, +) }

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
