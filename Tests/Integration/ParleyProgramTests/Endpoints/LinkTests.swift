import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Links that lead into rooms, over REST.
    @Suite struct LinkTests {
        @Test("exactly as many users join as a link has uses, however many try at once")
        func race() async throws {
            let cluster = try await ProgramCluster.start()
            let alice = try await TestUser.signUp("alice", port: cluster.persister.port)
            let made = try await alice.http.post("/v1/threads", json: ["title": "Garden", "visibility": "private"])
            let thread = try #require(try made.json()["id"]?.string)
            let reply = try await alice.http.post("/v1/threads/\(thread)/links", json: ["uses": 5, "seconds": 600])
            #expect(reply.status == 201)
            let code = try #require(try reply.json()["code"]?.string)
            var users: [TestUser] = []
            for number in 0..<16 {
                users.append(try await TestUser.signUp("user\(number)", port: cluster.persister.port))
            }
            // Each tries twice at once, so that a user could take two uses.
            let statuses = try await withThrowingTaskGroup(of: (String, Int).self) { group in
                for user in users + users {
                    group.addTask { (user.id, try await user.http.post("/v1/links/\(code)", json: [:]).status) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0.1 == 201 } == 5)
            #expect(statuses.allSatisfy { [200, 201, 404].contains($0.1) }, "\(statuses)")
            let joined = Set(statuses.filter { $0.1 == 201 }.map(\.0))
            let list = try await alice.http.get("/v1/threads/\(thread)/members").json()["members"]?.array ?? []
            #expect(Set(list.compactMap { $0["user"]?["id"]?.string }) == joined.union([alice.id]))
            // A member may repeat the call, and others learn nothing.
            for user in users {
                let isIn = joined.contains(user.id)
                #expect(try await user.http.post("/v1/links/\(code)", json: [:]).status == (isIn ? 200 : 404))
                #expect(try await user.http.get("/v1/links/\(code)").status == (isIn ? 200 : 404))
                #expect(try await user.http.get("/v1/threads/\(thread)").status == (isIn ? 200 : 404))
            }
            try await cluster.stop()
        }

        @Test("open sockets are told of a joining by link as of any other")
        func sockets() async throws {
            let parley = try await ParleyProcess.start()
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let bob = try await TestUser.signUp("bob", port: parley.port)
            let made = try await alice.http.post("/v1/threads", json: ["title": "Garden", "visibility": "private"])
            let thread = try #require(try made.json()["id"]?.string)
            let reply = try await alice.http.post("/v1/threads/\(thread)/links", json: [:])
            let link = try reply.json()
            #expect(link["until_ms"] == nil && link["uses"] == nil && link["used"]?.int == 0)
            #expect(link["by_id"]?.string == alice.id && link["thread_id"]?.string == thread)
            let code = try #require(link["code"]?.string)
            let sockets = [
                try await alice.socket(subprotocols: ["parley.v1"]), try await bob.socket(subprotocols: ["parley.v1"]),
            ]
            for socket in sockets { _ = try await socket.nextJSON { $0["type"]?.string == "hello" } }
            let shown = try await bob.http.get("/v1/links/\(code)").json()
            #expect(shown["thread"]?["title"]?.string == "Garden" && shown["thread"]?["id"] == nil)
            #expect(shown["members"]?.int == 1 && shown["is_member"]?.bool == false)
            #expect(try await bob.http.post("/v1/links/\(code)", json: [:]).json()["id"]?.string == thread)
            let added = try await sockets[1].nextJSON { $0["type"]?.string == "thread" }
            #expect(added.text.contains("\"added\"") && added.text.contains(thread))
            _ = try await sockets[0].nextJSON { $0["type"]?.string == "joined" }
            #expect(try await bob.http.get("/v1/links/\(code)").json()["thread"]?["id"]?.string == thread)
            // The list has no codes.
            let list = try await alice.http.get("/v1/threads/\(thread)/links")
            #expect(!list.text.contains(code))
            #expect(try list.json()["links"]?.array?.first?["used"]?.int == 1)
            let id = try #require(link["id"]?.string)
            #expect(try await alice.http.send("DELETE", "/v1/threads/\(thread)/links/\(id)").status == 204)
            #expect(try await bob.http.get("/v1/links/\(code)").errorCode == "not_found")
            for wrong: JSONValue in [["uses": 0], ["uses": 10_001], ["seconds": 0], ["uses": "many"]] {
                let refused = try await alice.http.post("/v1/threads/\(thread)/links", json: wrong)
                #expect(refused.errorCode == "bad_request", "\(wrong)")
            }
        }
    }
}
