/// What bounds a connection.
package struct RedisLinkSettings: Hashable, Sendable {
    package var connectTimeout = Duration.seconds(5)
    /// A peer that is silent for as long is asked, and given up within the same time again: at most 4/3 of this.
    package var silence = Duration.seconds(6)
    package var backoff = Backoff()
    package var limits = RESPLimits()
    /// Commands without an answer on one connection; above it they are refused.
    package var commands = 20_000

    package init() {}
}
