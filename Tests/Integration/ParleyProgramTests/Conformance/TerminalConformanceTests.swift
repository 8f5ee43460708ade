import ParleyTestServers
import ParleyTestSupport
import Testing

extension ConformanceTests {
    /// `parley chat` with lines of JSON, as programs use it.
    @Suite("The terminal client against the conformance kit")
    struct TerminalConformanceTests {
        @Test("it breaks no rule that fits it", arguments: 0..<4)
        func kit(part: Int) async throws {
            // The token of the kit is that of a user without a name of its own, so the client logs in.
            let client = """
                exec env -u PARLEY_CHAT_TOKEN "$PARLEY_TEST_BINARY" chat "$PARLEY_CHAT_SERVER" --user "$PARLEY_CHAT_USER" \
                --room Conformance --json --follow --memory
                """
            try await ConformanceRecord.named("terminal").run(
                client, environment: ["PARLEY_TEST_BINARY": try ParleyBinary.path()], part: part, of: 4)
        }
    }
}
