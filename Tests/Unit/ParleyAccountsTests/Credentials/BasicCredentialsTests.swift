import Foundation
import ParleyAccounts
import Testing

@Suite("Basic credentials")
struct BasicCredentialsTests {
    @Test(
        "are split at the first colon",
        arguments: [
            ("alice:secret", "alice", "secret"), ("alice:a:b:", "alice", "a:b:"), (":", "", ""),
            ("älice:pä🔑", "älice", "pä🔑"), ("alice:\u{301}x", "alice", "\u{301}x"),
        ])
    func cut(text: String, username: String, password: String) throws {
        let basic = try #require(BasicCredentials(encoded: Data(text.utf8).base64EncodedString()))
        #expect(Array(basic.username.utf8) == Array(username.utf8))
        #expect(Array(basic.password.utf8) == Array(password.utf8))
    }

    @Test("are rejected when malformed", arguments: ["", "!", "YWxpY2U=", "YWxpY2U6eA", "/zp4", "YTpi YTpi"])
    func malformed(encoded: String) {
        // In order: empty, not base64, no colon, no padding, not UTF-8, a space.
        #expect(BasicCredentials(encoded: encoded) == nil)
    }

    @Test("are bounded in length", arguments: [(6141, true), (6144, true), (6145, false)])
    func bound(bytes: Int, isRead: Bool) {
        let text = "a:" + String(repeating: "x", count: bytes - 2)
        #expect((BasicCredentials(encoded: Data(text.utf8).base64EncodedString()) != nil) == isRead)
    }
}
