import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@Suite("Request bodies")
struct BodyTests {
    private static let form = "application/x-www-form-urlencoded"
    private static let json = "application/json"

    @Test(
        "invalid forms and JSON are 400 with an explanation",
        arguments: [
            (form, "username=%", "two hex digits"), (form, "username=%4", "two hex digits"),
            (form, "username=%zz", "two hex digits"), (form, "username=%ff", "UTF-8"),
            (form, "username=%ed%a0%80", "UTF-8"), (form, "username=a&username=b", "more than once"),
            (form, "username=a%00b", "NUL"), (form, "", "username is missing"),
            (form, String(repeating: "a=1&", count: 257), "256"), (json, "", "JSON object"), (json, "{", "JSON object"),
            (json, "[]", "JSON object"), (json, "\"username\"", "JSON object"), (json, "null", "JSON object"),
            (json, "{\"username\":\"\\ud800\"}", "half of a surrogate pair"),
            (json, "{\"username\":\"a\u{0}\"}", "JSON object"),
            (json, #"{"username":["a"]}"#, "username must be a string"),
            (json, #"{"username":{}}"#, "username must be a string"),
            (json, #"{"username":true}"#, "username must be a string"),
            (json, #"{"username":"\u0000"}"#, "NUL"),
            (json, #"{"username":"a","user\u006eame":"a"}"#, "username is given more than once"),
            (json, #"{"username":"a"} {}"#, "more follows at byte 17"),
            (json, #"{"username":01}"#, "invalid JSON at byte 13"), (json, #"{"username":1.}"#, "JSON object"),
            (json, #"{"username":1e2}"#, "username must be a string"),
            (json, String(repeating: "[", count: 60_000), "JSON object"),
            (json, String(repeating: "{\"a\":", count: 10_000), "JSON object"),
            ("text/plain", "username=a", "application/json"), ("multipart/form-data; boundary=x", "", "urlencoded"),
            ("application/json; charset=utf-16", "{}", "charset"), ("", "username=a", "Content-Type"),
        ])
    func unreadable(type: String, body: String, message: String) async throws {
        try await RESTFixture.run { fixture in
            let reply = try await fixture.send(
                .post, "/auth/login", headers: [("Content-Type", type)], body: Array(body.utf8))
            #expect(reply.status == 400)
            #expect(reply.code == "bad_request")
            #expect(reply.message?.contains(message) == true, "\(reply.text)")
        }
    }

    @Test(
        "the error for a wrong type asks for a number, not a string",
        arguments: ["1.5", "true", "[]", "{}", "1e308", "-9007199254740994.0"])
    func noNumber(_ value: String) async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let room = try await alice.join("Room")
            let sent = try await alice.call(
                .post, "/v1/threads/\(room)/messages", "{\"text\":\"x\",\"reply_to\":\(value)}")
            let read = try await alice.call(.put, "/v1/threads/\(room)/read", "{\"seq\":\(value)}")
            for (reply, name) in [(sent, "reply_to"), (read, "seq")] {
                #expect(reply.status == 400)
                #expect(reply.message?.hasPrefix("\(name) must be a whole number") == true, "\(reply.text)")
            }
            let user = try await alice.call(.post, "/v1/threads/\(room)/members", "{\"user\":\(value)}")
            #expect(user.message == "user must be a string or a whole number", "\(user.text)")
        }
    }

    @Test("bytes that are not UTF-8 are 400, in forms and JSON; UTF-16 too")
    func rawBytes() async throws {
        try await RESTFixture.run { fixture in
            let bodies: [(String, [UInt8])] = [
                (Self.form, Array("username=".utf8) + [0xFF, 0xFE]),
                (Self.json, Array("{\"username\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)),
                (
                    Self.json,
                    Array("{\"username\":\"a\",\"password\":\"b\"}".utf16).flatMap {
                        [UInt8($0 >> 8), UInt8($0 & 0xFF)]
                    }
                ),
                (Self.json, [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00]),
            ]
            for (type, body) in bodies {
                let reply = try await fixture.send(.post, "/auth/login", headers: [("Content-Type", type)], body: body)
                #expect(reply.status == 400)
            }
            #expect(try await fixture.send(.post, "/auth/login", body: Array("a".utf8)).status == 400)
        }
    }

    @Test(
        "accepted variants: other case, a charset, plus for a space, an unknown field, an empty pair",
        arguments: [
            ("Application/X-WWW-Form-Urlencoded; Charset=\"UTF-8\"", "&&username=alice&x&password=correct+horse&=%41"),
            (
                "APPLICATION/JSON ; charset=utf-8",
                #" {"x":1e999999,"x":{"y":1,"y":"\u0000"},"username":"\u0061lice","password":"correct horse"} "#
            ),
            ("application/json", "\u{FEFF}{\"username\":\"alice\",\"password\":\"correct horse\"}"),
        ])
    func allowed(type: String, body: String) async throws {
        try await RESTFixture.run { fixture in
            _ = try await fixture.sessionUser("alice")
            let reply = try await fixture.send(
                .post, "/auth/login", headers: [("Content-Type", type)], body: Array(body.utf8))
            #expect(reply.status == 200, "\(reply.text)")
        }
    }

    @Test("64 KiB are read, one byte more is 413, whether announced or not", arguments: [true, false])
    func size(isChunked: Bool) async throws {
        try await RESTFixture.run { fixture in
            _ = try await fixture.sessionUser("alice")
            let start = "username=alice&password=correct+horse&x="
            for (length, status) in [(65_536, 200), (65_537, 413), (1_000_000, 413)] {
                let body = start + String(repeating: "a", count: length - start.utf8.count)
                let reply = try await fixture.send(
                    .post, "/auth/login", headers: [("Content-Type", Self.form)], body: Array(body.utf8),
                    isChunked: isChunked)
                #expect(reply.status == status)
                #expect(reply.code == (status == 413 ? "too_large" : nil))
            }
        }
    }

    @Test("a body announced as too large is not read")
    func announced() async throws {
        try await RESTFixture.run { fixture in
            let neverRead = RequestBody(
                asyncSequence: AsyncStream<ByteBuffer> {
                    Issue.record("read"); return nil
                })
            let reply = try await fixture.send(
                .post, "/auth/login", [.contentType: Self.form, .contentLength: "99999999999"], neverRead)
            #expect(reply.status == 413)
        }
    }

    @Test("a body that is cut off is left to the connection")
    func broken() async throws {
        struct Cut: Error {}
        try await RESTFixture.run { fixture in
            let body = RequestBody(asyncSequence: AsyncThrowingStream<ByteBuffer, any Error> { throw Cut() })
            await #expect(throws: Cut.self) {
                _ = try await fixture.send(.post, "/auth/login", [.contentType: Self.form], body)
            }
        }
    }
}
