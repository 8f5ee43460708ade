import HTTPTypes
import Testing

@Suite("What operators ask")
struct OpsTests {
    @Test("healthz says that the process lives, and its version")
    func health() async throws {
        try await World.run { world in
            let reply = try await world.send(.get, "/healthz")
            #expect(reply.status == 200)
            #expect(reply.text == #"{"status":"ok","version":"1.2.3"}"#)
        }
    }

    @Test("readyz is 200 without reasons, else 503 with all of them")
    func ready() async throws {
        try await World.run { world in
            let reply = try await world.send(.get, "/readyz/")
            #expect(reply.status == 200)
            #expect(reply.text == #"{"status":"ready"}"#)
        }
        try await World.run({ $0.notReady = ["draining", "the database is away"] }) { world in
            let reply = try await world.send(.get, "/readyz")
            #expect(reply.status == 503)
            #expect(reply.code == "unavailable")
            #expect(reply.message == "draining; the database is away")
            #expect(reply.header("Retry-After") == "1")
            #expect(try await world.send(.get, "/healthz").status == 200)
        }
    }

    @Test("metrics come in the text format")
    func metrics() async throws {
        try await World.run { world in
            let reply = try await world.send(.get, "/metrics")
            #expect(reply.status == 200)
            #expect(reply.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
            #expect(reply.text.hasPrefix("# HELP "))
        }
    }

    @Test("the socket's paths ask for an upgrade", arguments: ["/chat", "/connect/", "/v1/socket"])
    func sockets(path: String) async throws {
        try await World.run { world in
            let reply = try await world.send(.get, path)
            #expect(reply.status == 426)
            #expect(reply.code == "bad_request")
            #expect(reply.header("Upgrade") == "websocket")
        }
    }
}
