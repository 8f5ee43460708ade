import ParleyAccounts
import Testing

@Suite("The Authorization header")
struct AuthorizationHeaderTests {
    @Test(
        "has a case-insensitive scheme and a credential",
        arguments: [
            ("Bearer abc", AuthorizationHeader.bearer("abc")), ("bEARER  abc ", .bearer("abc")),
            ("Bearer", .bearer("")),
            ("Basic abc=", .basic("abc=")), ("Digest a=b, c=d", .unknown(scheme: "Digest")), ("", nil), ("   ", nil),
        ])
    func parsed(value: String, expected: AuthorizationHeader?) {
        #expect(AuthorizationHeader(value) == expected)
    }
}
