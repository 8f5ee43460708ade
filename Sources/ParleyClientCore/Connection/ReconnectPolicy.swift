/// Delays between attempts to connect, and how long a client waits for a sign of life.
///
/// A delay is uniform between zero and `base` · 2ⁿ after n failures, at most `cap`. What the server asks for (`bye`,
/// `Retry-After`) is a minimum, to which it is added. The defaults are those of docs/clients.md.
public struct ReconnectPolicy: Hashable, Sendable {
    /// Maximum first delay.
    public var base: Duration = .milliseconds(500)
    /// Maximum delay.
    public var cap: Duration = .seconds(30)
    /// How long an attempt may take, from its start to the server's hello.
    public var handshake: Duration = .seconds(15)
    /// How long an answer to a ping may take before the connection counts as lost.
    public var pong: Duration = .seconds(10)
    /// How long nothing may arrive while a command has no answer, before the connection counts as lost.
    public var answer: Duration = .seconds(20)

    /// The defaults.
    public init() {}
}

extension ReconnectPolicy {
    /// After so long a connection counts as a success, and delays start over.
    package static let stableAfter = Duration.seconds(5)
    /// How long tickets of `hello` and `bye` are used: a minute less than they are valid.
    package static let ticketLifetime = Duration.seconds(540)
    /// How long the server may take to close a drained connection after the delay of `bye`.
    package static let byeGrace = Duration.seconds(1)
    /// The least pause after a close code that means `later`.
    package static let later = Duration.seconds(1)
    /// Over how long clients spread that are sent away at once without a delay.
    package static let spread = Duration.seconds(2)
    /// How long a refused command waits, if the server does not say it.
    package static let refusedPause: ClosedRange<Duration> = .milliseconds(200)...(.seconds(2))

    /// How long a refused command waits before it is sent again.
    /// - Parameter asked: What the server asks for.
    package static func pause(asked: Duration?, using random: inout some RandomNumberGenerator) -> Duration {
        asked ?? .random(in: refusedPause, using: &random)
    }
}
