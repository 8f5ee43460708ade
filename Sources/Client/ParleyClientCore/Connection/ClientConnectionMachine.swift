/// The rules for connecting, pinging and giving up, as a value. It receives events with their time, and returns the
/// steps to perform.
///
/// Delays follow docs/clients.md: full jitter, `bye`, `Retry-After` and close codes. If nothing arrives for a ping
/// interval, the machine sends a ping, and ends the connection if no sign of life follows. It also ends a connection if
/// nothing arrives while a command has no answer.
package struct ClientConnectionMachine: Sendable {
    package enum Phase: Hashable, Sendable {
        case stopped
        case waiting(until: Duration)
        case connecting(until: Duration)
        /// The socket is open, and hello has not arrived.
        case greeting(until: Duration)
        case connected
        case loggedOut(LogoutReason)
    }

    package enum Step: Hashable, Sendable {
        /// Connect with this ticket, or with credentials of the provider.
        case connect(ticket: String?, CredentialReason)
        case disconnect
        case ping
    }

    package private(set) var phase = Phase.stopped
    private let policy: ReconnectPolicy
    private var backoff: FullJitterBackoff
    private var ticket: (text: String, until: Duration)?
    private var usesTicket = false
    /// Whether the provider must return other credentials than before.
    private var needsFreshCredentials = false
    private var connectedAt = Duration.zero
    private var lastHeard = Duration.zero
    private var pingedAt: Duration?
    private var pingInterval = Duration.seconds(25)
    private var byeAt: Duration?
    /// The times at which the unanswered commands of this connection were sent, by `ref`.
    private var unanswered: [Int64: Duration] = [:]

    package init(policy: ReconnectPolicy) {
        self.policy = policy
        backoff = FullJitterBackoff(policy)
    }

    /// The time of the next `tick`.
    package var deadline: Duration? {
        switch phase {
        case .stopped, .loggedOut: nil
        case .waiting(let until), .connecting(let until), .greeting(let until): until
        case .connected:
            [
                silenceDeadline, answerDeadline, byeAt.map { $0 + ReconnectPolicy.byeGrace },
            ].compactMap { $0 }.min()
        }
    }

    /// The time of the next ping, or the deadline of its answer.
    private var silenceDeadline: Duration { pingedAt.map { $0 + policy.pong } ?? lastHeard + pingInterval }

    /// The deadline of the oldest answer. Frames keep their order, so a frame that arrives earlier extends the
    /// deadline.
    private var answerDeadline: Duration? { unanswered.values.min().map { max($0, lastHeard) + policy.answer } }

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

    /// Handles a change of the network: makes a planned attempt immediately, or checks an open connection.
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

    /// Handles the end of the handshake. The timeout for hello equals that of the handshake.
    package mutating func opened(at now: Duration) {
        guard case .connecting(let until) = phase else { return }
        phase = .greeting(until: until)
        heard(at: now)
    }

    package mutating func greeted(ticket: String?, pingInterval: Duration, at now: Duration) {
        self.ticket = ticket.map { ($0, now + ReconnectPolicy.ticketLifetime) }
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

    /// Notes a command that requires an answer.
    package mutating func sent(_ ref: Int64, at now: Duration) { unanswered[ref] = now }

    /// Notes an answer, or the first of two.
    package mutating func answered(_ ref: Int64) { unanswered[ref] = nil }

    /// Handles `bye`: the node is draining.
    package mutating func bye(after delay: Duration, ticket: String?, at now: Duration) {
        byeAt = now + delay
        if let ticket { self.ticket = (ticket, now + ReconnectPolicy.ticketLifetime) }
    }

    /// Notes that the provider has no credentials.
    package mutating func hasNoCredentials() {
        phase = .loggedOut(.refused)
    }

    /// Handles a handshake that failed with a status, or because the server or the credentials were unavailable.
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

    /// Handles the end of a socket.
    package mutating func closed(code: Int?, at now: Duration, using random: inout some RandomNumberGenerator) -> [Step]
    {
        guard isOpen else { return [] }
        noteStability(at: now)
        let reaction = CloseReaction(code: code)
        switch reaction {
        case .signOut: return logOut(code == 4001 ? .revoked : .refused)
        case .stop: return logOut(.stopped(code: code ?? 0))
        case .renew: ticket = nil
        case .moment, .now, .later, .backOff: break
        }
        let hadFresh = needsFreshCredentials
        if reaction == .renew { needsFreshCredentials = true }
        if waitAfterBye(at: now) { return [] }
        switch reaction {
        case .renew where !hadFresh: return connect(at: now)
        case .now where backoff.failures == 0:
            _ = backoff.next(using: &random)
            return connect(at: now)
        case .moment:
            wait(atLeast: .random(in: .zero...ReconnectPolicy.spread, using: &random), at: now, using: &random)
        case .later: wait(atLeast: ReconnectPolicy.later, at: now, using: &random)
        case .signOut, .stop, .renew, .now, .backOff: wait(at: now, using: &random)
        }
        return []
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
            if let byeAt, now >= byeAt + ReconnectPolicy.byeGrace {
                noteStability(at: now)
                return [.disconnect] + connect(at: now)
            }
            let isUnanswered = answerDeadline.map { now >= $0 } ?? false
            if isUnanswered || (pingedAt != nil && now >= silenceDeadline) {
                noteStability(at: now)
                if !waitAfterBye(at: now) { wait(at: now, using: &random) }
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
        unanswered = [:]
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

    /// Handles the end of a connection. After a stable connection the delays start over.
    private mutating func noteStability(at now: Duration) {
        if phase == .connected, now - connectedAt >= ReconnectPolicy.stableAfter { backoff.reset() }
    }

    /// Waits for the delay of `bye`, however the connection ended, because the server spreads its clients.
    /// - Returns: Whether there was a `bye`.
    private mutating func waitAfterBye(at now: Duration) -> Bool {
        guard let byeAt else { return false }
        phase = .waiting(until: max(now, byeAt))
        return true
    }

    package mutating func logOut(_ reason: LogoutReason) -> [Step] {
        ticket = nil
        phase = .loggedOut(reason)
        return []
    }
}
