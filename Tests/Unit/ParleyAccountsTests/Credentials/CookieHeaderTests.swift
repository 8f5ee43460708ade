import ParleyAccounts
import Testing

@Suite("The cookie header")
struct CookieHeaderTests {
    @Test("is read as Django Channels reads it", arguments: try Vectors.load().cookieHeader.vectors)
    func vectors(_ vector: Vectors.Cookie) {
        #expect(CookieHeader.value(of: "sessionid", in: [vector.header]) == vector.sessionid)
    }

    @Test("counts only in its first line")
    func firstLine() {
        #expect(CookieHeader.value(of: "sessionid", in: ["a=b", "sessionid=abc"]) == nil)
        #expect(CookieHeader.value(of: "sessionid", in: ["sessionid=one", "sessionid=two"]) == "one")
        #expect(CookieHeader.value(of: "sessionid", in: []) == nil)
    }

    @Test(
        "keeps special characters within quotes",
        arguments: [
            (#"s="""#, ""), (#"s=""#, #"""#), (#"s="a"#, #""a"#), (#"s="\""#, #"\"#), (#"s="\40""#, "40"),
            (#"s="\400""#, "400"), (#"s="\377""#, "\u{FF}"), (#"s="\\x""#, #"\x"#),
        ])
    func quotes(header: String, value: String) {
        #expect(CookieHeader.value(of: "s", in: [header]) == value)
    }
}
