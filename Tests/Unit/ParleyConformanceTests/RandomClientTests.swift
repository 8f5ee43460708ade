import NIOCore
import ParleyConformance
import ParleyTestSupport
import Testing

/// Clients with arbitrary behavior: a scenario ends in time, and never traps.
@Suite struct RandomClientTests {
    private static let room = "conformance-t"
    private static let numbers = ["0", "1", "-1", "7", "9223372036854775807", "-9223372036854775808", "1e9", "null"]

    private func frame(_ random: inout SeededGenerator) -> String {
        let (one, two) = (number(&random), number(&random))
        let id = Bool.random(using: &random) ? Self.room : "elsewhere"
        return switch Int.random(in: 0..<12, using: &random) {
        case 0: #"{"message":{"id":"\#(id)","text":"x","client_id":"c-\#(one)","ack":"stored"},"ref":\#(two)}"#
        case 1: #"{"history":{"id":"\#(id)","before":\#(one),"after":\#(two),"limit":200},"ref":1}"#
        case 2, 3: #"{"resume":{"threads":{"\#(id)":{"epoch":"e1","seq":\#(one)}}},"ref":1}"#
        case 4: #"{"read":{"id":"\#(id)","seq":\#(one)},"ref":\#(two)}"#
        case 5: #"{"edit":{"id":"\#(id)","message_id":"m1","text":"y"},"ref":\#(two)}"#
        case 6: #"{"typing":{"id":"\#(id)","on":true}}"#
        case 7: #"{"ping":\#(one)}"#
        case 8: "{\"message\":"
        case 9: #"{"watch":{"users":[]},"join":{"title":"x"}}"#
        case 10: #"{"leave":{"id":"\#(id)"},"ref":\#(two)}"#
        default: #"{"auth":{"token":"x"},"ref":\#(one)}"#
        }
    }

    private func number(_ random: inout SeededGenerator) -> String {
        Self.numbers.randomElement(using: &random) ?? "0"
    }

    @Test("whatever a client sends, the scenario ends", arguments: 0..<UInt64(60))
    func anything(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let scenario = try #require(Scenario.all.randomElement(using: &random))
        // A rule that is not checked does not end the scenario, so that the test reaches more of it.
        var machine = ScenarioMachine(
            scenario, tag: "t", milliseconds: 1, allowed: seed % 2 == 0 ? Set(Rule.allCases) : [])
        var now = Duration.zero
        var connection = 0
        while machine.result == nil, now < .seconds(3_600) {
            now += .milliseconds(Int64.random(in: 1...400, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                connection += 1
                let ticket = Bool.random(using: &random) ? "t.st.1" : nil
                let handshake = Handshake(ticket: ticket, isAuthorized: Bool.random(using: &random), isV1: true)
                _ = machine.handle(.attempted(connection, handshake), at: now)
            case 1: _ = machine.handle(.ended(connection), at: now)
            case 2: _ = machine.handle(.pinged(connection), at: now)
            case 3:
                let query = ["after_seq": number(&random), "before_seq": number(&random), "limit": number(&random)]
                let call = RESTCall(
                    method: "GET", path: "/v1/threads/\(Self.room)/messages", query: query, body: [], isAuthorized: true
                )
                _ = machine.respond(to: call, at: now)
                _ = machine.handle(.tick, at: now)
            default: _ = machine.handle(.received(connection, ByteBuffer(string: frame(&random))), at: now)
            }
        }
        #expect(machine.result != nil, "\(scenario.name)")
    }
}
