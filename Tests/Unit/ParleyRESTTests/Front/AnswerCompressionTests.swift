import HTTPTypes
import ParleyModel
import ParleyTestSupport
import Testing

@Suite("Compression of JSON answers")
struct AnswerCompressionTests {
    private static let accept = ("Accept-Encoding", "br, gzip")

    private func withMessages(
        _ count: Int, _ body: @Sendable (RESTFixture, SessionUser, String) async throws -> Void
    ) async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let room = try await alice.join("Room")
            for index in 0..<count { try await fixture.say("message \(index)", by: alice.user, in: room) }
            try await fixture.persist()
            try await body(fixture, alice, "/v1/threads/\(room)/messages?limit=100")
        }
    }

    @Test("from 1 KiB on, for clients that accept gzip, with the bytes that others get")
    func compressed() async throws {
        try await withMessages(40) { fixture, alice, path in
            let plain = try await fixture.send(.get, path, headers: [alice.cookie])
            #expect(plain.header("Content-Encoding") == nil)
            #expect(plain.header("Vary")?.contains("Accept-Encoding") == true)
            let gzipped = try await fixture.send(.get, path, headers: [alice.cookie, Self.accept])
            #expect(gzipped.header("Content-Encoding") == "gzip")
            #expect(gzipped.header("Content-Length") == "\(gzipped.body.count)")
            #expect(gzipped.header("Vary")?.contains("Accept-Encoding") == true)
            #expect(gzipped.header("Content-Type") == plain.header("Content-Type"))
            #expect(try Gunzip.expand(gzipped.body) == plain.body)
            #expect(gzipped.body.count < plain.body.count / 3)
            let refused = try await fixture.send(
                .get, path, headers: [alice.cookie, ("Accept-Encoding", "gzip;q=0, br")])
            #expect(refused.body == plain.body)
        }
    }

    @Test("the length of an answer says little about its content")
    func padding() async throws {
        try await withMessages(20) { fixture, alice, path in
            var lengths: Set<Int> = []
            for _ in 0..<40 {
                let reply = try await fixture.send(.get, path, headers: [alice.cookie, Self.accept])
                lengths.insert(reply.body.count)
            }
            #expect(lengths.count > 10)
            #expect((lengths.max() ?? 0) - (lengths.min() ?? 0) < 100)
        }
    }

    @Test("small answers, answers to other methods and exports are sent as they are")
    func others() async throws {
        try await withMessages(1) { fixture, alice, path in
            for path in [path, "/v1/me", "/v1/me/export"] {
                let reply = try await fixture.send(.get, path, headers: [alice.cookie, Self.accept])
                #expect(reply.status == 200, "\(path)")
                #expect(reply.header("Content-Encoding") == nil, "\(path)")
            }
            let long = String(repeating: "long ", count: 300)
            let sent = try await fixture.post(
                path.replacing("?limit=100", with: ""), json: #"{"text":"\#(long)"}"#,
                headers: [alice.cookie, Self.accept])
            #expect(sent.status == 201)
            #expect(sent.header("Content-Encoding") == nil)
        }
    }
}
