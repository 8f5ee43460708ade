import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Display names in frames and history, and their changes.
    @Suite struct DisplayNameTests {
        private static func v1(_ user: TestUser, _ parley: ParleyProcess) async throws -> TestSocket {
            let socket = try await TestSocket.connect(
                port: parley.port, headers: user.cookieHeader, subprotocols: ["parley.v1"])
            _ = try await socket.nextJSON { $0["type"] == "hello" }
            return socket
        }

        private static func rename(_ user: TestUser, _ name: JSONValue) async throws {
            let json: JSONValue = ["display_name": name]
            let reply = try await user.http.send(
                "PATCH", "/v1/me", headers: [("Content-Type", "application/json")], body: Array(json.text.utf8))
            #expect(reply.status == 200, "\(reply.text)")
        }

        private static func say(_ text: String, _ socket: TestSocket, in room: String) async throws {
            try await socket.send(json: ["message": ["id": .string(room), "text": .string(text)]])
        }

        private static func received(_ text: String, _ socket: TestSocket) async throws -> JSONValue {
            try await socket.nextJSON { $0["text"]?.string == text }
        }

        @Test(
            "a new name reaches open sockets within a second, and the messages that follow have it beside the username")
        func frames() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let bob = try await TestUser.signUp("bob", port: parley.port)
            let zoe = try await TestUser.signUp("zoe", port: parley.port)
            let room = try await alice.join("Garden")
            for title in ["Garden", "Tea"] { _ = try await bob.join(title) }
            _ = try await alice.join("Tea")
            _ = try await zoe.join("Elsewhere")
            let (own, other) = (try await Self.v1(alice, parley), try await Self.v1(bob, parley))
            let stranger = try await Self.v1(zoe, parley)
            let classic = try await TestSocket.connect(port: parley.port, headers: bob.cookieHeader)

            try await Self.say("plain", own, in: room)
            for socket in [other, classic] {
                let message = try await Self.received("plain", socket)
                #expect(message["sender_name"] == "alice" && message["sender_display_name"] == nil)
            }

            let began = ContinuousClock.now
            try await Self.rename(alice, "Alice Liddell")
            for socket in [own, other] {
                let frame = try await socket.nextJSON { $0["type"] == "user" }
                #expect(
                    frame["user"] == [
                        "id": .string(alice.id), "username": "alice", "display_name": "Alice Liddell",
                    ])
            }
            let delay = ContinuousClock.now - began
            print("a new name was there after \(delay)")
            #expect(delay < .seconds(1))

            try await Self.say("named", own, in: room)
            for socket in [own, other, classic] {
                let message = try await Self.received("named", socket)
                #expect(message["sender_name"] == "alice")
                #expect(message["sender_display_name"] == "Alice Liddell")
            }
            // A message over REST has it as well.
            let sent = try await alice.http.post("/v1/threads/\(room)/messages", json: ["text": "by REST"])
            #expect(sent.status == 201)
            #expect(try await Self.received("by REST", other)["sender_display_name"] == "Alice Liddell")

            // History has the present name.
            let page = try await bob.http.get("/v1/threads/\(room)/messages").json()
            #expect(
                page["messages"]?.array?.map { $0["sender_display_name"] } == [
                    "Alice Liddell", "Alice Liddell", "Alice Liddell",
                ])
            let inbox = try await bob.http.get("/messaging/load-messages?id=\(room)").json()
            #expect(inbox["messages"]?.array?.first?["sender_display_name"] == "Alice Liddell")

            // Nothing has reached the stranger: the answer to a ping comes first.
            try await stranger.send(json: ["ping": 1, "ref": 1])
            let next = try await stranger.nextJSON()
            #expect(next["type"] == "pong", "\(next)")
        }

        @Test("a user who changes a name many times in a row is announced about every two seconds, last as it is")
        func manyTimes() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let bob = try await TestUser.signUp("bob", port: parley.port)
            for user in [alice, bob] { _ = try await user.join("Garden") }
            let socket = try await Self.v1(bob, parley)
            // Once one name was announced, the node knows its place in the feed of changes.
            var isKnown = false
            while !isKnown {
                try await Self.rename(alice, .null)
                try await Self.rename(alice, "Alice")
                isKnown = (try? await socket.nextJSON(within: .seconds(5)) { $0["type"] == "user" }) != nil
            }
            for number in 1...20 { try await Self.rename(alice, .string("Alice \(number)")) }
            var names: [String] = []
            while names.last != "Alice 20" {
                let frame = try await socket.nextJSON(within: .seconds(10)) { $0["type"] == "user" }
                names.append(frame["user"]?["display_name"]?.string ?? "")
            }
            #expect(names.count <= 3, "\(names)")
        }
    }
}
