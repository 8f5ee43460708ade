import Foundation
import HTTPTypes
import ParleyAccounts
import ParleyMemory
import ParleyModel
import Testing

@Suite("Message traces")
struct TraceTests {
    private static let key = "pk_0123456789abcdef0123456789abcdef"
    private static let service = [("Authorization", "Bearer \(key)")]
    private static let path = "/v1/admin/messages/m1/trace"

    private static func run(_ test: (RESTFixture) async throws -> Void) async throws {
        try await RESTFixture.run({ $0.settings.apiKeys = try APIKeys(parsing: "backend:\(key)") }, test)
    }

    @Test("are shown to an API key and nobody else")
    func response() async throws {
        try await Self.run { fixture in
            #expect(try await fixture.send(.get, Self.path, headers: Self.service).status == 404)
            await fixture.traces.add(
                [
                    TraceStamp(.sent, at: "g1", microseconds: 1_000_020),
                    TraceStamp(.read, at: "g1", microseconds: 1_000_000),
                    TraceStamp(.flushed, at: "g2", microseconds: 1_000_300, sockets: 4),
                ], of: MessageID(trusted: "m1"))
            let reply = try await fixture.send(.get, Self.path, headers: Self.service)
            #expect(reply.status == 200)
            #expect(
                reply.text == """
                    {"message_id":"m1","steps":[\
                    {"hop":"read","node":"g1","at_us":1000000,"since_first_us":0,"after":null,"took_us":null,\
                    "sockets":null},\
                    {"hop":"sent","node":"g1","at_us":1000020,"since_first_us":20,"after":"read","took_us":20,\
                    "sockets":null},\
                    {"hop":"flushed","node":"g2","at_us":1000300,"since_first_us":300,"after":null,"took_us":null,\
                    "sockets":4}]}
                    """)
            let alice = try await fixture.sessionUser("alice")
            let refused: [([(String, String)], Int)] = [
                ([], 401), ([alice.cookie], 403), (Self.service + [("X-Parley-User", alice.user.id.text)], 403),
            ]
            for (headers, status) in refused {
                #expect(try await fixture.send(.get, Self.path, headers: headers).status == status)
            }
        }
    }

    @Test("are kept if an API key requests them with the send, not if a user does")
    func asking() async throws {
        try await Self.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let room = try await alice.join("Room")
            func send(_ headers: [(String, String)]) async throws -> MessageID {
                let reply = try await fixture.post(
                    "/v1/threads/\(room)/messages", json: #"{"text":"hi"}"#, headers: headers)
                #expect(reply.status == 201)
                return try #require((reply.object["id"] as? String).flatMap { MessageID($0) })
            }
            let asUser = Self.service + [("X-Parley-User", alice.user.id.text)]
            let ask = [("X-Parley-Trace", "1")]
            #expect(try await send(asUser + ask).isTraced)
            #expect(try await !send(asUser).isTraced)
            #expect(try await !send(asUser + [("X-Parley-Trace", "0")]).isTraced)
            #expect(try await !send([alice.cookie] + ask).isTraced)
        }
    }
}
