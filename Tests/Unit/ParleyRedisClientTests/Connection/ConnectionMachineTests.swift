import ParleyConcurrency
import ParleyRedisClient
import ParleyTestSupport
import Testing

@Suite("The life cycle of a connection")
struct ConnectionMachineTests {
    private var generator = SeededGenerator(7)

    private func greeted() -> ConnectionMachine {
        var machine = ConnectionMachine(greeting: [Greeting(RESPCommand("PING"))])
        _ = machine.started()
        _ = machine.connected()
        _ = machine.answered(.status("PONG"))
        return machine
    }

    @Test("a connection is ready once the whole greeting is answered")
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

    @Test("a refused greeting closes the connection, and is retried later")
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

    @Test("a user without access to INFO connects without the server's id")
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

    @Test("the server reported by sentinels must be a master", arguments: [("master", true), ("slave", false)])
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

    @Test("a connection that is given up is closed, and its owner notified")
    mutating func givingUp() {
        var machine = greeted()
        #expect(machine.giveUp("READONLY") == [.close])
        #expect(!machine.isReady)
        #expect(machine.giveUp("again") == [])
        #expect(machine.ended("closed", using: &generator).first == .becomeLost("READONLY"))
        #expect(machine.giveUp("waiting") == [])
        _ = machine.waited()
        // There is no channel to close yet.
        #expect(machine.giveUp("connecting") == [])
        #expect(machine.connected() != [])
    }

    @Test("the owner is notified of the end, even if it stops while closing")
    func stoppingWhileClosing() {
        var machine = greeted()
        _ = machine.giveUp("READONLY")
        #expect(machine.stopped().first == .becomeLost("stopped"))
    }

    @Test("a half-open connection is detected within 10 seconds")
    func detection() {
        // The first tick may come right after the last received bytes.
        var machine = greeted()
        var ticks = 0
        while machine.isReady {
            _ = machine.ticked()
            ticks += 1
        }
        #expect(RedisLinkSettings().silence / 3 * ticks <= .seconds(10))
    }

    @Test("a server that greets and hangs up is retried less and less often")
    mutating func hangUps() {
        var machine = ConnectionMachine(
            greeting: [Greeting(RESPCommand("PING"))], backoff: Backoff(base: .seconds(1), cap: .seconds(1 << 20)))
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

    @Test("a silent peer gets a PING, and is then given up")
    mutating func silence() {
        var machine = greeted()
        #expect(machine.ticked() == [])
        #expect(machine.ticked() == [.ping])
        #expect(machine.ticked() == [])
        #expect(machine.ticked() == [.close])
        #expect(machine.ended("closed", using: &generator).first == .becomeLost("no reply to PING"))
    }

    @Test("a peer that sends anything is kept")
    func life() {
        var machine = greeted()
        for _ in 0..<10 {
            #expect(machine.ticked() == [])
            #expect(machine.ticked() == [.ping])
            machine.bytesReceived()
        }
        #expect(machine.isReady)
    }

    @Test("a peer that does not answer the greeting is given up")
    func silentGreeting() {
        var machine = ConnectionMachine(greeting: [Greeting(RESPCommand("PING"))])
        _ = machine.started()
        _ = machine.connected()
        #expect([machine.ticked(), machine.ticked(), machine.ticked()] == [[], [], [.close]])
    }

    @Test("a stopped connection ignores all later events")
    mutating func stopping() {
        var machine = greeted()
        #expect(machine.stopped() == [.becomeLost("stopped"), .close])
        #expect(machine.stopped() == [])
        #expect(machine.ended("closed", using: &generator) == [])
        #expect(machine.waited() == [])
        #expect(machine.ticked() == [])
        #expect(machine.connected() == [.close])
    }

    @Test("each delay is random below a limit that doubles up to a maximum")
    mutating func backoff() {
        var backoff = Backoff(base: .milliseconds(100), cap: .milliseconds(450))
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
