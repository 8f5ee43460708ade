import Foundation
import ParleyClient
import Testing

/// Values that apps keep: credentials and IDs.
@Suite struct CredentialsTests {
    private static let all: [(ChatCredentials, String)] = [
        (.bearer("s3cret"), #"{"token":"s3cret","type":"bearer"}"#),
        (
            .basic(username: "ada", password: "s3cret"),
            #"{"password":"s3cret","type":"basic","username":"ada"}"#
        ), (.apiKey("s3cret", user: "ada"), #"{"key":"s3cret","type":"api_key","user":"ada"}"#),
    ]

    @Test("credentials are encoded in a form that does not change, and decoded again")
    func coding() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for (credentials, text) in Self.all {
            #expect(String(decoding: try encoder.encode(credentials), as: UTF8.self) == text)
            #expect(try JSONDecoder().decode(ChatCredentials.self, from: Data(text.utf8)) == credentials)
        }
    }

    @Test(
        "what has no type, or lacks a value, is refused", arguments: ["{}", #"{"type":"later"}"#, #"{"type":"basic"}"#])
    func refused(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ChatCredentials.self, from: Data(text.utf8)) }
    }

    @Test("descriptions of credentials, also within others, have no secrets")
    func descriptions() {
        struct Settings { let credentials: ChatCredentials }
        for (credentials, _) in Self.all {
            var dumped = ""
            dump(Settings(credentials: credentials), to: &dumped)
            for text in [
                "\(credentials)", String(reflecting: credentials), "\(Settings(credentials: credentials))", dumped,
            ] {
                #expect(!text.contains("s3cret"), "\(text)")
            }
        }
    }

    @Test("an ID is its text: in literals, descriptions, order and JSON")
    func identifiers() throws {
        let id: ChatThread.ID = "t1"
        #expect("\(id)" == "t1" && id == ChatThread.ID("t1") && id.rawValue == "t1" && id < "t2")
        let data = try JSONEncoder().encode([ChatMessage.ID("m1"), "m2"])
        #expect(String(decoding: data, as: UTF8.self) == #"["m1","m2"]"#)
        #expect(try JSONDecoder().decode([ChatMessage.ID].self, from: data) == ["m1", "m2"])
    }
}
