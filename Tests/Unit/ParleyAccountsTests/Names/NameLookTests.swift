import ParleyAccounts
import ParleyModel
import Testing

@Suite("Names that look like others")
struct NameLookTests {
    @Test(
        "names that people would take for one another",
        arguments: [
            ("alice", "Alice"), ("alice", "аlice"), ("alice", "alicе"), ("Alice", "ΑLICE"), ("alice", "ａｌｉｃｅ"),
            ("alice", "alice\u{3164}"), ("alice", "al\u{115F}ice"), ("ann", "ann\u{200B}"), ("bob", "Вob"),
            ("HELEN", "НЕLЕN"), ("Ian", "iаn"), ("scope", "ѕсоре"), ("straße", "STRASSE"), ("modem", "mоdern"),
            ("modern", "mоdem"), ("zoë", "ZOË"), ("paypal", "раураl"), ("é", "e\u{301}"), ("Сара", "сАРА"),
        ])
    func alike(first: String, second: String) {
        #expect(NameLook(of: first).isTaken(for: NameLook(of: second)))
        #expect(NameLook(of: second).isTaken(for: NameLook(of: first)))
    }

    @Test(
        "names that people tell apart",
        arguments: [
            ("modern", "modem"), ("alice", "alicia"), ("al1ce", "alice"), ("o0", "oo"), ("anna", "ann"),
            ("вова", "boba"), ("müller", "muller"), ("日本", "中国"), ("сара", "вера"),
        ])
    func different(first: String, second: String) {
        #expect(!NameLook(of: first).isTaken(for: NameLook(of: second)))
    }

    @Test("any text has a look, of one or two keys that fit an index")
    func bounds() {
        for name in [
            "", "\0", String(repeating: "ﷺ", count: 150), String(repeating: "m", count: 5000), "👩‍👩‍👧", "\u{3164}",
        ] {
            let look = NameLook(of: name)
            #expect((1...2).contains(look.keys.count))
            #expect(look.keys.allSatisfy { $0.utf8.count == 32 })
        }
    }

    @Test(
        "a guest's name is normalised, has something visible and hides nothing",
        arguments: [
            ("ann", "ann"), ("ａｎｎ", "ann"), ("ann ", "ann"), ("\u{3000}ann\u{A0}", "ann"), ("Ann Lee", "Ann Lee"),
            ("Zoë", "Zoë"), ("日本", "日本"), ("👍", "👍"), ("ann\u{200B}", nil), ("a\u{3164}", nil), ("ann\u{202E}", nil),
            ("❤\u{FE0F}", nil), ("", nil), (" ", nil), ("\u{2800}", nil), ("a:b", nil), ("a：b", nil), ("a\tb", nil),
            ("a\u{2028}b", nil), (String(repeating: "a", count: 30), String(repeating: "a", count: 30)),
            (String(repeating: "a", count: 31), nil), (String(repeating: "ﷺ", count: 3), nil),
        ] as [(String, String?)])
    func guests(text: String, name: String?) {
        #expect(GuestNameRules.normalized(text) == name)
    }

    @Test("a chosen name hides nothing; one that others bring may")
    func chosen() {
        for name in ["alice\u{3164}", "alice\u{115F}", "al\u{FFA0}ice"] {
            #expect(UsernameRules.chosen(name) == nil)
            #expect(UsernameRules.normalized(name) != nil)
        }
        #expect(UsernameRules.chosen("Ａlice") == "Alice")
    }
}
