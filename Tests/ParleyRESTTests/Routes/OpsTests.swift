import HTTPTypes
import ParleyAccounts
import Testing

@Suite("Health, readiness and metrics")
struct OpsTests {
    @Test("healthz reports that the process is alive, and its version")
    func health() async throws {
        try await RESTFixture.run { fixture in
            let reply = try await fixture.send(.get, "/healthz")
            #expect(reply.status == 200)
            #expect(reply.text == #"{"status":"ok","version":"1.2.3"}"#)
        }
    }

    private static let key = "pk_0123456789abcdefghijklmnopqrstuvwxyz"

    @Test("readyz is 200 without reasons, otherwise 503; only operators get the reasons")
    func ready() async throws {
        try await RESTFixture.run { fixture in
            let reply = try await fixture.send(.get, "/readyz")
            #expect(reply.status == 200)
            #expect(reply.text == #"{"status":"ready"}"#)
        }
        try await RESTFixture.run({
            $0.notReady = ["draining", "the database is away"]
            $0.settings.apiKeys = try APIKeys(parsing: "ops:\(Self.key)")
        }) { fixture in
            let alice = try await fixture.sessionUser("alice")
            for headers in [[], [("Authorization", "Bearer pk_wrong")], [alice.cookie]] {
                let reply = try await fixture.send(.get, "/readyz", headers: headers)
                #expect(reply.status == 503)
                #expect(reply.code == "unavailable")
                #expect(reply.message == "not ready")
                #expect(reply.header("Retry-After") == "1")
            }
            let told = try await fixture.send(.get, "/readyz", headers: [("Authorization", "Bearer \(Self.key)")])
            #expect(told.status == 503)
            #expect(told.message == "draining; the database is away")
            #expect(try await fixture.send(.get, "/healthz").status == 200)
        }
    }

    @Test("a separate operators' listener gives reasons and metrics, and the other has no metrics")
    func ownListener() async throws {
        try await RESTFixture.run({ ($0.notReady, $0.hasOpsListener) = (["draining"], true) }) { fixture async throws in
            #expect(try await fixture.send(.get, "/metrics").status == 404)
            #expect(try await fixture.send(.post, "/metrics").status == 404)
            #expect(try await fixture.send(.get, "/readyz").message == "not ready")
            #expect(try await fixture.ask("/readyz").message == "draining")
            #expect(try await fixture.ask("/healthz").status == 200)
            #expect(try await fixture.ask("/metrics").text.hasPrefix("# HELP "))
            for path in ["/", "/v1/me", "/chat", "//metrics", "/metrics/"] {
                #expect(try await fixture.ask(path).status == 404, "\(path)")
            }
        }
    }

    @Test("metrics are in the text format")
    func metrics() async throws {
        try await RESTFixture.run { fixture in
            let reply = try await fixture.send(.get, "/metrics")
            #expect(reply.status == 200)
            #expect(reply.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
            #expect(reply.text.hasPrefix("# HELP "))
        }
    }

    @Test("the WebSocket paths require an upgrade", arguments: ["/chat", "/connect/", "/v1/socket"])
    func sockets(path: String) async throws {
        try await RESTFixture.run { fixture in
            let reply = try await fixture.send(.get, path)
            #expect(reply.status == 426)
            #expect(reply.code == "bad_request")
            #expect(reply.header("Upgrade") == "websocket")
        }
    }
}
