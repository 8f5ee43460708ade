import ParleyBots
import ParleyClientCore
import ParleyJSON
import ParleyTestSupport
import Testing

@Suite struct BotPolicyTests {
    @Test("bots reconnect like all clients, but sooner, as Tests/Fixtures/client-behaviour.json says")
    func policy() throws {
        let file = try JSONTree(parsing: try Repository.text("Tests/Fixtures/client-behaviour.json"))
        var expected = ReconnectPolicy()
        expected.cap = .milliseconds(try #require(file["milliseconds"]?["backOffCapOfBots"]?["value"]?.integer))
        #expect(ReconnectPolicy.loadGenerator == expected)
    }
}
