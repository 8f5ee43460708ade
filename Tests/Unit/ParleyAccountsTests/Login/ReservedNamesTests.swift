import ParleyAccounts
import ParleyModel
import Testing

@Suite("Reserved names")
struct ReservedNamesTests {
    @Test(
        "are reserved in every width and case",
        arguments: ["root", "ROOT", "Root", "ｒｏｏｔ", "ＲＯＯＴ", "ſtraße", "STRASSE", "Straße"])
    func spellings(name: String) {
        #expect(ReservedNames(["root", "Strasse"]).contains(name))
    }

    @Test("do not affect other names")
    func others() {
        for name in ["roo", "root2", "r00t", ""] { #expect(!ReservedNames(["root"]).contains(name)) }
        #expect(!ReservedNames().contains("root"))
    }

    @Test("cannot be taken by signing up", arguments: ["root", "Root", "ｒＯＯｔ"])
    func signUp(name: String) async throws {
        let fixture = try await AccountsFixture { $0.admins = ["root"] }
        await #expect(throws: AccountError.nameTaken) {
            _ = try await fixture.services.login.signUp(username: name, password: "correct horse", address: "a")
        }
    }
}
