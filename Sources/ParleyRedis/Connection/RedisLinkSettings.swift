/// What bounds a connection.
package struct RedisLinkSettings: Hashable, Sendable {
    package var connectTimeout = Duration.seconds(5)
    /// How long a sentinel may take to say where the master is.
    package var sentinelTimeout = Duration.seconds(1)
    /// A peer that is silent for as long is asked, and given up within the same time again: at most 4/3 of this.
    package var silence = Duration.seconds(6)
    package var backoff = Backoff()
    package var limits = RESPLimits()
    /// Commands without an answer on one connection; above it they are refused.
    package var commands = 20_000
    /// The bytes of those commands; above it they are refused.
    package var commandBytes = 64 * 1024 * 1024
    /// How often a node sends itself a message through each host. A subscriber that misses three of them in a row is
    /// deaf, and connects anew.
    package var heartbeat = Duration.milliseconds(2500)

    package init() {}
}
