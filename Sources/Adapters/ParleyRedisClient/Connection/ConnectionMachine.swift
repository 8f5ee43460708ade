package import ParleyConcurrency

/// The life of one connection to Redis as a value: events in, actions out.
///
///     idle → connecting → greeting → ready
///               ↑            ↓         ↓
///               └──────── waiting ←────┘        any → stopped
///
/// **Health**: `ticked` is called every third of `silence`. A ready peer that has sent nothing since the last tick gets
/// a PING; if it is still silent at the tick after the next, the connection is given up. A greeting has the same time limit.
package struct ConnectionMachine: Sendable {
    package enum Action: Hashable, Sendable {
        case connect
        /// Send these commands; their replies are reported to `answered`.
        case greet([RESPCommand])
        /// The owner may use the connection.
        case becomeReady
        case ping
        case close
        /// A ready connection was lost.
        case becomeLost(String)
        /// Call `waited` after this time.
        case wait(Duration)
    }

    private enum State {
        case idle
        case connecting
        case greeting(answered: Int, ticks: Int)
        case ready(isHeard: Bool, silentTicks: Int)
        /// Closed by this side; waits for the channel to close.
        case closing(wasReady: Bool)
        case waiting
        case stopped
    }

    private let greeting: [Greeting]
    private var backoff: Backoff
    private var state = State.idle
    /// The reason that there is no connection, as text for operators.
    private(set) package var reason = "not connected yet"
    /// The ID of the server process of the last connection, if it was requested and permitted.
    private(set) package var serverID = ""

    /// - Parameter greeting: One or more commands that make the connection usable.
    package init(greeting: [Greeting], backoff: Backoff = RedisLinkSettings().backoff) {
        self.greeting = greeting
        self.backoff = backoff
    }

    var isStopped: Bool { if case .stopped = state { true } else { false } }
    package var isReady: Bool {
        if case .ready = state { true } else { false }
    }

    /// Starts connecting.
    package mutating func started() -> [Action] {
        guard case .idle = state else { return [] }
        state = .connecting
        return [.connect]
    }

    /// Records that the channel is open, and sends the greeting.
    package mutating func connected() -> [Action] {
        switch state {
        case .connecting:
            state = .greeting(answered: 0, ticks: 0)
            return [.greet(greeting.map(\.command))]
        case .stopped: return [.close]
        default: return []
        }
    }

    /// Records a reply.
    /// - Returns: Whether the reply belongs to the greeting rather than to the owner.
    package mutating func answered(_ reply: RESPValue) -> (isGreeting: Bool, actions: [Action]) {
        guard case .greeting(let count, let ticks) = state else { return (false, []) }
        if let violation = violation(in: reply, to: greeting[count]) { return (true, giveUp(violation)) }
        guard count + 1 == greeting.count else {
            state = .greeting(answered: count + 1, ticks: ticks)
            return (true, [])
        }
        state = .ready(isHeard: true, silentTicks: 0)
        return (true, [.becomeReady])
    }

    /// Returns the reason that a reply is not the expected one; `nil` if it is.
    private mutating func violation(in reply: RESPValue, to greeting: Greeting) -> String? {
        switch (greeting.reply, reply) {
        case (.information, _):
            serverID = Greeting.serverID(reply) ?? ""
            return nil
        case (_, .error(let text)):
            return text
        case (.master, _):
            let role = reply.elements?.first?.text ?? "nothing"
            return role == "master" ? nil : "it is a \(role), and not the master"
        case (.success, _):
            return nil
        }
    }

    /// Records that bytes have arrived.
    package mutating func bytesReceived() {
        if case .ready = state { state = .ready(isHeard: true, silentTicks: 0) }
    }

    /// Records that a third of `silence` has passed, and checks that the peer is alive.
    package mutating func ticked() -> [Action] {
        switch state {
        case .greeting(let count, let ticks):
            guard ticks >= 2 else {
                state = .greeting(answered: count, ticks: ticks + 1)
                return []
            }
            return giveUp("no reply to the handshake")
        case .ready(let isHeard, let silentTicks):
            if isHeard {
                // The backoff is not reset earlier: a server that accepts the greeting and hangs up must not be retried
                // without delay.
                backoff.reset()
                state = .ready(isHeard: false, silentTicks: 0)
                return []
            }
            guard silentTicks >= 2 else {
                state = .ready(isHeard: false, silentTicks: silentTicks + 1)
                return silentTicks == 0 ? [.ping] : []
            }
            return giveUp("no reply to PING")
        default:
            return []
        }
    }

    /// Gives up the connection because the peer does not use the Redis protocol or is the wrong server.
    package mutating func giveUp(_ text: String) -> [Action] {
        switch state {
        case .greeting, .ready:
            reason = text
            state = .closing(wasReady: isReady)
            return [.close]
        case .idle, .connecting, .closing, .waiting, .stopped:
            return []
        }
    }

    /// Records that the connection was closed, or could not be opened.
    package mutating func ended(_ text: String, using generator: inout some RandomNumberGenerator) -> [Action] {
        switch state {
        case .connecting, .greeting:
            reason = text
            return retry(wasReady: false, &generator)
        case .ready:
            reason = text
            return retry(wasReady: true, &generator)
        case .closing(let wasReady):
            return retry(wasReady: wasReady, &generator)
        case .idle, .waiting, .stopped:
            return []
        }
    }

    private mutating func retry(wasReady: Bool, _ generator: inout some RandomNumberGenerator) -> [Action] {
        state = .waiting
        let wait = Action.wait(backoff.next(using: &generator))
        return wasReady ? [.becomeLost(reason), wait] : [wait]
    }

    /// Connects again after the delay of a `wait` action.
    package mutating func waited() -> [Action] {
        guard case .waiting = state else { return [] }
        state = .connecting
        return [.connect]
    }

    /// Stops permanently.
    package mutating func stopped() -> [Action] {
        let wasReady = isReady
        // The owner of a connection that is being closed has not been notified yet.
        let wasClosing = if case .closing(true) = state { true } else { false }
        if case .stopped = state { return [] }
        state = .stopped
        reason = "stopped"
        return wasReady || wasClosing ? [.becomeLost(reason), .close] : [.close]
    }
}
