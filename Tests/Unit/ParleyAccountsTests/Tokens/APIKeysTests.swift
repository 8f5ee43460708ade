import ParleyAccounts
import ParleyModel
import Testing

@Suite("API keys")
struct APIKeysTests {
    @Test("are found by the whole key")
    func found() throws {
        let keys = try APIKeys(parsing: "django:pk_one, back.end-2:pk_two:with:colons ,")
        #expect(keys.key(APIKeys.hash(of: "pk_one"))?.name == "django")
        #expect(keys.key(APIKeys.hash(of: "pk_two:with:colons"))?.name == "back.end-2")
        for wrong in ["", "pk_", "pk_on", "pk_onee", "PK_one", "django:pk_one", "pk_one "] {
            #expect(keys.key(APIKeys.hash(of: wrong))?.name == nil)
        }
        #expect(throws: Never.self) { try APIKeys(parsing: "") }
    }

    @Test(
        "are rejected with the position of the error, never with the key",
        arguments: [
            ("a:pk_1,pk_topsecret", "entry 2"), ("a:topsecret", "entry 1 (a)"), ("a:pk_", "entry 1 (a)"),
            (":pk_topsecret", "entry 1"), ("a b:pk_topsecret", "entry 1"), ("a:pk_topsecret,a:pk_2", "entry 2 (a)"),
            ("a:pk_topsecret,b:pk_topsecret", "entry 2 (b)"), ("a:pk_topsecret\u{7}", "entry 1 (a)"),
            (String(repeating: "n", count: 65) + ":pk_topsecret", "entry 1"),
        ])
    func refused(list: String, place: String) {
        let violation = #expect(throws: SettingError.self) { try APIKeys(parsing: list) }
        #expect(violation?.setting == "PARLEY_API_KEYS")
        #expect(violation?.explanation.hasPrefix(place) == true, "\(violation?.explanation ?? "")")
        #expect(violation?.explanation.contains("topsecret") == false)
    }

    @Test("may have a name of 64 characters")
    func longestName() throws {
        let name = String(repeating: "n", count: 64)
        #expect(try APIKeys(parsing: "\(name):pk_1").key(APIKeys.hash(of: "pk_1"))?.name == name)
    }

    @Test("are random, and stored by their hash")
    func made() throws {
        let (one, other) = (APIKeys.make(), APIKeys.make())
        #expect(one.key.hasPrefix("pk_") && one.key.utf8.count == 46)
        #expect(one.key != other.key && one.hash != other.hash)
        #expect(one.hash == APIKeys.hash(of: one.key))
        // A generated key can also be configured.
        #expect(try APIKeys(parsing: "made:\(one.key)").key(one.hash)?.name == "made")
    }
}
