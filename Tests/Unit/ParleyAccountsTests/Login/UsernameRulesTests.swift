import ParleyAccounts
import ParleyModel
import Testing

@Suite("User names")
struct UsernameRulesTests {
    @Test(
        "are letters, digits and @.+-_, normalised",
        arguments: [
            ("alice", "alice"), ("Alice.B+c-d_e@x", "Alice.B+c-d_e@x"), ("ﬁsh", "fish"), ("Ａlice", "Alice"),
            ("e\u{301}va", "\u{E9}va"), ("北京", "北京"), ("a²", "a2"), ("١٢٣", "١٢٣"), ("Ⅷ", "VIII"), ("½x", nil),
            ("", nil), ("a b", nil), (" alice", nil), ("alice\n", nil), ("a:b", nil), ("a/b", nil), ("a\u{0}b", nil),
            ("🦊", nil), ("a\u{200B}b", nil), ("x\u{302}\u{302}", nil), ("a'b", nil), ("a\u{202E}b", nil),
        ])
    func normalized(text: String, expected: String?) {
        // Compared as scalars: two spellings of é are one String.
        #expect(
            UsernameRules.normalized(text).map { Array($0.unicodeScalars) } == expected.map { Array($0.unicodeScalars) }
        )
    }

    @Test("have at most 150 characters", arguments: [(1, true), (149, true), (150, true), (151, false)])
    func length(count: Int, isAllowed: Bool) {
        #expect((UsernameRules.normalized(String(repeating: "ä", count: count)) != nil) == isAllowed)
    }

    @Test("are measured after normalisation")
    func lengthAfterwards() {
        #expect(UsernameRules.normalized(String(repeating: "ﬃ", count: 50))?.count == 150)
        #expect(UsernameRules.normalized(String(repeating: "ﬃ", count: 51)) == nil)
        #expect(UsernameRules.normalized(String(repeating: "a", count: 5000)) == nil)
    }
}

@Suite("New passwords")
struct PasswordRulesTests {
    @Test(
        "have 8 characters or more, and 4096 bytes or less",
        arguments: [
            ("", false), ("1234567", false), ("12345678", true), ("äöüäöüä", false), ("äöüäöüäö", true),
            (String(repeating: "x", count: 4096), true), (String(repeating: "x", count: 4097), false),
        ])
    func length(password: String, isAllowed: Bool) {
        #expect((PasswordRules.violation(in: password) == nil) == isAllowed)
    }

    @Test("an account created for a user follows the same rules, and has a generated or given id")
    func newAccount() throws {
        let clock = WallClock { 5 }
        let given = try NewAccount(name: "\u{FF21}lice", id: "7", clock: clock)
        #expect(given.user == User(id: UserID(trusted: "7"), name: "Alice"))
        for id in [nil, ""] {
            #expect(try NewAccount(name: "alice", id: id, clock: clock).user.id.text.count == 32)
        }
        for (name, id) in [("a b", nil), ("alice", "a b")] as [(String, String?)] {
            #expect(throws: AccountError.self) { try NewAccount(name: name, id: id, clock: clock) }
        }
    }
}
