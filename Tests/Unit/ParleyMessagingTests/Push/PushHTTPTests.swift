import ParleyBlobs
import ParleyMessaging
import ParleyModel
import Testing

/// The senders over sockets: HTTP/2 with TLS, as APNs requires it, and HTTP/1.1.
@Suite("Pushes over HTTP")
struct PushHTTPTests {
    private static func withServer(
        isTLS: Bool, name: String = "localhost", delivery: PushServer.Delivery = .whole,
        addresses: HTTPPushRequests.Addresses? = nil, timeLimit: Duration = .seconds(10),
        _ body: (PushServer, HTTPPushRequests) async throws -> Void
    ) async throws {
        let services = PushServices(clock: PushFixture.standing)
        let server = try await PushServer.start(services, isTLS: isTLS, name: name, delivery: delivery)
        let requests = HTTPPushRequests(
            addresses: addresses, tls: try isTLS ? TestTLS.client() : nil, timeLimit: timeLimit)
        do {
            try await body(server, requests)
        } catch {
            await requests.shutdown()
            await server.stop()
            throw error
        }
        await requests.shutdown()
        await server.stop()
    }

    private static func simple(_ port: Int) -> PushRequest {
        PushRequest("http://127.0.0.1:\(port)/3/device/00", headers: [.init("x", "y")], body: [1])
    }

    @Test("40 sends at a time go over one connection of HTTP/2")
    func http2() async throws {
        try await Self.withServer(isTLS: true) { server, requests in
            let fixture = try PushFixture(
                requests: requests, services: server.services, host: "https://localhost:\(server.port)")
            let (apns, fcm) = (try PushFixture.apns(), try PushFixture.fcm())
            #expect(await fixture.senders.send(.message(), to: apns) == .delivered)
            await withTaskGroup(of: PushOutcome.self) { group in
                for index in 0..<40 {
                    group.addTask {
                        await fixture.senders.send(.message(seq: Int64(index + 1)), to: index < 20 ? apns : fcm)
                    }
                }
                for await outcome in group { #expect(outcome == .delivered) }
            }
            #expect(server.services.problems == [])
            #expect(server.services.pushes.count == 41)
            #expect(server.services.assertions == 1)
            #expect(server.opened == 1)
        }
    }

    @Test("the version of HTTP is what TLS negotiates")
    func version() async throws {
        try await Self.withServer(isTLS: true) { server, requests in
            server.services.plan(PushAnswer(status: 410))
            let answer = try await requests.answer(
                to: PushRequest("https://localhost:\(server.port)/3/device/00", headers: [], body: []))
            #expect(answer.status == 410)
            #expect(answer.isHTTP2)
        }
        try await Self.withServer(isTLS: false) { server, requests in
            server.services.plan(PushAnswer(status: 429, retryAfter: "7", body: Array("text".utf8)))
            let answer = try await requests.answer(to: Self.simple(server.port))
            #expect(answer.status == 429)
            #expect(answer.retryAfter == "7")
            #expect(answer.body == Array("text".utf8))
            #expect(!answer.isHTTP2)
        }
    }

    @Test("a browser's service is reached at the checked address, under its own name")
    func checkedAddress() async throws {
        let addresses: HTTPPushRequests.Addresses = { stranger throws(PushRequestError) in
            guard stranger.host == "push.example" else { throw PushRequestError("asked for \(stranger.host)") }
            return ["127.0.0.1"]
        }
        try await Self.withServer(isTLS: true, name: "push.example", addresses: addresses) { server, requests in
            let fixture = try PushFixture(requests: requests, services: server.services)
            // The name has no address outside of the closure, and the certificate is checked for it.
            let origin = "https://PUSH.example:\(server.port)"
            let target = PushTarget.web(try server.services.subscribe(at: origin))
            for _ in 0..<5 { #expect(await fixture.senders.send(.message(), to: target) == .delivered) }
            #expect(server.services.problems == [])
            #expect(server.services.pushes.count == 5)
            #expect(server.services.tokens.count == 1)
            #expect(server.opened == 1)
        }
    }

    @Test("an address that is not allowed, or none, and a wrong certificate send nothing")
    func refusedAddress() async throws {
        let addresses: HTTPPushRequests.Addresses = { stranger throws(PushRequestError) in
            switch stranger.host {
            case "inside.example": throw PushRequestError("the address is not public (private)", isRefusal: true)
            case "none.example": return []
            default: return ["127.0.0.1"]
            }
        }
        try await Self.withServer(isTLS: true, addresses: addresses) { server, requests in
            let fixture = try PushFixture(requests: requests, services: server.services)
            for (host, reason) in [
                ("inside.example", "the address is not public (private)"),
                ("none.example", "none.example has no address"),
                ("other.example", nil),
            ] as [(String, String?)] {
                let target = PushTarget.web(try server.services.subscribe(at: "https://\(host):\(server.port)"))
                switch await fixture.senders.send(.message(), to: target) {
                case .refused(let shown): #expect(host == "inside.example" && shown == reason)
                case .retry(nil, let shown): #expect(host != "inside.example" && (reason ?? shown) == shown)
                case let outcome: Issue.record("\(host): \(outcome)")
                }
            }
            #expect(server.services.requests == 0)
        }
    }

    @Test("without a resolver, no host of a user is connected to")
    func noResolver() async throws {
        try await Self.withServer(isTLS: false) { server, requests in
            let stranger = PushRequest.Stranger(isTLS: false, host: "127.0.0.1", port: server.port, target: "/")
            await #expect(throws: PushRequestError("no resolver for hosts of users is set")) {
                try await requests.answer(to: PushRequest(stranger, headers: [], body: []))
            }
            #expect(server.opened == 0)
        }
    }

    @Test("the next address is tried if one refuses the connection")
    func nextAddress() async throws {
        let addresses: HTTPPushRequests.Addresses = { _ throws(PushRequestError) in ["127.0.0.2", "127.0.0.1"] }
        try await Self.withServer(isTLS: false, addresses: addresses) { server, requests in
            server.services.plan(PushAnswer(status: 201))
            let stranger = PushRequest.Stranger(isTLS: false, host: "push.example", port: server.port, target: "/web/0")
            let answer = try await requests.answer(to: PushRequest(stranger, headers: [], body: [1]))
            #expect(answer.status == 201)
            #expect(server.services.requests == 1)
        }
    }

    @Test("a body is read up to a limit, and its status counts")
    func longBody() async throws {
        try await Self.withServer(isTLS: false, delivery: .long) { server, requests in
            server.services.plan(PushAnswer(status: 201))
            let answer = try await requests.answer(to: Self.simple(server.port))
            #expect(answer.status == 201)
            #expect(answer.body.count == PushRequest.maximumAnswer)
        }
    }

    @Test("redirects are not followed")
    func redirect() async throws {
        try await Self.withServer(isTLS: false, delivery: .redirect) { server, requests in
            let answer = try await requests.answer(to: Self.simple(server.port))
            #expect(answer.status == 302)
            #expect(server.services.requests == 1)
        }
    }

    @Test("a response that does not end is given up")
    func silent() async throws {
        try await Self.withServer(isTLS: false, delivery: .silent, timeLimit: .milliseconds(200)) { server, requests in
            server.services.plan(PushAnswer(status: 201))
            await #expect(throws: PushRequestError("no answer within 0.2 seconds")) {
                try await requests.answer(to: Self.simple(server.port))
            }
        }
    }

    /// async-http-client stops the process when such a response reaches it.
    @Test("a response with a status below 100 fails its request only")
    func lowStatus() async throws {
        try await Self.withServer(isTLS: true) { server, requests in
            let request = PushRequest("https://localhost:\(server.port)/3/device/00", headers: [], body: [])
            server.services.plan(PushAnswer(status: 99))
            await #expect(throws: PushRequestError.self) { try await requests.answer(to: request) }
            server.services.plan(PushAnswer(status: 410))
            let answer = try await requests.answer(to: request)
            #expect(answer.status == 410)
        }
        let server = try await RawServer.start("HTTP/1.1 099 x\r\n\r\n")
        let requests = HTTPPushRequests()
        for _ in 0..<2 {
            await #expect(throws: PushRequestError.self) { try await requests.answer(to: Self.simple(server.port)) }
        }
        await requests.shutdown()
        await server.stop()
    }

    @Test("the checked address of a host is used, however the host is written")
    func upperCase() async throws {
        let addresses: HTTPPushRequests.Addresses = { _ throws(PushRequestError) in ["127.0.0.1"] }
        try await Self.withServer(isTLS: false, addresses: addresses) { server, requests in
            server.services.plan(PushAnswer(status: 201))
            let stranger = PushRequest.Stranger(isTLS: false, host: "Push.Example", port: server.port, target: "/web/0")
            let answer = try await requests.answer(to: PushRequest(stranger, headers: [], body: [1]))
            #expect(answer.status == 201)
        }
    }

    @Test("a service that is not there is an error, not a trap")
    func absent() async throws {
        try await Self.withServer(isTLS: false) { server, requests in
            let port = server.port
            await server.stop()
            await #expect(throws: PushRequestError.self) { try await requests.answer(to: Self.simple(port)) }
            await #expect(throws: PushRequestError.self) {
                try await requests.answer(to: PushRequest("no URL", headers: [], body: []))
            }
        }
    }

    @Test("hosts of strangers beyond the kept clients are reached as well")
    func manyHosts() async throws {
        let addresses: HTTPPushRequests.Addresses = { _ throws(PushRequestError) in ["127.0.0.1"] }
        try await Self.withServer(isTLS: false, addresses: addresses) { server, requests in
            for index in 0..<40 {
                server.services.plan(PushAnswer(status: 201))
                let stranger = PushRequest.Stranger(
                    isTLS: false, host: "h\(index % 20).example", port: server.port, target: "/")
                let answer = try await requests.answer(to: PushRequest(stranger, headers: [], body: [1]))
                #expect(answer.status == 201)
            }
            #expect(server.services.requests == 40)
        }
    }
}
