import ParleyAccounts
import Testing

@Suite("The origin of a page")
struct OriginPolicyTests {
    @Test(
        "is allowed if host and port equal the Host header",
        arguments: [
            ("http://chat.example.org", "chat.example.org", true),
            ("http://chat.example.org", "CHAT.example.ORG", true),
            ("HTTP://Chat.Example.org", "chat.example.org", true),
            ("http://chat.example.org", "chat.example.org:80", true),
            ("http://chat.example.org:80", "chat.example.org", true),
            ("https://chat.example.org", "chat.example.org", true),
            ("https://chat.example.org", "chat.example.org:443", true),
            ("https://chat.example.org", "chat.example.org:80", false),
            ("http://chat.example.org", "chat.example.org:443", false),
            ("http://chat.example.org:8080", "chat.example.org:8080", true),
            ("http://chat.example.org:8080", "chat.example.org", false),
            ("http://chat.example.org", "chat.example.org:8080", false),
            ("http://127.0.0.1:8080", "127.0.0.1:8080", true), ("http://localhost:8080", "127.0.0.1:8080", false),
            ("http://[::1]:8080", "[::1]:8080", true), ("http://[::1]", "[::1]", true),
            ("http://evil.example", "chat.example.org", false),
            ("http://chat.example.org.evil.example", "chat.example.org", false),
            ("http://evilchat.example.org", "chat.example.org", false),
            ("http://chat.example.org@evil.example", "chat.example.org", false),
            ("http://chat.example.org/", "chat.example.org", false),
            ("http://chat.example.org, http://evil.example", "chat.example.org", false),
            ("null", "chat.example.org", false), ("", "chat.example.org", false), ("null", "null", false),
            ("chat.example.org", "chat.example.org", false), ("http://", "", false), ("http://:80", ":80", false),
            ("http://chat.example.org:", "chat.example.org", false),
            ("http://chat.example.org:65536", "chat.example.org:65536", false),
            ("http://chat.example.org:+80", "chat.example.org", false), ("app://chat", "chat", false),
        ])
    func sameHost(origin: String, host: String, isAllowed: Bool) {
        #expect(OriginPolicy().allows(origin: origin, host: host) == isAllowed)
    }

    @Test("does not matter where there is none, and counts as foreign without a Host")
    func absent() {
        #expect(OriginPolicy().allows(origin: nil, host: nil))
        #expect(!OriginPolicy().allows(origin: "http://chat.example.org", host: nil))
    }

    @Test(
        "is allowed if it is on the list",
        arguments: [
            ("https://app.example.org", true), ("https://APP.example.org:443", true), ("http://app.example.org", false),
            ("https://app.example.org:8443", false), ("http://localhost:3000", true), ("capacitor://localhost", true),
            ("https://other.example.org", false),
        ])
    func listed(origin: String, isAllowed: Bool) throws {
        let policy = try OriginPolicy(
            parsing: "https://app.example.org, HTTP://localhost:3000 ,,capacitor://localhost")
        #expect(policy.allows(origin: origin, host: "chat.example.org") == isAllowed)
    }

    @Test(
        "is rejected on the list if invalid", arguments: ["*", "app.example.org", "https://app.example.org/", "null"])
    func badList(entry: String) {
        let violation = #expect(throws: SettingError.self) { try OriginPolicy(parsing: "https://a.example,\(entry)") }
        #expect(violation?.setting == "PARLEY_ALLOWED_ORIGINS")
        #expect(violation?.explanation.contains("\"\(entry)\"") == true)
    }
}
