import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// A suspended user can do nothing, by any way.
    @Suite struct Suspensions {
        private static let apiKey = "pk_suspensions_0123456789abcdef0123456789abcdef"
        private static let secret = "a secret of 32 bytes for the JWTs"

        private func start() async throws -> ParleyProcess {
            try await ParleyProcess.start(environment: [
                "PARLEY_API_KEYS": "back:\(Self.apiKey)", "PARLEY_JWT_HS256_KEY": Self.secret,
                "PARLEY_AUTH_ADMINS": "boss",
            ])
        }

        private func backEnd(_ parley: ParleyProcess, actingFor user: String? = nil) -> HTTPClient {
            let acting = user.map { [("X-Parley-User", $0)] } ?? []
            return HTTPClient(port: parley.port, headers: [("Authorization", "Bearer \(Self.apiKey)")] + acting)
        }

        private func suspend(_ user: TestUser, _ body: JSONValue, by http: HTTPClient) async throws -> HTTPReply {
            try await http.send(
                "PUT", "/v1/admin/users/\(user.id)/suspension", headers: [("Content-Type", "application/json")],
                body: Array(body.text.utf8))
        }

        @Test("all sockets close with 4003 and the reason within a second, and no way leads in until the end")
        func everything() async throws {
            let parley = try await start()
            let ann = try await TestUser.signUp("ann", port: parley.port)
            let bob = try await TestUser.signUp("bob", port: parley.port)
            let room = try await ann.join("Tea")
            _ = try await bob.join("Tea")
            let ticket = try #require(try await ann.http.post("/v1/tickets", form: [:]).json()["ticket"]?.string)
            let token = TokenSigner.hs256(["sub": .string(ann.id), "exp": TokenSigner.time(600)], key: Self.secret)
            let sockets = [
                try await ann.socket(), try await ann.socket(subprotocols: ["parley.direct"]),
                try await ann.socket(subprotocols: ["parley.v1"]),
                try await TestSocket.connect(port: parley.port, headers: [("Authorization", "Bearer \(token)")]),
            ]
            let watcher = try await bob.socket(subprotocols: ["parley.v1"])
            try await watcher.send(json: ["ref": 1, "watch": ["users": [.string(ann.id)]]])
            _ = try await watcher.nextJSON { $0["type"]?.string == "presence" && $0["online"] == true }

            let reply = try await suspend(ann, ["seconds": 600, "reason": "spam"], by: backEnd(parley))
            #expect(reply.status == 200, "\(reply)")
            let until = try #require(try reply.json()["until_ms"]?.int)
            for socket in sockets {
                let end = try await socket.end()
                #expect(end.code == 4003)
                #expect(end.reason.hasPrefix("this account is suspended until 2"), "\(end.reason)")
                #expect(end.reason.hasSuffix("Z: spam"), "\(end.reason)")
            }
            _ = try await watcher.nextJSON(within: .seconds(30)) {
                $0["type"]?.string == "presence" && $0["online"] == false
            }

            let basic = Data("ann:correct horse".utf8).base64EncodedString()
            let credentials: [HTTPClient.Headers] = [
                ann.cookieHeader, [("Authorization", "Bearer \(ann.sessionToken)")],
                [("Authorization", "Bearer \(token)")], [("Authorization", "Basic \(basic)")],
                [("Authorization", "Bearer \(Self.apiKey)"), ("X-Parley-User", "ann")],
            ]
            func isRefused(_ reply: HTTPReply) throws -> Bool {
                let error = try reply.json()["error"]
                return reply.status == 403 && error?["code"] == "suspended" && error?["reason"] == "spam"
                    && error?["until_ms"]?.int == until
            }
            for headers in credentials {
                let http = HTTPClient(port: parley.port, headers: headers)
                for path in ["/v1/me", "/v1/threads/\(room)/messages", "/messaging/load-inbox"] {
                    #expect(try await isRefused(http.get(path)), "\(headers) \(path)")
                }
                let sent = try await http.post("/v1/threads/\(room)/messages", json: ["text": "hi"])
                #expect(try isRefused(sent), "\(headers)")
                for subprotocols in [[], ["parley.direct"], ["parley.v1"]] {
                    let opening = try await TestSocket.open(
                        port: parley.port, headers: headers, subprotocols: subprotocols)
                    guard case .refused(let refused) = opening else {
                        Issue.record("\(headers) \(subprotocols) is in")
                        continue
                    }
                    #expect(try isRefused(refused), "\(refused)")
                }
            }
            let ticketed = try await TestSocket.open(port: parley.port, path: "/chat?ticket=\(ticket)")
            #expect(ticketed.status == 403)
            let logIn = try await HTTPClient(port: parley.port).post(
                "/auth/login", form: ["username": "ann", "password": "correct horse"])
            #expect(try isRefused(logIn))
            let guess = try await HTTPClient(port: parley.port).post(
                "/auth/login", form: ["username": "ann", "password": "wrong horse"])
            #expect(guess.status == 401)
            let signUp = try await HTTPClient(port: parley.port).post(
                "/auth/signup", form: ["username": "ann", "password": "correct horse"])
            #expect(signUp.status == 403)

            // The user is still a member, and others still write.
            let members = try await bob.http.get("/v1/threads/\(room)/members").json()["members"]?.array ?? []
            #expect(members.contains { $0["user"]?["id"]?.string == ann.id })
            _ = try await bob.http.post("/v1/threads/\(room)/messages", json: ["text": "meanwhile"])
            let ended = try await backEnd(parley).send("DELETE", "/v1/admin/users/\(ann.id)/suspension")
            #expect(ended.status == 204)
            #expect(try await ann.unread(in: room) == 1)
            for headers in credentials {
                #expect(try await TestSocket.open(port: parley.port, headers: headers).status == 101)
            }
            #expect(try await TestSocket.open(port: parley.port, path: "/chat?ticket=\(ticket)").status != 403)
        }

        @Test("a suspension ends by itself, without a restart or a login")
        func end() async throws {
            let parley = try await start()
            let ann = try await TestUser.signUp("ann", port: parley.port)
            #expect(try await suspend(ann, ["seconds": 1], by: backEnd(parley)).status == 200)
            #expect(try await ann.http.get("/v1/me").status == 403)
            #expect(try await eventually { try await ann.http.get("/v1/me").status == 200 })
            #expect(try await TestSocket.open(port: parley.port, headers: ann.cookieHeader).status == 101)
        }

        @Test("an operator suspends users and operators but not themselves, and a suspended operator has no rights")
        func operators() async throws {
            let parley = try await start()
            let made = try await backEnd(parley).post(
                "/v1/admin/users", json: ["username": "boss", "password": "correct horse"])
            #expect(made.status == 201)
            let boss = try await TestUser.logIn("boss", port: parley.port)
            let ann = try await TestUser.signUp("ann", port: parley.port)
            let reply = try await suspend(ann, ["reason": "spam"], by: boss.http)
            #expect(try reply.json()["by_id"]?.string == boss.id)
            #expect(try reply.json()["until_ms"] == nil)
            #expect(try await suspend(boss, [:], by: boss.http).status == 403)
            #expect(try await suspend(ann, [:], by: ann.http).status == 403)
            for wrong: JSONValue in [["seconds": 0], ["seconds": 315_360_001], ["reason": "a\nb"], ["reason": ""]] {
                #expect(try await suspend(ann, wrong, by: boss.http).status == 400, "\(wrong)")
            }
            let list = try await boss.http.get("/v1/admin/suspensions").json()
            #expect(list["suspensions"]?.array?.map { $0["user"]?["id"]?.string } == [ann.id])
            #expect(list["next_cursor"] == .null)
            #expect(try await suspend(boss, [:], by: backEnd(parley)).status == 200)
            #expect(try await boss.http.get("/v1/admin/nodes").json()["error"]?["code"] == "suspended")
            let path = "/v1/admin/users/\(boss.id)/suspension"
            #expect(try await boss.http.send("DELETE", path).status == 403)
            #expect(try await backEnd(parley).send("DELETE", path).status == 204)
            #expect(try await backEnd(parley).send("DELETE", path).status == 404)
            #expect(try await boss.http.get("/v1/admin/nodes").status == 200)
        }

        @Test("suspensions are made, listed and ended by command, while the program runs")
        func commands() async throws {
            let parley = try await start()
            let ann = try await TestUser.signUp("ann", port: parley.port)
            let socket = try await ann.socket()
            func admin(_ arguments: String...) async throws -> ParleyBinary.Outcome {
                try await ParleyBinary.run(["admin"] + arguments + ["--database", "sqlite:\(parley.databasePath)"])
            }
            let made = try await admin("suspend", "ann", "--seconds", "600", "--reason", "spam")
            #expect(made.output.hasPrefix("\(ann.id)\tann\t2") && made.output.hasSuffix("Z\tspam\n"), "\(made.output)")
            #expect(try await socket.closeCode() == 4003)
            #expect(try await ann.http.get("/v1/me").status == 403)
            #expect(try await admin("suspensions").output == made.output)
            #expect(try await admin("end-suspension", "ann").output == "\(ann.id)\tann\tended\n")
            #expect(try await admin("suspensions").output == "")
            #expect(try await ann.http.get("/v1/me").status == 200)
            #expect(try await admin("suspend", "ann").output == "\(ann.id)\tann\tno end\n")
            for wrong in [["suspend", "zoe"], ["suspend", "ann", "--seconds", "0"], ["end-suspension", "zoe"]] {
                let refused = try await ParleyBinary.run(
                    ["admin"] + wrong + ["--database", "sqlite:\(parley.databasePath)"])
                #expect(refused.status != .exited(0), "\(wrong)")
            }
        }

        @Test("sessions are listed and ended by command, while the program runs")
        func sessions() async throws {
            let parley = try await start()
            let ann = try await TestUser.signUp("ann", port: parley.port)
            let again = try await TestUser.logIn("ann", password: ChatPage.password, port: parley.port)
            let socket = try await again.socket()
            func admin(_ arguments: String...) async throws -> ParleyBinary.Outcome {
                try await ParleyBinary.run(["admin"] + arguments + ["--database", "sqlite:\(parley.databasePath)"])
            }
            let listed = try await again.http.get("/v1/me/sessions").json()["sessions"]?.array ?? []
            let ids = listed.compactMap { $0["id"]?.string }
            let lines = try await admin("sessions", "ann").output.split(separator: "\n")
            #expect(lines.map { String($0.prefix { $0 != "\t" }) } == ids)
            let own = try #require(listed.first { $0["current"] == .bool(true) }?["id"]?.string)
            #expect(try await admin("sessions", "ann", "--end", own).output == "\(own)\tended\n")
            #expect(try await socket.closeCode() == 4001)
            #expect(try await ann.http.get("/v1/me").status == 200)
            #expect(try await admin("sessions", "ann", "--end", own).status != .exited(0))
            #expect(try await admin("sessions", "ann", "--end", "x").status != .exited(0))
            #expect(try await admin("sessions", "ann", "--end-all").output == "1\tended\n")
            #expect(try await admin("sessions", "ann").output == "")
            #expect(try await ann.http.get("/v1/me").status == 401)
        }

        @Test("sockets on every gateway of a cluster close within a second, and every gateway refuses")
        func cluster() async throws {
            let cluster = try await ProgramCluster.start()
            let ann = try await TestUser.signUp("ann", port: cluster.persister.port)
            var sockets: [TestSocket] = []
            for gateway in cluster.gateways.indices {
                sockets.append(try await cluster.socket(of: ann, at: gateway))
            }
            let begun = ContinuousClock.now
            #expect(try await suspend(ann, ["reason": "spam"], by: cluster.service).status == 200)
            for socket in sockets { #expect(try await socket.closeCode() == 4003) }
            #expect(ContinuousClock.now - begun < .seconds(1))
            for gateway in cluster.gateways {
                #expect(try await TestSocket.open(port: gateway.port, headers: ann.cookieHeader).status == 403)
            }
            #expect(try await ann.http.get("/v1/me").status == 403)
            try await cluster.stop()
        }
    }
}
