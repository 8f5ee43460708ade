import HTTPTypes
import ParleyAccounts
import ParleyMemory
import ParleyModel
import ParleyTestContracts
import Testing

@Suite("Threads and their members over REST")
struct ThreadChangeTests {
    @Test("a room is created with 201 and found again with 200")
    func makes() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let made = try await alice.call(.post, "/v1/threads", #"{"title":" Tea ","kind":"room"}"#)
            #expect(made.status == 201)
            #expect(made.object["title"] as? String == "Tea")
            #expect(made.object["role"] as? String == "owner")
            #expect(try await alice.call(.post, "/v1/threads", #"{"title":"Tea"}"#).status == 200)
            let joined = try await bob.call(.post, "/v1/threads", #"{"title":"Tea"}"#)
            #expect(joined.status == 200)
            #expect(joined.object["id"] as? String == made.object["id"] as? String)
            #expect(joined.object["role"] as? String == "member")
            for json in [#"{"kind":"room"}"#, #"{"title":""}"#, #"{"title":"x","kind":"party"}"#] {
                #expect(try await alice.call(.post, "/v1/threads", json).status == 400)
            }
        }
    }

    @Test("a thread is shown to its members, and to API keys without a member's own state")
    func shows() async throws {
        let key = "pk_0123456789abcdef0123456789abcdef"
        try await RESTFixture.run({ $0.settings.apiKeys = try APIKeys(parsing: "backend:\(key)") }) { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let room = try await alice.join("Room")
            #expect(try await alice.get("/v1/threads/\(room)").object["role"] as? String == "owner")
            #expect(try await bob.get("/v1/threads/\(room)").code == "not_a_member")
            #expect(try await bob.get("/v1/threads/nowhere").status == 404)
            let service = try await fixture.send(
                .get, "/v1/threads/\(room)", headers: [("Authorization", "Bearer \(key)")])
            #expect(service.object["title"] as? String == "Room")
            #expect(service.object["role"] == nil)
        }
    }

    @Test("only the owner renames, to a free title; the log has the event")
    func renames() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let room = try await alice.join("Tea")
            _ = try await alice.join("Milk")
            _ = try await bob.join("Tea")
            let path = "/v1/threads/\(room)"
            #expect(try await bob.call(.patch, path, #"{"title":"Coffee"}"#).status == 403)
            let taken = try await alice.call(.patch, path, #"{"title":"Milk"}"#)
            #expect(taken.status == 409 && taken.code == "conflict")
            #expect(try await alice.call(.patch, path, #"{"title":" Coffee "}"#).object["title"] as? String == "Coffee")
            #expect(try await alice.call(.patch, path, #"{"title":"Coffee"}"#).status == 200)
            #expect(try await bob.get(path).object["title"] as? String == "Coffee")
            #expect(try await bob.join("Coffee") == room)
            #expect(try await bob.join("Tea") != room)
            try await fixture.persist()
            #expect(try await bob.events(room) == ["joined", "joined", "renamed"])
            #expect(try await bob.get(path).object["title"] as? String == "Coffee")
            // Events that the log cannot accept now are relayed later.
            fixture.log.isAway = true
            #expect(try await alice.call(.patch, path, #"{"title":"Water"}"#).status == 200)
            fixture.log.isAway = false
            #expect(try await bob.get(path).object["title"] as? String == "Water")
            try await fixture.recover()
            #expect(try await bob.events(room) == ["joined", "joined", "renamed", "renamed"])
        }
    }

    @Test("a deleted room is gone for everybody, and its title is free")
    func deletes() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let room = try await alice.join("Tea")
            _ = try await bob.join("Tea")
            try await alice.send("hi", in: room)
            try await fixture.persist()
            fixture.node.subscribe(to: [.user(bob.user.id)]) { _ in }
            #expect(try await bob.call(.delete, "/v1/threads/\(room)").status == 403)
            #expect(try await alice.call(.delete, "/v1/threads/\(room)").status == 204)
            #expect(fixture.heard.control(of: bob.user.id) == [.removed(room)])
            for sessionUser in [alice, bob] {
                #expect(try await sessionUser.get("/v1/threads/\(room)").status == 404)
                #expect(try await sessionUser.get("/v1/threads/\(room)/messages").status == 404)
                #expect(try await sessionUser.send("x", in: room).status == 404)
                #expect(try await sessionUser.inbox().isEmpty)
            }
            #expect(try await bob.join("Tea") != room)
        }
    }

    @Test("members are added, get roles and are removed; the log, the member list and sockets show it")
    func members() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob, carl) = (
                try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"),
                try await fixture.sessionUser("carl")
            )
            let room = try await alice.join("Room")
            let path = "/v1/threads/\(room)/members"
            fixture.node.subscribe(to: [.user(bob.user.id)]) { _ in }
            func put(_ sessionUser: SessionUser, _ user: String, _ role: String? = nil) async throws -> Int {
                let role = role.map { ",\"role\":\"\($0)\"" } ?? ""
                return try await sessionUser.call(.post, path, "{\"user\":\"\(user)\"\(role)}").status
            }
            let added = try await alice.call(.post, path, "{\"user\":\"bob\"}")
            #expect(added.status == 201)
            #expect(added.object["role"] as? String == "member")
            #expect((added.object["user"] as? [String: Any])?["id"] as? String == bob.user.id.text)
            #expect(try await put(alice, bob.user.id.text) == 200)
            #expect(try await put(bob, "carl") == 403)
            #expect(try await put(bob, "bob", "owner") == 403)
            #expect(try await put(alice, "bob", "moderator") == 200)
            #expect(try await put(bob, "carl", "moderator") == 403)
            #expect(try await put(bob, "carl", "read_only") == 201)
            #expect(try await put(bob, "alice", "member") == 403)
            #expect(try await put(alice, "nobody") == 404)
            #expect(try await put(alice, "carl", "king") == 400)
            let events = fixture.heard.control(of: bob.user.id)
            let info = ThreadInfo(id: room, kind: .room, title: "Room")
            #expect(
                events == [
                    .added(Membership(thread: info, role: .member), after: 1),
                    .added(Membership(thread: info, role: .moderator), after: 2),
                ])
            #expect(try await carl.call(.delete, "\(path)/bob").status == 403)
            #expect(try await bob.call(.delete, "\(path)/alice").status == 403)
            #expect(try await bob.call(.delete, "\(path)/carl").status == 204)
            #expect(try await carl.get("/v1/threads/\(room)").status == 403)
            #expect(try await bob.call(.delete, "\(path)/carl").status == 404)
            #expect(try await bob.call(.delete, "\(path)/\(bob.user.id)").status == 204)
            let left = try #require(try await fixture.memory.head(of: room)?.position)
            #expect(left.seq == 7 && fixture.heard.control(of: bob.user.id).last == .removed(room, left: left))
            #expect(try await bob.call(.delete, "\(path)/bob").status == 403)
            // Who was removed does not come back alone, and keeps a restriction when added without a role.
            #expect(try await put(carl, "carl", "moderator") == 403)
            #expect(try await put(carl, "carl") == 403)
            #expect(try await put(alice, "carl") == 201)
            try await fixture.persist()
            #expect(
                try await alice.events(room)
                    == ["joined", "joined", "role", "joined", "role", "left", "left", "joined", "role"])
            #expect(try await carl.get("/v1/threads/\(room)").object["role"] as? String == "read_only")
            #expect(try await bob.get("/v1/threads/\(room)").status == 403)
            #expect(try await alice.get("/v1/threads/\(room)").object["role"] as? String == "owner")
        }
    }

    @Test("members are listed with their roles, page by page, to members only")
    func listsMembers() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let carl = try await fixture.sessionUser("carl")
            let room = try await alice.join("Room")
            _ = try await bob.join("Room")
            let path = "/v1/threads/\(room)/members"
            var roles: [String: String] = [:]
            var cursor = ""
            for _ in 0..<2 {
                let page = try await alice.get("\(path)?limit=1\(cursor)").object
                let member = try #require((page["members"] as? [[String: Any]])?.first)
                let user = try #require(member["user"] as? [String: Any])
                roles[try #require(user["username"] as? String)] = member["role"] as? String
                cursor = (page["next_cursor"] as? String).map { "&cursor=\($0)" } ?? ""
            }
            #expect(roles == ["alice": "owner", "bob": "member"])
            #expect(cursor.isEmpty)
            #expect(try await carl.get(path).code == "not_a_member")
            #expect(try await alice.get("/v1/threads/nowhere/members").status == 404)
            #expect(try await alice.get("\(path)?cursor=%20").status == 400)
        }
    }

    @Test("others are added and removed while the log is unavailable; the events follow later")
    func logAway() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let room = try await alice.join("Room")
            let path = "/v1/threads/\(room)/members"
            fixture.log.isAway = true
            fixture.node.subscribe(to: [.user(bob.user.id)]) { _ in }
            #expect(try await alice.call(.post, path, #"{"user":"bob"}"#).status == 201)
            #expect(try await bob.get("/v1/threads/\(room)").status == 200)
            #expect(fixture.heard.control(of: bob.user.id) == [.changed])
            #expect(try await alice.call(.delete, "\(path)/bob").status == 204)
            #expect(try await bob.get("/v1/threads/\(room)").status == 403)
            #expect(fixture.heard.control(of: bob.user.id).last == .removed(room))
            fixture.log.isAway = false
            try await fixture.recover()
            #expect(try await alice.events(room) == ["joined", "joined", "left"])
        }
    }

    @Test("a direct thread is the same, whoever opens it, and has the two users' messages")
    func direct() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            fixture.node.subscribe(to: [.user(bob.user.id)]) { _ in }
            let opened = try await alice.call(.post, "/v1/direct", #"{"user":"bob"}"#)
            #expect(opened.status == 201)
            #expect(opened.object["title"] as? String == "bob")
            #expect(opened.object["kind"] as? String == "direct")
            let id = ThreadInfo.directID(alice.user.id, bob.user.id)
            #expect(opened.object["id"] as? String == id.text)
            #expect(try await bob.call(.post, "/v1/direct", "{\"user\":\"\(alice.user.id)\"}").status == 200)
            let again = try await alice.call(.post, "/v1/threads", #"{"kind":"direct","user":"bob"}"#)
            #expect(again.status == 200)
            #expect(try await alice.call(.post, "/v1/direct", #"{"user":"nobody"}"#).status == 404)
            #expect(try await alice.call(.post, "/v1/direct", "{}").status == 400)
            let membership = Membership(
                thread: ThreadInfo(id: id, kind: .direct, title: "alice"), role: .member, peer: alice.user)
            #expect(fixture.heard.control(of: bob.user.id) == [.added(membership, after: 0)])
            #expect(try await alice.send("hi", in: id).status == 201)
            try await fixture.persist()
            #expect(try await bob.inbox().map(\.title) == ["alice"])
            #expect(try await bob.messages(id).count == 1)
            // Its two members and its name cannot change.
            _ = try await fixture.sessionUser("carl")
            #expect(
                try await alice.call(.post, "/v1/threads/\(id)/members", #"{"user":"carl"}"#).status == 403)
            #expect(try await alice.call(.patch, "/v1/threads/\(id)", #"{"title":"x"}"#).status == 403)
            #expect(try await alice.call(.delete, "/v1/threads/\(id)").status == 403)
        }
    }

    @Test("joinable rooms are listed by prefixes of their titles")
    func joinable() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            for title in ["Tea", "Team", "Milk"] { _ = try await alice.join(title) }
            _ = try await bob.join("Tea")
            func titles(_ query: String) async throws -> [String] {
                let reply = try await bob.get("/v1/threads/joinable\(query)")
                let threads = try #require(reply.object["threads"] as? [[String: Any]], "\(reply.text)")
                return threads.map { $0["title"] as? String ?? "" }
            }
            #expect(try await titles("") == ["Milk", "Team"])
            #expect(try await titles("?prefix=Te") == ["Team"])
            #expect(try await titles("?limit=1") == ["Milk"])
            #expect(try await bob.get("/v1/threads/joinable?limit=201").status == 400)
        }
    }

    @Test("a search finds words in the user's own threads only")
    func searches() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let (tea, milk) = (try await alice.join("Tea"), try await alice.join("Milk"))
            _ = try await bob.join("Tea")
            try await alice.send("green tea", in: tea)
            try await alice.send("black tea", in: tea)
            try await alice.send("tea with milk", in: milk)
            try await fixture.persist()
            func texts(_ sessionUser: SessionUser, _ query: String) async throws -> [String] {
                let reply = try await sessionUser.get("/v1/search?\(query)")
                let results = try #require(reply.object["results"] as? [[String: Any]], "\(reply.text)")
                return results.map { $0["text"] as? String ?? "" }
            }
            #expect(Set(try await texts(alice, "q=TEA")) == ["green tea", "black tea", "tea with milk"])
            #expect(Set(try await texts(bob, "q=tea")) == ["green tea", "black tea"])
            #expect(try await texts(alice, "q=tea+milk") == ["tea with milk"])
            #expect(try await texts(alice, "q=tea&thread=\(milk)") == ["tea with milk"])
            #expect(try await bob.get("/v1/search?q=tea&thread=\(milk)").status == 403)
            #expect(try await bob.get("/v1/search?q=").status == 400)
            let cut = try await alice.get("/v1/search?q=tea&limit=2")
            #expect(cut.object["has_more"] as? Bool == true)
        }
    }
}
