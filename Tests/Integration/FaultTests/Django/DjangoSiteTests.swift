import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("A Django site beside Parley, as docs/django.md makes it", .timeLimit(.minutes(2)))
struct DjangoSiteTests {
    private static let apiKey = "pk_test_0123456789abcdefghijklmnopqrstuvwxyz"
    private static let tokenKey = "a key for the tokens of the tests, long enough"
    private static let thread = "chat_team"

    @Test("users and rooms are imported, tokens open sockets, and who is let in later is in at once")
    func site() async throws {
        let redis = try await RedisServer.start()
        let postgres = try await SharedPostgres.server()
        let database = postgres.url(database: try await postgres.makeDatabase())
        func start(_ role: String) async throws -> ParleyProcess {
            try await ParleyProcess.start(
                role, database: database, arguments: ["--redis", redis.url],
                environment: [
                    "PARLEY_SECRET": "a secret of the tests, long enough for them", "PARLEY_AUTH_SIGNUP": "false",
                    "PARLEY_API_KEYS": "django:\(Self.apiKey)", "PARLEY_JWT_HS256_KEY": Self.tokenKey,
                ])
        }
        let persister = try await start("persister")
        let gateway = try await start("gateway")
        let site = try await DjangoSite.make(environment: [
            "PARLEY_URL": persister.baseURL, "PARLEY_API_KEY": Self.apiKey, "PARLEY_JWT_HS256_KEY": Self.tokenKey,
        ])

        let tokens = try await site.tell()

        // Alice's client can send a header. Carol's is a page, which cannot.
        let alice = try await TestSocket.connect(port: gateway.port, headers: bearer("alice", tokens))
        let carol = try await TestSocket.connect(
            port: gateway.port, path: "/chat?ticket=\(HTTPClient.escape(try await ticket("carol", tokens, persister)))")
        try await alice.send(json: ["message": ["id": .string(Self.thread), "text": "before Carol"]])
        #expect(try await alice.nextJSON()["sender_name"] == "alice")
        try await carol.send(json: ["message": ["id": .string(Self.thread), "text": "from outside"]])

        try await site.add("carol")
        // Her socket gets the event by Redis, some milliseconds later; until then its sends are dropped.
        let isIn = try await eventually {
            try await carol.send(json: ["message": ["id": .string(Self.thread), "text": "from inside"]])
            return (try? await alice.nextJSON(within: .seconds(1)))?["text"] == "from inside"
        }
        #expect(isIn)
        try await alice.send(json: ["message": ["id": .string(Self.thread), "text": "welcome"]])
        let welcome = try await carol.nextJSON { $0["text"] == "welcome" }
        #expect(welcome["thread_id"]?.string == Self.thread)

        // Without a member: the API key acts for Bob, who has never opened a socket.
        let rest = HTTPClient(
            port: persister.port, headers: [("Authorization", "Bearer \(Self.apiKey)"), ("X-Parley-User", "bob")])
        let isStored = try await eventually {
            let page = try await rest.get("/v1/threads/\(Self.thread)/messages").json()
            let texts = page["messages"]?.array?.compactMap { $0["text"]?.string } ?? []
            return texts.first == "before Carol" && texts.last == "welcome" && !texts.contains("from outside")
        }
        #expect(isStored)
        for process in [gateway, persister] { try await process.kill() }
        try await redis.kill()
    }

    private func bearer(_ name: String, _ tokens: [String: String]) throws -> HTTPClient.Headers {
        [("Authorization", "Bearer \(try #require(tokens[name]))")]
    }

    private func ticket(_ name: String, _ tokens: [String: String], _ persister: ParleyProcess) async throws -> String {
        let reply = try await HTTPClient(port: persister.port, headers: bearer(name, tokens)).send(
            "POST", "/v1/tickets")
        return try #require(try reply.json()["ticket"]?.string)
    }
}
