/// The life of one connection to Redis as a value: what has happened in, what is to be done out.
///
///     idle → connecting → greeting → ready
///               ↑            ↓         ↓
///               └──────── waiting ←────┘        any → stopped
///
/// **Health**: `ticked` is called every third of `silence`. A ready peer that has said nothing since the last tick is
/// asked by a PING; if it is still silent at the tick after the next, it is given up. A greeting gets as long.
package struct ConnectionMachine: Sendable {
    package enum Action: Hashable, Sendable {
        case connect
        /// Send these; the answers come by `answered`.
        case greet([RESPCommand])
        /// The owner may use the connection.
        case becomeReady
        case ping
        case close
        /// A connection that was ready is no more.
        case becomeLost(String)
        /// Call `waited` after this time.
        case wait(Duration)
    }

    private enum State {
        case idle
        case connecting
        case greeting(missing: Int, ticks: Int)
        case ready(isHeard: Bool, silentTicks: Int)
        /// Closed by us; the end is awaited.
        case closing(wasReady: Bool)
        case waiting
        case stopped
    }

    private let greeting: [RESPCommand]
    private var backoff: Backoff
    private var state = State.idle
    /// Why there is no connection, for people.
    private(set) package var reason = "not connected yet"

    /// - Parameter greeting: what makes the connection usable; each must be answered without an error.
    package init(greeting: [RESPCommand], backoff: Backoff = Backoff()) {
        self.greeting = greeting
        self.backoff = backoff
    }

    package var isReady: Bool {
        if case .ready = state { true } else { false }
    }

    /// What a connection is greeted with: who we are, which database, what is to be known, and whether it answers.
    package static func greeting(of address: RedisAddress, scripts: [String] = []) -> [RESPCommand] {
        var commands: [RESPCommand] = []
        if let password = address.password {
            commands.append(address.user.map { RESPCommand("AUTH", $0, password) } ?? RESPCommand("AUTH", password))
        }
        if address.database != 0 { commands.append(RESPCommand("SELECT", String(address.database))) }
        commands += scripts.map { RESPCommand("SCRIPT", "LOAD", $0) }
        commands.append(RESPCommand("PING"))
        return commands
    }

    package mutating func started() -> [Action] {
        guard case .idle = state else { return [] }
        state = .connecting
        return [.connect]
    }

    package mutating func connected() -> [Action] {
        switch state {
        case .connecting:
            state = .greeting(missing: greeting.count, ticks: 0)
            return [.greet(greeting)]
        case .stopped: return [.close]
        default: return []
        }
    }

    /// An answer has come.
    /// - Returns: whether it answers the greeting, and is not the owner's.
    package mutating func answered(_ answer: RESPValue) -> (isGreeting: Bool, actions: [Action]) {
        guard case .greeting(let missing, let ticks) = state else { return (false, []) }
        if case .error(let text) = answer {
            reason = text
            state = .closing(wasReady: false)
            return (true, [.close])
        }
        guard missing == 1 else {
            state = .greeting(missing: missing - 1, ticks: ticks)
            return (true, [])
        }
        state = .ready(isHeard: true, silentTicks: 0)
        backoff.reset()
        return (true, [.becomeReady])
    }

    /// Bytes have come.
    package mutating func heard() {
        if case .ready = state { state = .ready(isHeard: true, silentTicks: 0) }
    }

    package mutating func ticked() -> [Action] {
        switch state {
        case .greeting(let missing, let ticks):
            guard ticks >= 2 else {
                state = .greeting(missing: missing, ticks: ticks + 1)
                return []
            }
            reason = "no answer to the greeting"
            state = .closing(wasReady: false)
            return [.close]
        case .ready(let isHeard, let silentTicks):
            if isHeard {
                state = .ready(isHeard: false, silentTicks: 0)
                return []
            }
            guard silentTicks >= 2 else {
                state = .ready(isHeard: false, silentTicks: silentTicks + 1)
                return silentTicks == 0 ? [.ping] : []
            }
            reason = "no answer to PING"
            state = .closing(wasReady: true)
            return [.close]
        default:
            return []
        }
    }

    /// What comes is no Redis protocol.
    package mutating func misunderstood(_ text: String) -> [Action] {
        reason = text
        let wasReady = isReady
        if case .stopped = state { return [] }
        state = .closing(wasReady: wasReady)
        return [.close]
    }

    /// The connection has ended, or could not be made.
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

    package mutating func waited() -> [Action] {
        guard case .waiting = state else { return [] }
        state = .connecting
        return [.connect]
    }

    /// For good.
    package mutating func stopped() -> [Action] {
        let wasReady = isReady
        if case .stopped = state { return [] }
        state = .stopped
        reason = "stopped"
        return wasReady ? [.becomeLost(reason), .close] : [.close]
    }
}
