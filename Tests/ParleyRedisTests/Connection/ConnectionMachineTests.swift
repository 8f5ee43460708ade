import ParleyRedis
import Testing

@Suite("The life of a connection")
struct ConnectionMachineTests {
    private var generator = SeededGenerator(seed: 7)

    private func greeted() -> ConnectionMachine {
        var machine = ConnectionMachine(greeting: [RESPCommand("PING")])
        _ = machine.started()
        _ = machine.connected()
        _ = machine.answered(.status("PONG"))
        return machine
    }

    @Test("it is ready once the whole greeting is answered")
    func greeting() {
        var address = RedisAddress(place: .tcp(host: "h", port: 1))
        address.user = "ann"
        address.password = "secret"
        address.database = 2
        let greeting = ConnectionMachine.greeting(of: address, scripts: ["return 1"])
        #expect(
            greeting == [
                RESPCommand("AUTH", "ann", "secret"), RESPCommand("SELECT", "2"),
                RESPCommand("SCRIPT", "LOAD", "return 1"), RESPCommand("PING"),
            ])
        var machine = ConnectionMachine(greeting: greeting)
        #expect(machine.started() == [.connect])
        #expect(machine.connected() == [.greet(greeting)])
        for _ in 0..<3 {
            let (isGreeting, actions) = machine.answered(.status("OK"))
            #expect(isGreeting)
            #expect(actions.isEmpty)
        }
        #expect(machine.answered(.status("PONG")).actions == [.becomeReady])
        #expect(machine.isReady)
        #expect(!machine.answered(.status("PONG")).isGreeting)
    }

    @Test("a refused greeting closes, and is tried again later")
    mutating func refusal() {
        var machine = ConnectionMachine(greeting: [RESPCommand("PING")])
        _ = machine.started()
        _ = machine.connected()
        #expect(machine.answered(.error("NOAUTH Authentication required.")).actions == [.close])
        let actions = machine.ended("closed", using: &generator)
        #expect(actions.count == 1)
        guard case .wait = actions[0] else { return #expect(Bool(false), "\(actions)") }
        #expect(machine.reason == "NOAUTH Authentication required.")
        #expect(machine.waited() == [.connect])
    }

    @Test("a silent peer is asked, and then given up")
    mutating func silence() {
        var machine = greeted()
        #expect(machine.ticked() == [])
        #expect(machine.ticked() == [.ping])
        #expect(machine.ticked() == [])
        #expect(machine.ticked() == [.close])
        #expect(machine.ended("closed", using: &generator).first == .becomeLost("no answer to PING"))
    }

    @Test("a peer that says anything stays")
    func life() {
        var machine = greeted()
        for _ in 0..<10 {
            #expect(machine.ticked() == [])
            #expect(machine.ticked() == [.ping])
            machine.heard()
        }
        #expect(machine.isReady)
    }

    @Test("a peer that does not greet is given up")
    func silentGreeting() {
        var machine = ConnectionMachine(greeting: [RESPCommand("PING")])
        _ = machine.started()
        _ = machine.connected()
        #expect([machine.ticked(), machine.ticked(), machine.ticked()] == [[], [], [.close]])
    }

    @Test("stopped is for good, whatever comes after")
    mutating func stopping() {
        var machine = greeted()
        #expect(machine.stopped() == [.becomeLost("stopped"), .close])
        #expect(machine.stopped() == [])
        #expect(machine.ended("closed", using: &generator) == [])
        #expect(machine.waited() == [])
        #expect(machine.ticked() == [])
        #expect(machine.connected() == [.close])
    }

    @Test("each wait is random below a limit that doubles up to a maximum")
    mutating func backoff() {
        var backoff = Backoff(base: .milliseconds(100), maximum: .milliseconds(450))
        let limits = [100, 200, 400, 450, 450].map { Duration.milliseconds($0) }
        var seen: Set<Duration> = []
        for limit in limits {
            let wait = backoff.next(using: &generator)
            #expect(wait >= .zero && wait <= limit)
            seen.insert(wait)
        }
        #expect(seen.count == 5)
        for _ in 0..<100 { #expect(backoff.next(using: &generator) <= .milliseconds(450)) }
        backoff.reset()
        #expect(backoff.next(using: &generator) <= .milliseconds(100))
    }
}

/// SplitMix64, so that a test's chance is the same each time.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
