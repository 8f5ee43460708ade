import ParleyClientCore
import ParleyTestSupport
import Testing

/// When a client connects, waits, pings and gives up.
@Suite struct ClientConnectionMachineTests {
    private var random = SeededGenerator(3)

    private func connected(ticket: String? = nil, at now: Duration = .zero) -> ClientConnectionMachine {
        var machine = ClientConnectionMachine(policy: ReconnectPolicy())
        _ = machine.start(at: now)
        machine.opened(at: now)
        machine.greeted(ticket: ticket, pingInterval: .seconds(25), at: now)
        return machine
    }

    private func waiting(_ machine: ClientConnectionMachine, from now: Duration) -> Duration? {
        if case .waiting(let until) = machine.phase { until - now } else { nil }
    }

    @Test("delays after failures are uniform below twice the last bound, and at most the cap")
    mutating func fullJitter() throws {
        var machine = ClientConnectionMachine(policy: ReconnectPolicy())
        var now = Duration.zero
        #expect(machine.start(at: now) == [.connect(ticket: nil, .connection)])
        for bound in [0.5, 1, 2, 4, 8, 16, 30, 30, 30] {
            #expect(machine.failed(status: nil, retryAfter: nil, at: now, using: &random) == [])
            let delay = try #require(waiting(machine, from: now))
            #expect(delay >= .zero && delay <= .seconds(bound))
            now += delay
            #expect(machine.tick(at: now, using: &random) == [.connect(ticket: nil, .connection)])
        }
    }

    @Test("Retry-After is a minimum", arguments: [429, 503])
    mutating func retryAfter(status: Int) throws {
        var machine = ClientConnectionMachine(policy: ReconnectPolicy())
        _ = machine.start(at: .zero)
        _ = machine.failed(status: status, retryAfter: .seconds(30), at: .zero, using: &random)
        let delay = try #require(waiting(machine, from: .zero))
        #expect(delay >= .seconds(30) && delay <= .milliseconds(30_500))
    }

    @Test("what 4001, 4002 and other codes of their range tell the user", arguments: [4000, 4001, 4002, 4050])
    mutating func reasons(code: Int) {
        let reasons: [Int: LogoutReason] = [4000: .refused, 4001: .revoked]
        var machine = connected(ticket: "t")
        #expect(machine.closed(code: code, at: .seconds(9), using: &random) == [])
        #expect(machine.phase == .loggedOut(reasons[code] ?? .stopped(code: code)) && machine.deadline == nil)
        // The user has signed in again; the old ticket is void.
        #expect(machine.start(at: .seconds(10)) == [.connect(ticket: nil, .connection)])
    }

    @Test(
        "a server that says at once, or expired, every time is not asked at once every time", arguments: [4100, 4300])
    mutating func again(code: Int) throws {
        var machine = connected(ticket: "t")
        #expect(machine.closed(code: code, at: .seconds(9), using: &random).count == 1)
        machine.opened(at: .seconds(9))
        if code == 4300 { machine.greeted(ticket: "t", pingInterval: .seconds(25), at: .seconds(9)) }
        #expect(machine.closed(code: code, at: .seconds(9), using: &random) == [])
        #expect(waiting(machine, from: .seconds(9)) != nil)
    }

    @Test("after bye the client reconnects when the delay is over, with the new ticket")
    mutating func bye() {
        var machine = connected(ticket: "old")
        machine.bye(after: .milliseconds(3_200), ticket: "new", at: .seconds(9))
        var closed = machine
        #expect(closed.closed(code: 4200, at: .seconds(10), using: &random) == [])
        #expect(waiting(closed, from: .zero) == .milliseconds(12_200))
        #expect(closed.tick(at: .milliseconds(12_200), using: &random) == [.connect(ticket: "new", .connection)])
        // The server has not closed: the client goes.
        #expect(machine.deadline == .milliseconds(13_200))
        let steps = machine.tick(at: .milliseconds(13_200), using: &random)
        #expect(steps == [.disconnect, .connect(ticket: "new", .connection)])
    }

    @Test("a refused ticket means the other credentials, refused credentials mean fresh ones, and those the end")
    mutating func refusals() {
        var machine = connected(ticket: "t")
        _ = machine.closed(code: nil, at: .seconds(9), using: &random)
        #expect(machine.start(at: .seconds(9)) == [.connect(ticket: "t", .connection)])
        let retry = machine.failed(status: 401, retryAfter: nil, at: .seconds(9), using: &random)
        #expect(retry == [.connect(ticket: nil, .connection)])
        let fresh = machine.failed(status: 401, retryAfter: nil, at: .seconds(9), using: &random)
        #expect(fresh == [.connect(ticket: nil, .expired)])
        #expect(machine.failed(status: 401, retryAfter: nil, at: .seconds(9), using: &random) == [])
        #expect(machine.phase == .loggedOut(.refused))
    }

    @Test("a client returns at the time of bye, however the connection ends before it", arguments: [nil, 1006, 4300])
    mutating func cutAfterBye(code: Int?) {
        var machine = connected()
        machine.bye(after: .seconds(7), ticket: nil, at: .seconds(9))
        #expect(machine.closed(code: code, at: .seconds(10), using: &random) == [])
        #expect(waiting(machine, from: .zero) == .seconds(16))
    }

    @Test("a connection on which nothing arrives while an answer is due is given up")
    mutating func unanswered() {
        var machine = connected()
        machine.sent(1, at: .seconds(3))
        machine.sent(2, at: .seconds(4))
        machine.answered(1)
        #expect(machine.deadline == .seconds(24))
        // Answers keep their place behind other frames.
        machine.heard(at: .seconds(10))
        #expect(machine.deadline == .seconds(30))
        var answered = machine
        answered.answered(2)
        #expect(answered.deadline == .seconds(35))
        #expect(machine.tick(at: .seconds(30), using: &random) == [.disconnect])
        #expect(waiting(machine, from: .seconds(30)) != nil)
        // The next connection begins without it.
        _ = machine.start(at: .seconds(31))
        machine.opened(at: .seconds(31))
        machine.greeted(ticket: nil, pingInterval: .seconds(25), at: .seconds(31))
        #expect(machine.deadline == .seconds(56))
    }

    @Test("silence is asked about, and a connection without an answer is given up")
    mutating func silence() {
        var machine = connected()
        #expect(machine.deadline == .seconds(25))
        #expect(machine.tick(at: .seconds(25), using: &random) == [.ping])
        var answered = machine
        answered.heard(at: .seconds(26))
        #expect(answered.deadline == .seconds(51))
        #expect(machine.deadline == .seconds(35))
        #expect(machine.tick(at: .seconds(35), using: &random) == [.disconnect])
        #expect(waiting(machine, from: .seconds(35)) != nil)
    }

    @Test("a silent connection ends like a closed one: delays start over if it has lasted, and the time of bye counts")
    mutating func silentEnd() throws {
        var machine = ClientConnectionMachine(policy: ReconnectPolicy())
        _ = machine.start(at: .zero)
        for _ in 0..<6 {
            _ = machine.failed(status: nil, retryAfter: nil, at: .zero, using: &random)
            _ = machine.start(at: .zero)
        }
        machine.opened(at: .zero)
        machine.greeted(ticket: nil, pingInterval: .seconds(25), at: .zero)
        #expect(machine.tick(at: .seconds(25), using: &random) == [.ping])
        var drained = machine
        #expect(machine.tick(at: .seconds(35), using: &random) == [.disconnect])
        let delay = try #require(waiting(machine, from: .seconds(35)))
        #expect(delay <= .milliseconds(500))

        drained.bye(after: .seconds(60), ticket: nil, at: .seconds(30))
        #expect(drained.tick(at: .seconds(35), using: &random) == [.disconnect])
        #expect(waiting(drained, from: .zero) == .seconds(90))
    }

    @Test("a handshake and the hello after it have a limited time")
    mutating func handshake() {
        var machine = ClientConnectionMachine(policy: ReconnectPolicy())
        _ = machine.start(at: .zero)
        machine.opened(at: .seconds(14))
        #expect(machine.tick(at: .milliseconds(14_999), using: &random) == [])
        #expect(machine.tick(at: .seconds(15), using: &random) == [.disconnect])
    }

    @Test("a change of the network makes the planned attempt now, and checks an open connection")
    mutating func network() {
        var machine = ClientConnectionMachine(policy: ReconnectPolicy())
        _ = machine.start(at: .zero)
        _ = machine.failed(status: nil, retryAfter: nil, at: .zero, using: &random)
        #expect(machine.networkChanged(at: .zero) == [.connect(ticket: nil, .connection)])
        machine.opened(at: .zero)
        machine.greeted(ticket: nil, pingInterval: .seconds(25), at: .zero)
        #expect(machine.networkChanged(at: .seconds(1)) == [.ping])
        #expect(machine.deadline == .seconds(11))
    }
}
