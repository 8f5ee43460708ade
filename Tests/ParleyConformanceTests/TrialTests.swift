import NIOCore
import ParleyConformance
import ParleyJSON
import Testing

/// The judge and the scenarios, against clients without a socket.
@Suite struct TrialTests {
    @Test("ParleyClient's core breaks no rule in any scenario", arguments: Scenario.all.map(\.name))
    func right(name: String) throws {
        let scenario = try #require(Scenario.all.first { $0.name == name })
        for seed in 1...20 {
            var rehearsal = Rehearsal(scenario, seed: UInt64(seed))
            let end = rehearsal.run()
            let result = try #require(end)
            #expect(result.outcome == .ok, "seed \(seed)\n\(result.text)")
        }
    }

    @Test("nor does it with a ticket of REST for each handshake", arguments: Scenario.all.map(\.name))
    func ticketed(name: String) throws {
        let scenario = try #require(Scenario.all.first { $0.name == name })
        for seed in 1...5 {
            var rehearsal = Rehearsal(scenario, seed: UInt64(seed), fetchesTickets: true)
            let end = rehearsal.run()
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
        var trial = Trial(scenario, tag: "t", milliseconds: 0)
        let call = RESTCall(method: "POST", path: "/v1/tickets", query: [:], body: [], isAuthorized: true)
        let ticket = try JSONTree(parsing: trial.respond(to: call, at: .zero).json)["ticket"]?.text
        func handshake(_ number: Int) -> TrialEvent {
            .attempted(number, Handshake(ticket: ticket, isAuthorized: false, isV1: true))
        }
        _ = trial.handle(handshake(1), at: .zero)
        // The scenario goes on after the first command, and ends this connection.
        _ = trial.handle(.received(1, ByteBuffer(string: #"{"resume":{"threads":{}},"ref":1}"#)), at: .seconds(1))
        for number in 2...3 where trial.result == nil {
            _ = trial.handle(handshake(number), at: .seconds(number))
        }
        guard case .wrong(let violation) = try #require(trial.result).outcome else {
            Issue.record("\(String(describing: trial.result))")
            return
        }
        #expect(violation.rule == .ticket)
    }

    @Test("a client that breaks a rule is told which", arguments: WrongClient.allCases)
    func wrong(client: WrongClient) throws {
        let (rule, name) = client.expected
        let scenario = try #require(Scenario.all.first { $0.name == name })
        var rehearsal = Rehearsal(scenario, seed: 7, wrong: client)
        let end = rehearsal.run()
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

    @Test("a rule that is allowed is not judged")
    func allowed() throws {
        let scenario = try #require(Scenario.all.first { $0.name == "plain" })
        var trial = Trial(scenario, tag: "t", milliseconds: 0, allowed: [.resume])
        _ = trial.handle(.attempted(1, Handshake(ticket: nil, isAuthorized: true, isV1: true)), at: .zero)
        _ = trial.handle(.tick, at: .seconds(2))
        #expect(trial.result == nil)
    }

    @Test("a client that never comes is absent")
    func absent() throws {
        let scenario = try #require(Scenario.all.first)
        var trial = Trial(scenario, tag: "t", milliseconds: 0)
        _ = trial.handle(.tick, at: .zero)
        _ = trial.handle(.tick, at: Trial.patience)
        #expect(trial.result?.outcome == .absent)
        #expect(trial.result?.isFailure == true)
    }
}
