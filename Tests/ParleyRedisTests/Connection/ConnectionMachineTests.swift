import ParleyRedis
import ParleyTestSupport
import Testing

@Suite("The life of a connection")
struct ConnectionMachineTests {
    private var generator = SeededGenerator(7)

    private func greeted() -> ConnectionMachine {
        var machine = ConnectionMachine(greeting: [Greeting(RESPCommand("PING"))])
        _ = machine.started()
        _ = machine.connected()
        _ = machine.answered(.status("PONG"))
        return machine
    }

    @Test("it is ready once the whole greeting is answered")
    func greeting() {
        var address = RedisAddress(.tcp(host: "h", port: 1))
        address.user = "ann"
        address.password = "secret"
        address.database = 2
        let greeting = Greeting.all(for: address, scripts: ["return 1"])
        let commands = [
            RESPCommand("AUTH", "ann", "secret"), RESPCommand("SELECT", "2"), RESPCommand("INFO", "server"),
            RESPCommand("SCRIPT", "LOAD", "return 1"), RESPCommand("PING"),
        ]
        #expect(greeting.map(\.command) == commands)
        var machine = ConnectionMachine(greeting: greeting)
        #expect(machine.started() == [.connect])
        #expect(machine.connected() == [.greet(commands)])
        let replies: [RESPValue] = [
            .status("OK"), .status("OK"), .bulk(Array("# Server\r\nrun_id:abc123\r\n".utf8)), .bulk([]),
        ]
        for reply in replies {
            let (isGreeting, actions) = machine.answered(reply)
            #expect(isGreeting)
            #expect(actions.isEmpty)
        }
        #expect(machine.serverID == "abc123")
        #expect(machine.answered(.status("PONG")).actions == [.becomeReady])
        #expect(machine.isReady)
        #expect(!machine.answered(.status("PONG")).isGreeting)
    }

    @Test("a refused greeting closes, and is tried again later")
    mutating func rejection() {
        var machine = ConnectionMachine(greeting: [Greeting(RESPCommand("PING"))])
        _ = machine.started()
        _ = machine.connected()
        #expect(machine.answered(.error("NOAUTH Authentication required.")).actions == [.close])
        let actions = machine.ended("closed", using: &generator)
        #expect(actions.count == 1)
        guard case .wait = actions[0] else { return #expect(Bool(false), "\(actions)") }
        #expect(machine.reason == "NOAUTH Authentication required.")
        #expect(machine.waited() == [.connect])
    }

    @Test("who may not know the server's id does without")
    func unknownServer() {
        var machine = ConnectionMachine(
            greeting: Greeting.all(for: RedisAddress(.unix(path: "/s")), scripts: ["return 1"]))
        _ = machine.started()
        _ = machine.connected()
        #expect(machine.answered(.error("NOPERM this user has no permissions")).actions == [])
        #expect(machine.answered(.bulk([])).actions == [])
        #expect(machine.answered(.status("PONG")).actions == [.becomeReady])
        #expect(machine.serverID.isEmpty)
    }

    @Test("sentinels' master must be one", arguments: [("master", true), ("slave", false)])
    func role(_ role: String, _ isGood: Bool) throws {
        var machine = ConnectionMachine(
            greeting: Greeting.all(for: try RedisAddress("redis+sentinel://:pw@h/m")))
        _ = machine.started()
        #expect(
            machine.connected() == [.greet([RESPCommand("AUTH", "pw"), RESPCommand("ROLE"), RESPCommand("PING")])])
        _ = machine.answered(.status("OK"))
        let reply = RESPValue.array([.bulk(Array(role.utf8)), .integer(0), .array([])])
        #expect(machine.answered(reply).actions == (isGood ? [] : [.close]))
    }

    @Test("what is of no use is closed, and its owner told")
    mutating func givingUp() {
        var machine = greeted()
        #expect(machine.giveUp("READONLY") == [.close])
        #expect(!machine.isReady)
        #expect(machine.giveUp("again") == [])
        #expect(machine.ended("closed", using: &generator).first == .becomeLost("READONLY"))
        #expect(machine.giveUp("waiting") == [])
        _ = machine.waited()
        // There is nothing yet that could be closed.
        #expect(machine.giveUp("connecting") == [])
        #expect(machine.connected() != [])
    }

    @Test("an owner is told of the end, even if it stops while the end is awaited")
    func stoppingWhileClosing() {
        var machine = greeted()
        _ = machine.giveUp("READONLY")
        #expect(machine.stopped().first == .becomeLost("stopped"))
    }

    @Test("a half-open peer is noticed within 10 seconds")
    func detection() {
        // The first tick may come right after the last sign of life.
        var machine = greeted()
        var ticks = 0
        while machine.isReady {
            _ = machine.ticked()
            ticks += 1
        }
        #expect(RedisLinkSettings().silence / 3 * ticks <= .seconds(10))
    }

    @Test("a server that greets and hangs up is asked less and less often")
    mutating func hangUps() {
        var machine = ConnectionMachine(
            greeting: [Greeting(RESPCommand("PING"))], backoff: Backoff(base: .seconds(1), maximum: .seconds(1 << 20)))
        _ = machine.started()
        var waits: [Duration] = []
        for _ in 0..<20 {
            _ = machine.connected()
            _ = machine.answered(.status("PONG"))
            for case .wait(let duration) in machine.ended("closed", using: &generator) { waits.append(duration) }
            _ = machine.waited()
        }
        #expect(waits.suffix(5).max() ?? .zero > .seconds(100))
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
        var machine = ConnectionMachine(greeting: [Greeting(RESPCommand("PING"))])
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
