import ParleyAccounts
import Testing

@Suite("A secret")
struct SecretTests {
    @Test("is a text, or base64")
    func read() throws {
        #expect(try Secret(setting: "X", value: "abc").bytes == Array("abc".utf8))
        #expect(try Secret(setting: "X", value: "base64:AQID/w==").bytes == [1, 2, 3, 255])
    }

    @Test("is rejected with the name of its setting", arguments: ["", "base64:", "base64:%%%", "base64:AQI"])
    func refused(value: String) {
        let violation = #expect(throws: SettingError.self) { try Secret(setting: "PARLEY_X", value: value) }
        #expect(violation?.setting == "PARLEY_X")
    }

    @Test("is never printed")
    func hidden() {
        let secret = Secret(text: "xyzzy")
        var dumped = ""
        dump(secret, to: &dumped)
        let settings = AccountSettings(secret: secret)
        for text in ["\(secret)", String(reflecting: secret), dumped, "\(settings)", String(reflecting: settings)] {
            #expect(!text.contains("xyzzy"))
            #expect(!text.contains("120, 121"))
        }
    }
}
