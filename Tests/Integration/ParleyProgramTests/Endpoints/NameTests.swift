import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Names and titles that look like others, or hide something.
    @Suite struct NameTests {
        private static let key = "pk_0123456789abcdef0123456789abcdef"

        @Test("nobody signs up under a name that looks like another's; what others bring is taken as it is")
        func signUp() async throws {
            let parley = try await ParleyProcess.start(
                environment: ["PARLEY_API_KEYS": "django:\(Self.key)", "PARLEY_AUTH_ADMINS": "boss"])
            let http = HTTPClient(port: parley.port)
            _ = try await TestUser.signUp("alice", port: parley.port)
            _ = try await TestUser.signUp("modern", port: parley.port)
            _ = try await TestUser.signUp("modem", port: parley.port)
            let refused = [
                ("alice\u{3164}", 400), ("al\u{115F}ice", 400), ("Alice", 403), ("аlice", 403), ("ａｌｉｃｅ", 403),
                ("mоdem", 403), ("bоss", 403), ("\u{3164}", 400),
            ]
            for (name, status) in refused {
                let reply = try await http.post("/auth/signup", form: ["username": name, "password": "correct horse"])
                #expect(reply.status == status, "\(name): \(reply.text)")
            }
            let backEnd = HTTPClient(port: parley.port, headers: [("Authorization", "Bearer \(Self.key)")])
            for name in ["alice\u{3164}", "аlice", "ALICE"] {
                let made = try await backEnd.post("/v1/admin/users", json: ["username": .string(name)])
                #expect(made.status == 201, "\(name): \(made.text)")
            }
        }

        @Test("titles and display names show something, and nothing else than they contain")
        func titles() async throws {
            let parley = try await ParleyProcess.start(environment: ["PARLEY_API_KEYS": "django:\(Self.key)"])
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let room = try await alice.join("Tea ❤️")
            let socket = try await TestSocket.connect(
                port: parley.port, headers: alice.cookieHeader, subprotocols: ["parley.v1"])
            for text in ["Tea\u{202E}", "\u{3164}", "\u{2800}", "Tea\u{200B}", "T\u{200D}ea"] {
                let json: JSONValue = ["title": .string(text)]
                #expect(try await alice.http.post("/messaging/add-chatroom", json: json).status == 400)
                #expect(try await alice.http.post("/v1/threads", json: json).status == 400)
                #expect(try await patch(alice, "/v1/threads/\(room)", json).status == 400)
                #expect(try await patch(alice, "/v1/me", ["display_name": .string(text)]).status == 400)
                try await socket.send(json: ["join": json, "ref": 1])
                let error = try await socket.nextJSON { $0["ref"]?.int == 1 }
                #expect(error["code"] == "bad_request", "\(error)")
            }
            #expect(try await patch(alice, "/v1/me", ["display_name": "Ann 👩‍🚀"]).status == 200)
            // An operator's room keeps its title, and can be joined by it.
            let backEnd = HTTPClient(port: parley.port, headers: [("Authorization", "Bearer \(Self.key)")])
            let title: JSONValue = ["title": "Old\u{202E}", "id": "old"]
            #expect(try await backEnd.post("/v1/admin/threads", json: title).status == 201)
            #expect(try await alice.join("Old\u{202E}") == "old")
        }

        private func patch(_ user: TestUser, _ path: String, _ json: JSONValue) async throws -> HTTPReply {
            try await user.http.send(
                "PATCH", path, headers: [("Content-Type", "application/json")], body: Array(json.text.utf8))
        }

        @Test("a guest has no name that looks like a user's or another guest's")
        func guests() async throws {
            let parley = try await ParleyProcess.start(hasLineListener: true)
            let line = try #require(parley.linePort)
            _ = try await TestUser.signUp("alice", port: parley.port)
            let ann = try await LineClient.connect(port: line)
            try await ann.send(line: "iam:ann")
            #expect(try await ann.next() == "ann:has joined")
            let other = try await LineClient.connect(port: line)
            let cases = [
                ("ann\u{200B}", "error:bad name"), ("ａｎｎ", "error:name taken"), ("ann ", "error:name taken"),
                ("Ann", "error:name taken"), ("аnn", "error:name taken"), ("alice", "error:name taken"),
                ("аlice", "error:name taken"), ("Alice ", "error:name taken"), ("\u{202E}nna", "error:bad name"),
                ("\u{3164}", "error:bad name"),
            ]
            for (name, answer) in cases {
                try await other.send(line: "iam:\(name)")
                #expect(try await other.next() == answer, "\(name)")
            }
            try await other.send(line: "iam:ｂｏｂ ")
            #expect(try await other.next() == "bob:has joined")
        }

        @Test("the guests of an address share the budget of one user")
        func budgets() async throws {
            let parley = try await ParleyProcess.start(
                environment: ["PARLEY_LIMITS_SENDS_PER_SECOND": "1", "PARLEY_LIMITS_SENDS_BURST": "5"],
                hasLineListener: true)
            let line = try #require(parley.linePort)
            var guests: [LineClient] = []
            for number in 0..<10 {
                let guest = try await LineClient.connect(port: line)
                try await guest.send(line: "iam:guest\(number)")
                #expect(try await guest.next() == "guest\(number):has joined")
                for earlier in guests { #expect(try await earlier.next() == "guest\(number):has joined") }
                guests.append(guest)
            }
            let began = ContinuousClock.now
            for guest in guests { try await guest.send(line: "msg:hi") }
            for _ in guests { #expect(try await guests[0].next(within: .seconds(20))?.hasSuffix(":hi") == true) }
            // Five at once, and one a second; each by itself would have sent at once.
            #expect(ContinuousClock.now - began > .seconds(3.5))
        }
    }
}
