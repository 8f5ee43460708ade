import HTTPTypes
import ParleyAccounts
import Testing

@Suite("Health, readiness and metrics")
struct OpsTests {
    @Test("healthz reports that the process is alive, and its version")
    func health() async throws {
        try await World.run { world in
            let reply = try await world.send(.get, "/healthz")
            #expect(reply.status == 200)
            #expect(reply.text == #"{"status":"ok","version":"1.2.3"}"#)
        }
    }

    private static let key = "pk_0123456789abcdefghijklmnopqrstuvwxyz"

    @Test("readyz is 200 without reasons, otherwise 503; only operators get the reasons")
    func ready() async throws {
        try await World.run { world in
            let reply = try await world.send(.get, "/readyz")
            #expect(reply.status == 200)
            #expect(reply.text == #"{"status":"ready"}"#)
        }
        try await World.run({
            $0.notReady = ["draining", "the database is away"]
            $0.settings.apiKeys = try APIKeys(parsing: "ops:\(Self.key)")
        }) { world in
            let alice = try await world.visitor("alice")
            for headers in [[], [("Authorization", "Bearer pk_wrong")], [alice.cookie]] {
                let reply = try await world.send(.get, "/readyz", headers: headers)
                #expect(reply.status == 503)
                #expect(reply.code == "unavailable")
                #expect(reply.message == "not ready")
                #expect(reply.header("Retry-After") == "1")
            }
            let told = try await world.send(.get, "/readyz", headers: [("Authorization", "Bearer \(Self.key)")])
            #expect(told.status == 503)
            #expect(told.message == "draining; the database is away")
            #expect(try await world.send(.get, "/healthz").status == 200)
        }
    }

    @Test("a separate operators' listener gives reasons and metrics, and the other has no metrics")
    func ownListener() async throws {
        try await World.run({ ($0.notReady, $0.hasOpsListener) = (["draining"], true) }) { world async throws in
            #expect(try await world.send(.get, "/metrics").status == 404)
            #expect(try await world.send(.post, "/metrics").status == 404)
            #expect(try await world.send(.get, "/readyz").message == "not ready")
            #expect(try await world.ask("/readyz").message == "draining")
            #expect(try await world.ask("/healthz").status == 200)
            #expect(try await world.ask("/metrics").text.hasPrefix("# HELP "))
            for path in ["/", "/v1/me", "/chat", "//metrics", "/metrics/"] {
                #expect(try await world.ask(path).status == 404, "\(path)")
            }
        }
    }

    @Test("metrics are in the text format")
    func metrics() async throws {
        try await World.run { world in
            let reply = try await world.send(.get, "/metrics")
            #expect(reply.status == 200)
            #expect(reply.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
            #expect(reply.text.hasPrefix("# HELP "))
        }
    }

    @Test("the WebSocket paths require an upgrade", arguments: ["/chat", "/connect/", "/v1/socket"])
    func sockets(path: String) async throws {
        try await World.run { world in
            let reply = try await world.send(.get, path)
            #expect(reply.status == 426)
            #expect(reply.code == "bad_request")
            #expect(reply.header("Upgrade") == "websocket")
        }
    }
}
