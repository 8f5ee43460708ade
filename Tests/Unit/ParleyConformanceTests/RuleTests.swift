import ParleyConformance
import ParleyTestSupport
import Testing

/// The rules and scenarios as documents name them.
@Suite struct RuleTests {
    @Test("docs/clients.md names every rule")
    func documented() throws {
        let page = try Repository.text("docs/clients.md")
        let missing = Rule.allCases.map(\.rawValue).filter { !page.contains("`\($0)`") }
        #expect(missing == [])
    }

    @Test("the names of scenarios are distinct")
    func names() {
        #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
    }

    @Test("what the fixture says of clients are rules and scenarios of the kit")
    func records() throws {
        let (rules, scenarios) = (Rule.allCases.map(\.rawValue), Scenario.all.map(\.name))
        for record in try ConformanceRecord.all() {
            #expect(Set(record.allowed + record.lacked.values.compactMap { $0 }).isSubset(of: rules), "\(record.name)")
            #expect(Set(record.lacked.keys).isSubset(of: scenarios), "\(record.name)")
        }
    }

    /// The table of rules by client, as it stands in the document.
    private func expectedTable() throws -> String {
        let records = try ConformanceRecord.all()
        func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
        let head = [line(["rule"] + records.map(\.name)), "|" + String(repeating: "---|", count: records.count + 1)]
        let rows = Rule.allCases.map { rule in
            line(["`\(rule.rawValue)`"] + records.map { $0.keeps(rule.rawValue) ? "yes" : "–" })
        }
        return (head + rows).joined(separator: "\n")
    }

    @Test("the table of rules by client in docs/clients.md is that of Tests/Fixtures/conformance.json")
    func table() throws {
        let (page, table) = (try Repository.text("docs/clients.md"), try expectedTable())
        #expect(page.contains(table), "expected:\n\(table)")
        for record in try ConformanceRecord.all() {
            #expect(page.contains("- **\(record.name)**: \(record.about)"), "\(record.name)")
            let skipped = record.lacked.keys.sorted().map { "`\($0)`" }.joined(separator: ", ")
            if !skipped.isEmpty { #expect(page.contains("\(record.about), without \(skipped)"), "\(record.name)") }
        }
    }
}
