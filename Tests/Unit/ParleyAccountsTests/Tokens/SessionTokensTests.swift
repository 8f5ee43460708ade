import ParleyAccounts
import ParleyModel
import Testing

@Suite("Session tokens")
struct SessionTokensTests {
    @Test("are 256 random bits, and found by their SHA-256")
    func made() {
        let tokens = (0..<1000).map { _ in SessionTokens.make() }
        #expect(Set(tokens.map(\.token)).count == 1000)
        for (token, hash) in tokens {
            #expect(token.utf8.count == SessionTokens.length)
            #expect(SessionTokens.isToken(token))
            #expect(SessionTokens.hash(of: token) == hash)
        }
        // FIPS 180-2, B.1.
        #expect(
            SessionTokens.hash(of: "abc").text == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test(
        "have a form that other cookies do not have",
        arguments: ["", "vector01abcdefghijklmnopqrstuvwx", ".eJx:1r31fE:a-b"])
    func shape(text: String) {
        #expect(!SessionTokens.isToken(text))
    }
}
