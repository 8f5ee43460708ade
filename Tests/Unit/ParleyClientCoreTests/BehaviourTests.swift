import ParleyClientCore
import ParleyJSON
import ParleyTestSupport
import Testing

/// Delays, deadlines and reactions to close codes are those of Tests/Fixtures/client-behaviour.json, which the tests of
/// the web app read too (`Tests/WebClientTests/policy.test.js`), and the tables of docs/clients.md show it.
@Suite struct BehaviourTests {
    private let behaviour: JSONTree

    init() throws {
        behaviour = try JSONTree(parsing: try Repository.text("Tests/Fixtures/client-behaviour.json"))
    }

    private func duration(_ name: String) throws -> Duration {
        .milliseconds(try #require(behaviour["milliseconds"]?[name]?["value"]?.integer, "\(name)"))
    }

    private func closeCodes() throws -> [(codes: ClosedRange<Int>, reaction: CloseReaction)] {
        try (behaviour["closeCodes"]?.elements ?? []).map { row in
            let (from, to) = (try #require(row["from"]?.int), try #require(row["to"]?.int))
            return (from...to, try #require(row["reaction"]?.text.flatMap { CloseReaction(rawValue: $0) }))
        }
    }

    @Test("the policy's delays and deadlines are those of the file")
    func durations() throws {
        let policy = ReconnectPolicy()
        #expect(try policy.base == duration("backOffBase") && policy.cap == duration("backOffCap"))
        #expect(try policy.handshake == duration("handshake") && policy.pong == duration("pong"))
        #expect(try policy.answer == duration("answer"))
        #expect(try ReconnectPolicy.stableAfter == duration("stableAfter"))
        #expect(try ReconnectPolicy.ticketLifetime == duration("ticketLifetime"))
        #expect(try ReconnectPolicy.byeGrace == duration("byeGrace"))
        #expect(try ReconnectPolicy.later == duration("later") && ReconnectPolicy.spread == duration("spread"))
        #expect(try ReconnectPolicy.refusedPause == duration("refusedLeast")...duration("refusedMost"))
    }

    @Test("each close code has the reaction of the file, and a close without a code that of 1006")
    func reactions() throws {
        let rows = try closeCodes()
        for code in 0...4_999 {
            let reaction = rows.first { $0.codes.contains(code) }?.reaction ?? .backOff
            #expect(CloseReaction(code: code) == reaction, "\(code)")
        }
        #expect(CloseReaction(code: nil) == .backOff)
        let named = (behaviour["reactions"]?.pairs ?? []).map(\.key)
        #expect(Set(named) == Set(CloseReaction.allCases.map(\.rawValue)))
    }

    @Test("the machine does after each close code what the file says")
    func machine() throws {
        var random = SeededGenerator(5)
        let base = try duration("backOffBase")
        for (codes, reaction) in try closeCodes() {
            for code in Set([codes.lowerBound, codes.upperBound]) {
                var machine = ClientConnectionMachine(policy: ReconnectPolicy())
                _ = machine.start(at: .zero)
                machine.opened(at: .zero)
                machine.greeted(ticket: "t", pingInterval: .seconds(25), at: .zero)
                let steps = machine.closed(code: code, at: .seconds(9), using: &random)
                let bounds: ClosedRange<Duration>? =
                    switch reaction {
                    case .backOff: .zero...base
                    case .later: try duration("later")...(try duration("later") + base)
                    case .moment: .zero...(try duration("spread") + base)
                    case .signOut, .stop, .renew, .now: nil
                    }
                switch machine.phase {
                case .waiting(let until): #expect(bounds?.contains(until - .seconds(9)) == true, "\(code)")
                case .loggedOut: #expect(reaction == .signOut || reaction == .stop, "\(code)")
                default:
                    let renewed = steps == [.connect(ticket: nil, .expired)]
                    #expect(reaction == .renew && renewed || steps == [.connect(ticket: "t", .connection)], "\(code)")
                }
            }
        }
    }

    // MARK: The documents

    /// The rows of a table of docs/clients.md: those between a heading and the next one.
    private func rows(under heading: String) throws -> [String] {
        let chapter = try #require(try Repository.text("docs/clients.md").split(separator: heading).last)
        let section = chapter.split(separator: "\n#", maxSplits: 1)[0]
        return section.split(separator: "\n").filter { $0.hasPrefix("| ") }.map(String.init)
    }

    @Test("the tables of docs/clients.md show the file")
    func tables() throws {
        let milliseconds = (behaviour["milliseconds"]?.pairs ?? []).map { pair in
            "| `\(pair.key)` | \(pair.value["value"]?.integer ?? 0) | \(pair.value["is"]?.text ?? "") |"
        }
        #expect(Set(try rows(under: "\n### Delays and deadlines\n").dropFirst()) == Set(milliseconds))
        let codes = (behaviour["closeCodes"]?.elements ?? []).map { row in
            let (from, to) = (row["from"]?.int ?? 0, row["to"]?.int ?? 0)
            let reaction = row["reaction"]?.text ?? ""
            let range = from == to ? "\(from)" : "\(from)–\(to)"
            return "| \(range) | `\(reaction)` | \(behaviour["reactions"]?[reaction]?.text ?? "") |"
        }
        #expect(try rows(under: "\n### Close codes\n").dropFirst() == codes[...])
    }

    @Test("docs/PROTOCOL.md says of every close code what a client should do")
    func protocolTable() throws {
        let chapter = try #require(try Repository.text("docs/PROTOCOL.md").split(separator: "\n## Close codes\n").last)
        let rows = chapter.split(separator: "\n## ")[0].split(separator: "\n").filter { $0.hasPrefix("| ") }
        #expect(rows.count > 10)
        for row in rows { #expect(!row.hasSuffix("| |"), "\(row)") }
    }
}
