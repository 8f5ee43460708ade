import HTTPTypes
import ParleyAccounts
import ParleyREST
import Testing

@Suite("Pages of other origins")
struct CrossOriginTests {
    private static let page = "https://shop.example"
    private static let preflight = [("Origin", page), ("Access-Control-Request-Method", "POST")]

    private func run(_ body: (RESTFixture) async throws -> Void) async throws {
        let policy = try OriginPolicy(parsing: Self.page)
        try await RESTFixture.run {
            $0.settings.origins = policy
        } _: {
            try await body($0)
        }
    }

    @Test("a preflight names the methods of the path and the fields of clients, without credentials of its own")
    func preflight() async throws {
        try await run { fixture in
            let reply = try await fixture.send(.options, "/v1/tickets", headers: Self.preflight)
            #expect(reply.status == 204)
            #expect(reply.header("Access-Control-Allow-Origin") == Self.page)
            #expect(reply.header("Access-Control-Allow-Credentials") == "true")
            #expect(reply.header("Access-Control-Allow-Methods") == "POST")
            for field in ["Authorization", "Upload-Offset", "Range", "If-Range", "If-None-Match"] {
                #expect(reply.header("Access-Control-Allow-Headers")?.contains("\(field),") == true, "\(field)")
            }
            #expect(reply.header("Access-Control-Allow-Headers")?.contains("X-Parley-User") == false)
            #expect(reply.header("Access-Control-Max-Age") == "600")
            #expect(reply.header("Vary") == "Origin")
        }
    }

    @Test(
        "a response, also an error, can be read by a permitted page only",
        arguments: [
            ("https://shop.example", true), ("https://SHOP.example:443", true), ("http://shop.example", false),
            ("https://shop.example.evil", false), ("null", false), ("*", false), ("", false),
        ])
    func responses(origin: String, isAllowed: Bool) async throws {
        try await run { fixture in
            for path in ["/v1/me", "/v1/nothing"] {
                let reply = try await fixture.send(.get, path, headers: [("Origin", origin)])
                #expect(reply.status == (path == "/v1/me" ? 401 : 404))
                #expect(reply.header("Access-Control-Allow-Origin") == (isAllowed ? origin : nil))
                #expect((reply.header("Access-Control-Expose-Headers")?.contains("Retry-After") ?? false) == isAllowed)
                #expect((reply.header("Access-Control-Allow-Credentials") == "true") == isAllowed)
                #expect(reply.header("Vary") == "Origin")
            }
            let preflight = try await fixture.send(
                .options, "/v1/tickets", headers: [("Origin", origin), ("Access-Control-Request-Method", "POST")])
            #expect(preflight.status == (isAllowed ? 204 : 405))
        }
    }

    @Test(
        "calls of operators, files, and unknown paths have no preflight",
        arguments: [
            "/v1/admin/overview", "/", "/healthz", "/v1/nothing",
        ])
    func notCovered(path: String) async throws {
        try await run { fixture in
            let reply = try await fixture.send(.options, path, headers: Self.preflight)
            #expect([404, 405].contains(reply.status))
            #expect(reply.header("Access-Control-Allow-Methods") == nil)
        }
    }

    @Test("without a list there are no such header fields")
    func off() async throws {
        try await RESTFixture.run { fixture in
            let reply = try await fixture.send(.get, "/v1/me", headers: [("Origin", Self.page)])
            #expect(reply.header("Access-Control-Allow-Origin") == nil && reply.header("Vary") == nil)
            #expect(try await fixture.send(.options, "/v1/tickets", headers: Self.preflight).status == 405)
        }
    }
}
