import HTTPTypes
import ParleyAccounts
import ParleyREST
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
            $0.readiness = ReadinessReport(reasons: ["draining", "the database is away"])
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

    @Test("sockets and REST are asked for apart, and plain readyz is ready for as long as one of them is")
    func purposes() async throws {
        let cases: [(report: ReadinessReport, statuses: [Int])] = [
            (ReadinessReport(), [200, 200, 200]),
            (ReadinessReport(reasons: ["starting"]), [503, 503, 503]),
            (ReadinessReport(sockets: ["redis is away"]), [200, 503, 200]),
            (ReadinessReport(rest: ["this role has no REST"]), [200, 200, 503]),
            (ReadinessReport(sockets: ["redis is away"], rest: ["this role has no REST"]), [503, 503, 503]),
            (ReadinessReport(notes: ["redis: one of two hosts is away"]), [200, 200, 200]),
        ]
        for (report, statuses) in cases {
            try await RESTFixture.run({ $0.readiness = report }) { fixture async throws in
                for (path, status) in zip(["/readyz", "/readyz/sockets", "/readyz/rest"], statuses) {
                    let response = try await fixture.send(.get, path)
                    #expect(response.status == status, "\(path) with \(report)")
                }
            }
        }
    }

    @Test("only operators are told what is wrong with a process that is ready")
    func notes() async throws {
        try await RESTFixture.run({
            $0.readiness = ReadinessReport(notes: ["clock: 7 s ahead"])
            $0.settings.apiKeys = try APIKeys(parsing: "ops:\(Self.key)")
        }) { fixture in
            #expect(try await fixture.send(.get, "/readyz").text == #"{"status":"ready"}"#)
            let told = try await fixture.send(
                .get, "/readyz/rest", headers: [("Authorization", "Bearer \(Self.key)")])
            #expect(told.text == #"{"status":"ready","notes":["clock: 7 s ahead"]}"#)
        }
    }

    @Test("a separate operators' listener gives reasons and metrics, and the other has no metrics")
    func ownListener() async throws {
        try await RESTFixture.run({ ($0.readiness, $0.hasOpsListener) = (ReadinessReport(reasons: ["draining"]), true) }
        ) { fixture async throws in
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
