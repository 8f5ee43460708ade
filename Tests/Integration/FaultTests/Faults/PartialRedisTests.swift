import ParleyTestServers
import ParleyTestSupport
import Testing

/// What a site with `deploy/haproxy/haproxy.cfg` in front still does while Redis, or one of its hosts, is away.
@Suite(
    "Redis is away in part or as a whole", .serialized, .enabled(if: Balancer.path != nil, "HAProxy is not installed"),
    .timeLimit(.minutes(6)))
struct PartialRedisTests {
    /// How a host is lost.
    enum Loss: CaseIterable {
        case killed, stopped, cut
    }

    /// A gateway and a persister on hosts of Redis, the last of which can be lost.
    private struct Site {
        let hosts: [RedisServer]
        let proxy: TCPProxy
        let postgres: PostgresServer
        let gateway: ParleyProcess
        let persister: ParleyProcess
        let balancer: Balancer

        static func start(hosts count: Int) async throws -> Site {
            var options = RedisServer.Options()
            options.keepsData = true
            var hosts: [RedisServer] = []
            for _ in 0..<count { hosts.append(try await RedisServer.start(options)) }
            let last = hosts[count - 1]
            let proxy = try await TCPProxy.start(to: last.port)
            let urls = hosts.dropLast().map(\.url) + [last.url.replacing(":\(last.port)", with: ":\(proxy.port)")]
            let postgres = try await PostgresServer.start()
            let database = postgres.url(database: try await postgres.makeDatabase())
            func start(_ role: String) async throws -> ParleyProcess {
                try await ParleyProcess.start(
                    role, database: database,
                    arguments: ["--redis", urls.joined(separator: ","), "--node", role, "--drain-seconds", "1"],
                    environment: [
                        "PARLEY_SECRET": "a secret of the tests, long enough for them", "PARLEY_LOG_LEVEL": "notice",
                        // Its users read without pause, and write to many rooms at once.
                        "PARLEY_LIMITS_HISTORY_PER_SECOND": "0", "PARLEY_LIMITS_SENDS_PER_SECOND": "1000",
                        "PARLEY_LIMITS_SENDS_BURST": "1000",
                    ])
            }
            // The persister makes the tables.
            let persister = try await start("persister")
            let gateway = try await start("gateway")
            let balancer = try await Balancer.start(gateways: [gateway.port], persisters: [persister.port])
            return Site(
                hosts: hosts, proxy: proxy, postgres: postgres, gateway: gateway, persister: persister,
                balancer: balancer)
        }

        func lose(_ loss: Loss) async throws {
            switch loss {
            case .killed: try await hosts[hosts.count - 1].kill()
            case .stopped: hosts[hosts.count - 1].pause()
            case .cut: proxy.become(.cut)
            }
        }

        func restore(_ loss: Loss) async throws {
            switch loss {
            case .killed: try await hosts[hosts.count - 1].restart()
            case .stopped: hosts[hosts.count - 1].resume()
            case .cut: proxy.become(.normal)
            }
        }

        func status(_ path: String, of process: ParleyProcess) async -> Int? {
            (try? await process.http.send("GET", path))?.status
        }

        func socket(_ user: TestUser) async throws -> TestSocket {
            try await TestSocket.connect(
                port: balancer.port, path: "/v1/socket", headers: user.cookieHeader, subprotocols: ["parley.v1"])
        }

        func stop() async throws {
            balancer.stop()
            for process in [gateway, persister] { try await process.kill() }
            for host in hosts {
                host.resume()
                try await host.kill()
            }
            try await postgres.kill()
        }
    }

    /// Sends a command and waits for its answer.
    private func ask(_ socket: TestSocket, _ command: String, ref: Int) async throws -> JSONValue {
        try await socket.send(text: #"{"ref":\#(ref),\#(command)}"#)
        return try await socket.nextJSON { $0["ref"]?.int == ref }
    }

    private func send(_ text: String, in thread: String, id: String) -> String {
        #""message":{"id":"\#(thread)","text":"\#(text)","client_id":"\#(id)"}"#
    }

    @Test(
        "with one of two hosts away, its threads are unavailable and everything else goes on, and then it is back",
        arguments: Loss.allCases)
    func oneHost(_ loss: Loss) async throws {
        let site = try await Site.start(hosts: 2)
        let ann = try await TestUser.signUp("ann", port: site.balancer.port)
        var rooms: [String] = []
        // The ids are random, and so are their hosts: 24 rooms are on both.
        for number in 0..<24 { rooms.append(try await ann.join("room \(number)")) }
        for room in rooms {
            let reply = try await ann.http.post("/v1/threads/\(room)/messages", form: ["text": "before"])
            #expect(reply.status == 201)
        }
        let before = try await site.socket(ann)
        let positions = try await before.nextJSON()["threads"]?.array ?? []
        #expect(positions.count == rooms.count && positions.allSatisfy { $0["unavailable"] == nil })

        try await site.lose(loss)
        // A host that hangs is noticed after some seconds.
        let isNoticed = try await eventually(within: .patience) {
            try await ann.http.send("GET", "/v1/me").status == 200
                && site.gateway.logText().contains("connection to Redis lost")
        }
        #expect(isNoticed)
        for (process, path) in [(site.gateway, "sockets"), (site.persister, "rest")] {
            #expect(await site.status("/readyz/\(path)", of: process) == 200)
            #expect(await site.status("/readyz", of: process) == 200)
        }
        // Two failed checks take a node out of the balancer within two seconds.
        let start = ContinuousClock.now
        var logins = 0
        while ContinuousClock.now - start < .seconds(4) {
            _ = try await TestUser.logIn("ann", port: site.balancer.port)
            logins += 1
            for room in rooms {
                let page = try await ann.http.send("GET", "/v1/threads/\(room)/messages")
                #expect(page.status == 200, "history of \(room)")
            }
        }
        #expect(logins > 1)
        let wrong = try await HTTPClient(port: site.balancer.port)
            .post("/auth/login", form: ["username": "ann", "password": "wrong horse"])
        #expect(wrong.status == 401)

        let opened = ContinuousClock.now
        let socket = try await site.socket(ann)
        let hello = try await socket.nextJSON()
        #expect(ContinuousClock.now - opened < .seconds(8) + .leeway)
        let listed = hello["threads"]?.array ?? []
        let away = Set(listed.filter { $0["unavailable"]?.bool == true }.compactMap { $0["id"]?.string })
        let here = Set(rooms).subtracting(away)
        try #require(!away.isEmpty && !here.isEmpty, "rooms are on both hosts")
        let resume = positions.map { thread in
            let (id, epoch) = (thread["id"]?.string ?? "", thread["epoch"]?.string ?? "")
            return #""\#(id)":{"epoch":"\#(epoch)","seq":\#((thread["seq"]?.int ?? 0) - 1)}"#
        }
        let resumed = try await ask(socket, #""resume":{"threads":{\#(resume.joined(separator: ","))}}"#, ref: 1)
        for room in rooms {
            let state = resumed["threads"]?[room]?["state"]?.string
            #expect(state == (away.contains(room) ? "unavailable" : "replayed"), "\(room)")
        }
        for (number, room) in rooms.enumerated() {
            let answer = try await ask(socket, send("during", in: room, id: "during-\(number)"), ref: 10 + number)
            if away.contains(room) {
                #expect(answer["code"]?.string == "unavailable", "\(answer)")
            } else {
                #expect(answer["type"]?.string == "ack", "\(answer)")
            }
            let sent = try await ann.http.send(
                "POST", "/v1/threads/\(room)/messages", headers: [("Content-Type", "application/json")],
                body: Array(#"{"text":"by REST"}"#.utf8))
            #expect(sent.status == (away.contains(room) ? 503 : 201), "\(room)")
        }

        try await site.restore(loss)
        var missing = away
        while !missing.isEmpty {
            let frame = try await socket.nextJSON {
                $0["type"]?.string == "resumed" && $0["ref"] == nil
            }
            for (thread, result) in frame["threads"]?.object ?? [:] {
                #expect(result["state"]?.string == "page", "\(result)")
                let seen = positions.first { $0["id"]?.string == thread }?["seq"]?.int ?? 0
                #expect(result["from"]?.int == seen)
                #expect((result["to"]?.int ?? 0) >= seen)
                missing.remove(thread)
            }
        }
        for (number, room) in rooms.enumerated() {
            let isSent = try await eventually {
                let answer = try await ask(socket, send("after", in: room, id: "after-\(number)"), ref: 100)
                return answer["type"]?.string == "ack"
            }
            #expect(isSent)
        }
        let last = try await site.socket(ann).nextJSON()["threads"]?.array ?? []
        #expect(last.count == rooms.count && last.allSatisfy { $0["unavailable"] == nil })
        try await site.stop()
    }

    @Test("without any Redis sockets are refused while logins and history go on, and readiness and handshakes agree")
    func noHost() async throws {
        let site = try await Site.start(hosts: 1)
        let ann = try await TestUser.signUp("ann", port: site.balancer.port)
        let room = try await ann.join("room")
        _ = try await ann.http.post("/v1/threads/\(room)/messages", form: ["text": "before"])
        for round in 0..<3 {
            try await site.lose(.killed)
            let isNoticed = try await eventually(within: .patience) {
                await site.status("/readyz/sockets", of: site.gateway) == 503
            }
            #expect(isNoticed)
            #expect(await site.status("/readyz/rest", of: site.persister) == 200)
            #expect(await site.status("/readyz", of: site.persister) == 200)
            // Long enough for the balancer to notice.
            for _ in 0..<(round == 0 ? 20 : 2) {
                _ = try await TestUser.logIn("ann", port: site.balancer.port)
                #expect(try await ann.http.get("/v1/threads/\(room)/messages").status == 200)
                let opening = try await TestSocket.open(
                    port: site.balancer.port, path: "/v1/socket", headers: ann.cookieHeader,
                    subprotocols: ["parley.v1"])
                #expect(opening.status == 503)
                try await Task.sleep(for: .milliseconds(100))
            }
            let sent = try await ann.http.send(
                "POST", "/v1/threads/\(room)/messages", headers: [("Content-Type", "application/json")],
                body: Array(#"{"text":"during"}"#.utf8))
            #expect(sent.status == 503)

            try await site.restore(.killed)
            let isBack = try await eventually(every: .milliseconds(1)) {
                await site.status("/readyz/sockets", of: site.gateway) == 200
            }
            #expect(isBack)
            // At once.
            let opening = try await TestSocket.open(
                port: site.gateway.port, path: "/v1/socket", headers: ann.cookieHeader, subprotocols: ["parley.v1"])
            #expect(opening.status == 101)
        }
        let isBalanced = try await eventually {
            try await TestSocket.open(
                port: site.balancer.port, path: "/v1/socket", headers: ann.cookieHeader, subprotocols: ["parley.v1"]
            ).status == 101
        }
        #expect(isBalanced)
        try await site.stop()
    }

    @Test("a node that starts while one of two hosts is away serves the other")
    func start() async throws {
        let site = try await Site.start(hosts: 2)
        try await site.lose(.killed)
        try await site.gateway.restart()
        try await site.persister.restart()
        // The balancer notices with its next checks.
        #expect(
            try await eventually {
                guard await site.status("/readyz/sockets", of: site.gateway) == 200 else { return false }
                return try await HTTPClient(port: site.balancer.port).get("/v1/me").status == 401
            })
        let ann = try await TestUser.signUp("ann", port: site.balancer.port)
        _ = try await site.socket(ann).nextJSON()
        try await site.stop()
    }
}
