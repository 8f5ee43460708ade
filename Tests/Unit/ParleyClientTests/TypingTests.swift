import ParleyClient
import ParleyJSON
import ParleyTestSupport
import Testing

@Suite struct TypingTests {
    @Test("typing is sent as often, and shown as long, as Tests/Fixtures/client-behaviour.json says")
    func times() throws {
        let file = try JSONTree(parsing: try Repository.text("Tests/Fixtures/client-behaviour.json"))
        func duration(_ name: String) -> Duration? {
            file["milliseconds"]?[name]?["value"]?.integer.map { .milliseconds($0) }
        }
        #expect(Ephemeral.typingEvery == duration("typingEvery"))
        #expect(Ephemeral.typingLasts == duration("typingLasts"))
    }
}
