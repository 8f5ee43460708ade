/// The delays between connection attempts, and the timeouts of a connection.
///
/// After n failures, a delay is uniform between zero and `base` · 2ⁿ, at most `cap`. A delay that the server requests
/// (`bye`, `Retry-After`) is a minimum, and the delay is added to it. The defaults are those of docs/clients.md.
///
/// ```swift
/// var policy = ReconnectPolicy()
/// policy.cap = .seconds(10)
/// configuration.reconnect = policy
/// ```
public struct ReconnectPolicy: Hashable, Sendable {
    /// The maximum of the first delay.
    public var base: Duration = .milliseconds(500)
    /// The maximum of all delays.
    public var cap: Duration = .seconds(30)
    /// The timeout of an attempt, from its start to the server's hello.
    public var handshake: Duration = .seconds(15)
    /// The timeout for the answer to a ping.
    public var pong: Duration = .seconds(10)
    /// The maximum silence while a command has no answer.
    public var answer: Duration = .seconds(20)

    /// Creates a policy with the default values.
    public init() {}
}

extension ReconnectPolicy {
    /// The duration after which a connection counts as a success, so that delays start over.
    package static let stableAfter = Duration.seconds(5)
    /// The time that tickets of `hello` and `bye` are used for, a minute less than their validity.
    package static let ticketLifetime = Duration.seconds(540)
    /// The time that the server may take to close a drained connection after the delay of `bye`.
    package static let byeGrace = Duration.seconds(1)
    /// The minimum pause after a close code that means `later`.
    package static let later = Duration.seconds(1)
    /// The interval that clients spread their attempts over if the server closed them without a delay.
    package static let spread = Duration.seconds(2)
    /// The pause before a refused command is repeated, unless the server specifies one.
    package static let refusedPause: ClosedRange<Duration> = .milliseconds(200)...(.seconds(2))

    /// Returns the pause before a refused command is repeated.
    /// - Parameter asked: The pause that the server requests.
    package static func pause(asked: Duration?, using random: inout some RandomNumberGenerator) -> Duration {
        asked ?? .random(in: refusedPause, using: &random)
    }
}
