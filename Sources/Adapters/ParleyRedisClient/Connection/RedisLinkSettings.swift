package import ParleyConcurrency

/// The limits of a connection.
package struct RedisLinkSettings: Hashable, Sendable {
    package var connectTimeout = Duration.seconds(5)
    /// The maximum time for a sentinel to report the master.
    package var sentinelTimeout = Duration.seconds(1)
    /// The period after which a silent peer is given up, at the latest after 4/3 of it; the peer receives a PING first.
    /// Callers wait equally long for a host that has stopped without closing its connections.
    package var silence = Duration.seconds(4)
    package var backoff = Backoff(cap: .seconds(3))
    package var limits = RESPLimits()
    /// The maximum number of unanswered commands on one connection; above it commands are refused.
    package var commands = 20_000
    /// The maximum total size of those commands in bytes; above it commands are refused.
    package var commandBytes = 64 * 1024 * 1024
    /// The interval at which a node publishes a heartbeat to itself through each host. A subscriber that misses three
    /// in a row reconnects.
    package var heartbeat = Duration.milliseconds(2500)

    package init() {}
}
