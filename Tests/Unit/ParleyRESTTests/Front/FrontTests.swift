import HTTPTypes
import ParleyMetrics
import ParleyREST
import ParleySQLite
import Testing

@Suite("Common handling of requests")
struct FrontTests {
    @Test(
        "unknown paths are 404",
        arguments: [
            "/nothing", "/auth", "/auth/login/x", "/v1", "/index.html", "/../etc/passwd", "/%2e%2e/x", "*", "/a%00b",
            "/AUTH/login", "/auth%2Flogin",
            // Other spellings of existing paths.
            "//metrics", "/metrics/", "/metrics//", "/./metrics", "/x/../metrics", "/metric%73", "/%6Detrics",
            "/%6detrics",
            "/metrics%2F", "/metrics#x", "/metrics%00", "/metrics;/", "/metrics\\", "http://x/metrics", "metrics",
            "///", "//", "/.", "/v1//me", "/v1/./me", "/v1/me/", "/v1%2Fme", "/v1/%6De", "/v1//admin/overview",
            "/v1/admin/overview/", "/v1/x/../admin/overview", "/v1/%61dmin/overview", "//chat", "/chat//", "/./chat",
            "/%63hat", "http://x/chat", "/console/", "//console", "/healthz/", "/v1/users/a%2fb", "/v1/users/a%",
            "/v1/users/%4",
            "/v1/users/%c3%a9", "/v1/users/é",
        ])
    func unknown(path: String) async throws {
        try await RESTFixture.run { fixture in
            let reply = try await fixture.send(.get, path)
            #expect(reply.status == 404)
            #expect(reply.text == #"{"error":{"code":"not_found","message":"no such path"}}"#)
            #expect(reply.header("X-Request-Id") != nil)
        }
    }

    @Test(
        "a method that a path does not have is 405 with Allow",
        arguments: [
            ("GET", "/auth/login", "POST"), ("DELETE", "/auth/logout", "GET, POST"),
            ("HEAD", "/auth/logout", "GET, POST"),
            ("OPTIONS", "/v1/tickets", "POST"), ("POST", "/", "GET, HEAD"), ("PUT", "/messaging/load-inbox", "GET"),
            ("POST", "/chat/", "GET"),
            ("BREW", "/healthz", "GET, HEAD"),
        ])
    func wrongMethod(method: String, path: String, allow: String) async throws {
        try await RESTFixture.run { fixture in
            let reply = try await fixture.send(try #require(HTTPRequest.Method(method)), path)
            #expect(reply.status == 405)
            #expect(reply.header("Allow") == allow)
            if method == "HEAD" {
                #expect(reply.body.isEmpty)
            } else {
                #expect(reply.code == "bad_request")
            }
        }
    }

    @Test("HEAD responds like GET, without the body", arguments: ["/", "/healthz", "/readyz", "/metrics"])
    func head(path: String) async throws {
        try await RESTFixture.run { fixture in
            let get = try await fixture.send(.get, path)
            let head = try await fixture.send(.head, path)
            #expect(head.status == get.status)
            #expect(head.body.isEmpty)
            #expect(head.header("Content-Type") == get.header("Content-Type"))
            if path != "/metrics" { #expect(head.header("Content-Length") == "\(get.body.count)") }
        }
    }

    @Test(
        "a valid request id is adopted, any other is replaced",
        arguments: [
            ("abc-123_X.y", true), (String(repeating: "a", count: 64), true),
            (String(repeating: "a", count: 65), false),
            ("a b", false), ("", false), ("é", false), ("a;b", false), ("\"x\"", false),
        ])
    func requestID(offered: String, isKept: Bool) async throws {
        try await RESTFixture.run { fixture in
            for path in ["/healthz", "/nothing"] {
                let reply = try await fixture.send(.get, path, headers: [("X-Request-Id", offered)])
                let id = try #require(reply.header("X-Request-Id"))
                #expect((id == offered) == isKept)
                if !isKept { #expect(id.count == 32) }
                #expect(fixture.lines.all.last?.contains("request_id=\(id)") == true)
            }
            let ids = Set(
                try await [fixture.send(.get, "/healthz"), fixture.send(.get, "/healthz")].map {
                    $0.header("X-Request-Id")
                }
            )
            #expect(ids.count == 2)
        }
    }

    @Test("API responses are not cached, framed or sniffed")
    func headers() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            for reply in [try await alice.get("/messaging/load-inbox"), try await fixture.send(.get, "/nothing")] {
                #expect(reply.header("Cache-Control") == "no-store")
                #expect(reply.header("X-Content-Type-Options") == "nosniff")
                #expect(reply.header("Referrer-Policy") == "same-origin")
                #expect(reply.header("Content-Security-Policy") == "default-src 'none'; frame-ancestors 'none'")
            }
        }
    }

    @Test("durations are counted by route, method and status, never by client input")
    func metrics() async throws {
        try await RESTFixture.run { fixture in
            _ = try await fixture.sessionUser("alice")
            for number in 0..<3 { _ = try await fixture.send(.get, "/no/such/path\(number)?q=\(number)") }
            _ = try await fixture.send(try #require(HTTPRequest.Method("BREW")), "/healthz")
            _ = try await fixture.send(.get, "/app/main.js")
            let counts = fixture.registry.text().split(separator: "\n")
                .filter { $0.hasPrefix("parley_http_request_duration_seconds_count") }
            #expect(
                counts == [
                    #"parley_http_request_duration_seconds_count{method="GET",route="page",status="200"} 1"#,
                    #"parley_http_request_duration_seconds_count{method="GET",route="unmatched",status="404"} 3"#,
                    #"parley_http_request_duration_seconds_count{method="POST",route="/auth/signup",status="200"} 1"#,
                    #"parley_http_request_duration_seconds_count{method="other",route="unmatched",status="405"} 1"#,
                ])
        }
    }

    @Test("logs contain neither queries nor bodies nor credentials")
    func logs() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            _ = try await fixture.post("/auth/login", form: ["username": "marker-name", "password": "marker-word"])
            _ = try await alice.get("/messaging/load-messages?id=marker-id&before=marker")
            _ = try await alice.get("/marker-path?ticket=marker-ticket")
            _ = try await fixture.send(
                .get, "/v1/me", headers: [("Authorization", "Bearer marker-token"), alice.cookie])
            _ = try await alice.post("/messaging/add-chatroom", form: ["title": "marker-title"])
            let lines = fixture.lines.all
            #expect(lines.filter { $0.hasPrefix("debug request answered") }.count == 6)
            #expect(lines.contains { $0.contains("method=GET") && $0.contains("route=/messaging/load-messages") })
            for line in lines {
                #expect(!line.contains("marker"))
                #expect(!line.contains(alice.session))
            }
        }
    }

    @Test("a request is 503 and logged as info while the database is unavailable, with the reason in the log only")
    func away() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let session = ("Authorization", "Bearer \(alice.session)")
            try await fixture.store.close()
            let reply = try await fixture.send(.get, "/messaging/load-inbox", headers: [session])
            #expect(reply.status == 503)
            #expect(fixture.lines.all.last?.hasPrefix("info request refused") == true)
        }
    }
}
