import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Groups, invitations, requests and another owner, over REST and sockets.
    @Suite struct EntranceTests {
        private let json = [(name: "Content-Type", value: "application/json")]

        /// A private room of a user.
        private func room(of user: TestUser) async throws -> String {
            let made = try await user.http.post("/v1/threads", json: ["title": "Garden", "visibility": "private"])
            return try #require(try made.json()["id"]?.string)
        }

        private func greeted(_ user: TestUser) async throws -> TestSocket {
            let socket = try await user.socket(subprotocols: ["parley.v1"])
            _ = try await socket.nextJSON { $0["type"]?.string == "hello" }
            return socket
        }

        @Test("an invited user is told on an open socket, sees nothing of the room before, and is in it afterwards")
        func invitations() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let bob = try await TestUser.signUp("bob", port: parley.port)
            let room = try await room(of: alice)
            let socket = try await greeted(bob)
            let invitation = "/v1/threads/\(room)/invitations/bob"
            let body = Array(#"{"text":"We plan the feast here"}"#.utf8)
            #expect(try await alice.http.send("PUT", invitation, headers: json, body: body).status == 201)
            #expect(try await alice.http.send("PUT", invitation, headers: json, body: body).status == 200)
            #expect(try await bob.http.send("PUT", invitation, headers: json, body: body).status == 404)
            let told = try await socket.nextJSON { $0["type"]?.string == "entrances" }
            #expect(told["thread_id"] == nil)
            let own = try await bob.http.get("/v1/me/invitations").json()["invitations"]?.array ?? []
            #expect(own.map { $0["thread"]?["title"]?.string } == ["Garden"])
            #expect(own.map { $0["text"]?.string } == ["We plan the feast here"])
            #expect(own.map { $0["by"]?["username"]?.string } == ["alice"])
            #expect(try await bob.http.get("/v1/threads/\(room)").status == 404)
            let entered = try await bob.http.post("/v1/me/invitations/\(room)/accept", json: [:])
            #expect(entered.status == 200)
            #expect(try entered.json()["id"]?.string == room)
            let added = try await socket.nextJSON { $0["type"]?.string == "thread" }
            #expect(added["op"]?.string == "added" && added["thread"]?["id"]?.string == room)
            #expect(try await bob.http.post("/v1/me/invitations/\(room)/accept", json: [:]).status == 200)
            #expect(try await bob.http.send("DELETE", "/v1/me/invitations/\(room)").status == 404)
            #expect(try await alice.http.send("PUT", invitation, headers: json, body: body).status == 409)
            let entries = try await alice.http.get("/v1/threads/\(room)/audit").json()["entries"]?.array ?? []
            #expect(entries.map { $0["action"]?.string } == ["invited", "invited"])
        }

        @Test("a request is answered alike for a hidden room and for none, and moderators see and accept it")
        func requests() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let bob = try await TestUser.signUp("bob", port: parley.port)
            let cat = try await TestUser.signUp("cat", port: parley.port)
            let room = try await room(of: alice)
            let socket = try await greeted(alice)
            for user in [bob, cat] {
                for thread in [room, "unknown"] {
                    let asked = try await user.http.post("/v1/threads/\(thread)/requests", json: ["text": "please"])
                    #expect(asked.status == 201)
                    #expect(try asked.json()["thread_id"]?.string == thread)
                    #expect(try await user.http.post("/v1/threads/\(thread)/requests", json: [:]).status == 200)
                }
                #expect(try await user.http.get("/v1/me/requests").json()["requests"]?.array?.count == 2)
            }
            let told = try await socket.nextJSON { $0["type"]?.string == "entrances" }
            #expect(told["thread_id"]?.string == room)
            let shown = try await alice.http.get("/v1/threads/\(room)/requests").json()["requests"]?.array ?? []
            #expect(Set(shown.compactMap { $0["user"]?["username"]?.string }) == ["bob", "cat"])
            #expect(try await bob.http.get("/v1/threads/\(room)/requests").status == 404)
            #expect(try await alice.http.post("/v1/threads/\(room)/requests/bob/accept", json: [:]).status == 201)
            #expect(try await bob.http.get("/v1/threads/\(room)").status == 200)
            #expect(try await alice.http.send("DELETE", "/v1/threads/\(room)/requests/cat").status == 204)
            #expect(try await alice.http.post("/v1/threads/\(room)/requests/cat/accept", json: [:]).status == 404)
            // A refusal does not show.
            #expect(try await cat.http.get("/v1/me/requests").json()["requests"]?.array?.count == 2)
            #expect(try await cat.http.get("/v1/threads/\(room)").status == 404)
        }

        @Test("a group is named by its members until it has a title, and its owner hands it over")
        func groups() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let bob = try await TestUser.signUp("bob", port: parley.port)
            let cat = try await TestUser.signUp("cat", port: parley.port)
            let socket = try await greeted(bob)
            let made = try await alice.http.post("/v1/threads", json: ["kind": "group", "members": ["bob"]])
            #expect(made.status == 201)
            let group = try #require(try made.json()["id"]?.string)
            #expect(try made.json()["kind"]?.string == "group")
            let names = Set(try made.json()["title"]?.string?.split(separator: ", ").map(String.init) ?? [])
            #expect(names == ["alice", "bob"])
            let added = try await socket.nextJSON { $0["type"]?.string == "thread" }
            #expect(added["thread"]?["kind"]?.string == "group")
            #expect(try await cat.http.get("/v1/threads/\(group)").status == 404)
            let unknown = try await alice.http.post("/v1/threads", json: ["kind": "group", "members": ["nobody"]])
            #expect(unknown.status == 404)
            let owner = "/v1/threads/\(group)/owner"
            #expect(try await bob.http.post(owner, json: ["user": "bob"]).status == 403)
            #expect(try await alice.http.post(owner, json: ["user": "cat"]).status == 404)
            #expect(try await alice.http.post(owner, json: ["user": "bob"]).status == 200)
            #expect(try await alice.http.post(owner, json: ["user": "alice"]).status == 403)
            let title = Array(#"{"title":"Feast","history":"since_joining"}"#.utf8)
            let renamed = try await bob.http.send("PATCH", "/v1/threads/\(group)", headers: json, body: title)
            #expect(renamed.status == 200)
            #expect(try renamed.json()["title"]?.string == "Feast")
            #expect(try await bob.http.get("/v1/threads/\(group)").json()["history"]?.string == "since_joining")
        }
    }
}
