import NIOCore
import ParleyConformance
import ParleyJSON
import Testing

/// The rule checker and the scenarios, against clients without a socket.
@Suite struct ScenarioMachineTests {
    @Test("ParleyClient's core breaks no rule in any scenario", arguments: Scenario.all.map(\.name))
    func right(name: String) throws {
        let scenario = try #require(Scenario.all.first { $0.name == name })
        for seed in 1...20 {
            var simulation = ScenarioSimulation(scenario, seed: UInt64(seed))
            let end = simulation.run()
            let result = try #require(end)
            #expect(result.outcome == .ok, "seed \(seed)\n\(result.text)")
        }
    }

    @Test("nor does it with a ticket of REST for each handshake", arguments: Scenario.all.map(\.name))
    func ticketed(name: String) throws {
        let scenario = try #require(Scenario.all.first { $0.name == name })
        for seed in 1...5 {
            var simulation = ScenarioSimulation(scenario, seed: UInt64(seed), fetchesTickets: true)
            let end = simulation.run()
            let result = try #require(end)
            #expect(result.outcome == .ok, "seed \(seed)\n\(result.text)")
        }
    }

    @Test(
        "a ticket of before the refusal, or the end of the credentials, is not valid after it",
        arguments: [
            "ticket", "expired",
        ])
    func staleTicket(name: String) throws {
        let scenario = try #require(Scenario.all.first { $0.name == name })
        var machine = ScenarioMachine(scenario, tag: "t", milliseconds: 0)
        let call = RESTCall(method: "POST", path: "/v1/tickets", query: [:], body: [], isAuthorized: true)
        let ticket = try JSONTree(parsing: machine.respond(to: call, at: .zero).json)["ticket"]?.text
        func handshake(_ number: Int) -> ScenarioEvent {
            .attempted(number, Handshake(ticket: ticket, isAuthorized: false, isV1: true))
        }
        _ = machine.handle(handshake(1), at: .zero)
        // The scenario goes on after the first command, and ends this connection.
        _ = machine.handle(.received(1, ByteBuffer(string: #"{"resume":{"threads":{}},"ref":1}"#)), at: .seconds(1))
        for number in 2...3 where machine.result == nil {
            _ = machine.handle(handshake(number), at: .seconds(number))
        }
        guard case .wrong(let violation) = try #require(machine.result).outcome else {
            Issue.record("\(String(describing: machine.result))")
            return
        }
        #expect(violation.rule == .ticket)
    }

    @Test("a client that breaks a rule is told which", arguments: WrongClient.allCases)
    func wrong(client: WrongClient) throws {
        let (rule, name) = client.expected
        let scenario = try #require(Scenario.all.first { $0.name == name })
        var simulation = ScenarioSimulation(scenario, seed: 7, wrong: client)
        let end = simulation.run()
        let result = try #require(end)
        guard case .wrong(let violation) = result.outcome else {
            Issue.record("\(client): \(result.text)")
            return
        }
        #expect(violation.rule == rule, "\(result.text)")
        #expect(violation.frame > 0)
        #expect(!result.frames.isEmpty)
        #expect(result.json["rule"]?.text == rule.rawValue)
    }

    @Test("every rule has a client that breaks it")
    func complete() {
        #expect(Set(WrongClient.allCases.map(\.expected.rule)) == Set(Rule.allCases))
    }

    @Test("an allowed violation is not reported")
    func allowed() throws {
        let scenario = try #require(Scenario.all.first { $0.name == "plain" })
        var machine = ScenarioMachine(scenario, tag: "t", milliseconds: 0, allowed: [.resume])
        _ = machine.handle(.attempted(1, Handshake(ticket: nil, isAuthorized: true, isV1: true)), at: .zero)
        _ = machine.handle(.tick, at: .seconds(2))
        #expect(machine.result == nil)
    }

    @Test("a client that never comes is absent")
    func absent() throws {
        let scenario = try #require(Scenario.all.first)
        var machine = ScenarioMachine(scenario, tag: "t", milliseconds: 0)
        _ = machine.handle(.tick, at: .zero)
        _ = machine.handle(.tick, at: ScenarioMachine.connectTimeout)
        #expect(machine.result?.outcome == .absent)
        #expect(machine.result?.isFailure == true)
    }
}
