/// When to connect, ping and give up, as a value: it is told what happened and the time, and says what to do.
///
/// Delays follow docs/PROTOCOL.md: full jitter, `bye`, `Retry-After` and close codes. A connection on which nothing
/// arrives for a ping interval is asked for a sign of life, and given up if there is none.
package struct ConnectionMachine: Sendable {
    package enum Phase: Hashable, Sendable {
        case stopped
        case waiting(until: Duration)
        case connecting(until: Duration)
        /// The socket is open; hello is awaited.
        case greeting(until: Duration)
        case connected
        case loggedOut(LogoutReason)
    }

    package enum Step: Hashable, Sendable {
        /// With this ticket, or with credentials of the provider.
        case connect(ticket: String?, CredentialReason)
        case disconnect
        case ping
    }

    /// How long tickets of `hello` and `bye` are used; they are valid for ten minutes.
    package static let ticketLifetime = Duration.seconds(590)
    /// After so long a connection counts as a success, and delays start over.
    package static let stableAfter = Duration.seconds(5)
    /// How long the server may take to close a drained connection after the delay of `bye`.
    package static let drainGrace = Duration.seconds(1)

    package private(set) var phase = Phase.stopped
    private let policy: ReconnectPolicy
    private var backoff: Backoff
    private var ticket: (text: String, until: Duration)?
    private var usesTicket = false
    /// The provider must not return what it returned before.
    private var needsFreshCredentials = false
    private var connectedAt = Duration.zero
    private var lastHeard = Duration.zero
    private var pingedAt: Duration?
    private var pingInterval = Duration.seconds(25)
    private var byeAt: Duration?

    package init(policy: ReconnectPolicy) {
        self.policy = policy
        backoff = Backoff(base: policy.base, cap: policy.cap)
    }

    /// When `tick` is to be called next.
    package var deadline: Duration? {
        switch phase {
        case .stopped, .loggedOut: nil
        case .waiting(let until), .connecting(let until), .greeting(let until): until
        case .connected:
            min(
                pingedAt.map { $0 + policy.pong } ?? lastHeard + pingInterval,
                byeAt.map { $0 + Self.drainGrace } ?? .seconds(1 << 40))
        }
    }

    // MARK: What the user wants

    package mutating func start(at now: Duration) -> [Step] {
        switch phase {
        case .stopped, .waiting: return connect(at: now)
        case .loggedOut:
            needsFreshCredentials = false
            backoff.reset()
            return connect(at: now)
        case .connecting, .greeting, .connected: return []
        }
    }

    package mutating func stop() -> [Step] {
        defer { phase = .stopped }
        return isOpen ? [.disconnect] : []
    }

    /// The network has changed: an attempt that is planned is made now, an open connection is checked.
    package mutating func networkChanged(at now: Duration) -> [Step] {
        switch phase {
        case .waiting:
            backoff.reset()
            return connect(at: now)
        case .connected:
            guard pingedAt == nil else { return [] }
            pingedAt = now
            return [.ping]
        default: return []
        }
    }

    // MARK: What happened

    package mutating func opened(at now: Duration) {
        guard case .connecting = phase else { return }
        phase = .greeting(until: now + policy.handshake)
        heard(at: now)
    }

    package mutating func greeted(ticket: String?, pingInterval: Duration, at now: Duration) {
        self.ticket = ticket.map { ($0, now + Self.ticketLifetime) }
        self.pingInterval = pingInterval
        needsFreshCredentials = false
        connectedAt = now
        byeAt = nil
        phase = .connected
        heard(at: now)
    }

    package mutating func heard(at now: Duration) {
        lastHeard = now
        pingedAt = nil
    }

    /// The node drains.
    package mutating func bye(after delay: Duration, ticket: String?, at now: Duration) {
        byeAt = now + delay
        if let ticket { self.ticket = (ticket, now + Self.ticketLifetime) }
    }

    /// The provider has no credentials.
    package mutating func hasNoCredentials() {
        phase = .loggedOut(.refused)
    }

    /// A handshake failed: with a status, or because the server, or the credentials, could not be reached.
    package mutating func failed(
        status: Int?, retryAfter: Duration?, at now: Duration, using random: inout some RandomNumberGenerator
    ) -> [Step] {
        switch status {
        case 401 where usesTicket:
            ticket = nil
            return connect(at: now)
        case 401 where !needsFreshCredentials:
            needsFreshCredentials = true
            return connect(at: now)
        case 401: phase = .loggedOut(.refused)
        case 403: phase = .loggedOut(.forbidden)
        default: wait(atLeast: retryAfter ?? .zero, at: now, using: &random)
        }
        return []
    }

    /// The socket is closed.
    package mutating func closed(code: Int?, at now: Duration, using random: inout some RandomNumberGenerator) -> [Step]
    {
        guard isOpen else { return [] }
        let isStable = phase == .connected && now - connectedAt >= Self.stableAfter
        if isStable { backoff.reset() }
        switch code {
        case 4000: return logOut(.refused)
        case 4001: return logOut(.revoked)
        case .some(let code) where (4002...4099).contains(code): return logOut(.stopped(code: code))
        case .some(4100...4199):
            ticket = nil
            guard !needsFreshCredentials else {
                wait(at: now, using: &random)
                return []
            }
            needsFreshCredentials = true
            return connect(at: now)
        case .some(4200...4299):
            if let byeAt {
                phase = .waiting(until: max(now, byeAt))
            } else {
                wait(atLeast: .milliseconds(Int64.random(in: 0...2_000, using: &random)), at: now, using: &random)
            }
            return []
        case .some(4300...4399) where backoff.failures == 0:
            _ = backoff.next(using: &random)
            return connect(at: now)
        case 1013:
            wait(atLeast: .seconds(1), at: now, using: &random)
            return []
        default:
            wait(at: now, using: &random)
            return []
        }
    }

    package mutating func tick(at now: Duration, using random: inout some RandomNumberGenerator) -> [Step] {
        guard let deadline, now >= deadline else { return [] }
        switch phase {
        case .stopped, .loggedOut: return []
        case .waiting: return connect(at: now)
        case .connecting, .greeting:
            wait(at: now, using: &random)
            return [.disconnect]
        case .connected:
            if let byeAt, now >= byeAt + Self.drainGrace { return [.disconnect] + connect(at: now) }
            if pingedAt != nil {
                wait(at: now, using: &random)
                return [.disconnect]
            }
            pingedAt = now
            return [.ping]
        }
    }

    // MARK: Steps

    private var isOpen: Bool {
        switch phase {
        case .connecting, .greeting, .connected: true
        case .stopped, .waiting, .loggedOut: false
        }
    }

    private mutating func connect(at now: Duration) -> [Step] {
        byeAt = nil
        if let ticket, ticket.until <= now { self.ticket = nil }
        usesTicket = ticket != nil
        phase = .connecting(until: now + policy.handshake)
        return [.connect(ticket: ticket?.text, needsFreshCredentials ? .expired : .connection)]
    }

    private mutating func wait(
        atLeast minimum: Duration = .zero, at now: Duration, using random: inout some RandomNumberGenerator
    ) {
        phase = .waiting(until: now + minimum + backoff.next(using: &random))
    }

    package mutating func logOut(_ reason: LogoutReason) -> [Step] {
        ticket = nil
        phase = .loggedOut(reason)
        return []
    }
}
