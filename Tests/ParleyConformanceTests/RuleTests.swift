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
}
