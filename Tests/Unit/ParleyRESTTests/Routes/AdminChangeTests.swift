import Foundation
import HTTPTypes
import ParleyAccounts
import ParleyMemory
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("Changes by operators")
struct AdminChangeTests {
    private static let reading = [
        "/v1/admin/nodes", "/v1/admin/overview", "/v1/admin/threads/top", "/v1/admin/search?q=a",
        "/v1/admin/users/ann", "/v1/admin/threads/t",
    ]

    @Test("only an API key and operators may read", arguments: reading)
    func readers(_ path: String) async throws {
        try await AdminFixture.run { fixture in
            let ann = try await fixture.rest.sessionUser("ann")
            let root = try await fixture.root()
            #expect(try await fixture.rest.send(.get, path).status == 401)
            let wrong = [("Authorization", "Bearer pk_00000000000000000000000000000000")]
            #expect(try await fixture.rest.send(.get, path, headers: wrong).status == 401)
            let refused = try await ann.get(path)
            #expect(refused.status == 403)
            #expect(refused.code == "forbidden")
            // A key that acts for a user has that user's rights.
            let key = [("Authorization", "Bearer \(AdminFixture.key)")]
            #expect(try await fixture.rest.send(.get, path, headers: key + [("X-Parley-User", "ann")]).status == 403)
            #expect(try await fixture.rest.send(.get, path, headers: key + [("X-Parley-User", "root")]).status != 403)
            let (asRoot, asKey) = (try await root.get(path), try await fixture.get(path))
            #expect(asRoot.status == asKey.status)
            #expect(asRoot.status == 200 || path.hasSuffix("/t"))
        }
    }

    @Test("only an API key and operators may change anything, and no page of a foreign origin by their cookie")
    func writers() async throws {
        try await AdminFixture.run { fixture in
            let ann = try await fixture.rest.sessionUser("ann")
            let root = try await fixture.root()
            let room = try await ann.join("Tea")
            let calls: [(HTTPRequest.Method, String, String)] = [
                (.post, "/v1/admin/users", #"{"username":"x"}"#),
                (.post, "/v1/admin/users/ann/revoke-sessions", "{}"),
                (.delete, "/v1/admin/users/ann/sessions", ""),
                (.post, "/v1/admin/threads", #"{"title":"x"}"#),
                (.post, "/v1/admin/threads/\(room)/members", #"{"user":"root"}"#),
                (.delete, "/v1/admin/threads/\(room)/members/ann", ""),
                (.post, "/v1/admin/nodes/own/drain", "{}"),
            ]
            for (method, path, json) in calls {
                #expect(try await ann.call(method, path, json).status == 403, "\(path)")
                let foreign = try await root.call(
                    method, path, json, headers: [("Origin", "https://elsewhere.example")])
                #expect(foreign.status == 403, "\(path)")
            }
            #expect(try await fixture.rest.store.users(named: ["x"]).isEmpty)
            for (method, path, json) in calls where !path.contains("sessions") {
                #expect(try await (200..<300).contains(root.call(method, path, json).status), "\(path)")
            }
        }
    }

    @Test("nobody can sign up with an operator's name, in any spelling")
    func reservedNames() async throws {
        try await AdminFixture.run { fixture in
            for name in ["root", "\u{FF52}oot"] {
                let reply = try await fixture.rest.post(
                    "/auth/signup", form: ["username": name, "password": "correct horse"])
                #expect(reply.status == 403, "\(name)")
            }
            #expect(try await fixture.post("/v1/admin/users", #"{"username":"root"}"#).status == 201)
        }
    }

    @Test("a user is created once, with or without a password")
    func makeUser() async throws {
        try await AdminFixture.run { fixture in
            let json = #"{"username":"ann","id":"u-1","password":"correct horse"}"#
            let made = try await fixture.post("/v1/admin/users", json)
            #expect(made.status == 201)
            #expect(made.text == #"{"id":"u-1","username":"ann"}"#)
            #expect(try await fixture.post("/v1/admin/users", json).status == 200)
            let login = try await fixture.rest.post(
                "/auth/login", form: ["username": "ann", "password": "correct horse"])
            #expect(login.status == 200)
            let without = try await fixture.post("/v1/admin/users", #"{"username":"bob"}"#)
            #expect((without.object["id"] as? String)?.count == 32)
            for (json, code) in [
                (#"{"username":"ann"}"#, "conflict"), (#"{"username":"cy","id":"u-1"}"#, "conflict"),
                (#"{"username":"a b"}"#, "bad_request"), (#"{"username":"cy","id":"a b"}"#, "bad_request"),
                (#"{"username":"cy","password":"short"}"#, "bad_request"), ("{}", "bad_request"),
            ] {
                #expect(try await fixture.post("/v1/admin/users", json).code == code, "\(json)")
            }
        }
    }

    @Test("a room is created once; member changes are logged with their author and sent to sockets")
    func rooms() async throws {
        try await AdminFixture.run { fixture in
            let (ann, root) = (try await fixture.rest.sessionUser("ann"), try await fixture.root())
            try await fixture.rest.node.subscribe(to: [.user(ann.user.id)])
            let made = try await fixture.post("/v1/admin/threads", #"{"title":" Tea ","id":"t-1"}"#)
            #expect(made.status == 201)
            #expect(made.text == #"{"id":"t-1","title":"Tea","kind":"room","visibility":"public","history":"all"}"#)
            #expect(try await fixture.post("/v1/admin/threads", #"{"title":"Tea","id":"t-1"}"#).status == 200)
            for (json, code) in [
                (#"{"title":"Tea"}"#, "conflict"), (#"{"title":"Milk","id":"t-1"}"#, "conflict"),
                (#"{"title":" "}"#, "bad_request"), (#"{"title":"x","id":"a b"}"#, "bad_request"),
                (#"{"title":"x","id":"direct.1"}"#, "bad_request"),
            ] {
                #expect(try await fixture.post("/v1/admin/threads", json).code == code, "\(json)")
            }
            let members = "/v1/admin/threads/t-1/members"
            let put = try await fixture.post(members, #"{"user":"ann","role":"moderator"}"#)
            #expect(put.status == 201)
            #expect(put.object["role"] as? String == "moderator")
            #expect(try await root.call(.post, members, #"{"user":"ann","role":"member"}"#).status == 200)
            #expect(try await fixture.post(members, #"{"user":"nobody"}"#).code == "not_found")
            #expect(try await fixture.post(members, #"{"user":"ann","role":"king"}"#).code == "bad_request")
            #expect(try await fixture.post("/v1/admin/threads/no/members", #"{"user":"ann"}"#).code == "not_found")
            #expect(try await root.call(.delete, "\(members)/ann").status == 204)
            #expect(try await root.call(.delete, "\(members)/ann").code == "not_found")
            #expect(try await fixture.delete("\(members)/nobody").code == "not_found")
            let bodies = try await fixture.rest.memory.events(in: ThreadID(trusted: "t-1"), after: 0, limit: 9).events
                .map(\.body)
            let (id, by) = (ann.user.id, root.user.id)
            #expect(
                bodies == [
                    .joined(ann.user, by: nil), .role(id, .moderator, by: id), .role(id, .member, by: by),
                    .left(ann.user, by: by),
                ])
            let heard = fixture.rest.heard.control(of: id)
            #expect(heard.count == 3)
            let left = try await fixture.rest.memory.head(of: ThreadID(trusted: "t-1"))?.position
            #expect(left?.seq == 4 && heard.last == .removed(ThreadID(trusted: "t-1"), left: left))
        }
    }

    @Test("nobody can be added to the direct thread of two others")
    func directThreads() async throws {
        try await AdminFixture.run { fixture in
            let (ann, bob) = (try await fixture.rest.sessionUser("ann"), try await fixture.rest.sessionUser("bob"))
            _ = try await fixture.rest.sessionUser("cy")
            let direct = try await ann.call(.post, "/v1/direct", #"{"user":"\#(bob.user.id)"}"#)
            let id = try #require(direct.object["id"] as? String)
            #expect(try await fixture.post("/v1/admin/threads/\(id)/members", #"{"user":"cy"}"#).status == 403)
            #expect(try await fixture.delete("/v1/admin/threads/\(id)/members/bob").status == 403)
        }
    }

    @Test("ending a user's sessions voids them at once, notifies their sockets, and asks all nodes to close the rest")
    func endSessions() async throws {
        try await AdminFixture.run { fixture in
            let ann = try await fixture.rest.sessionUser("ann")
            let again = try await fixture.rest.post(
                "/auth/login", form: ["username": "ann", "password": "correct horse"])
            #expect(again.status == 200)
            try await fixture.rest.node.subscribe(to: [.user(ann.user.id)])
            let other = fixture.rest.nodes.makeRegistry()
            try await other.put(fixture.status("other", "gateway", instance: other.instance))
            async let reply = fixture.post("/v1/admin/users/ann/revoke-sessions")
            let request = try await fixture.requests(to: other)
            #expect(request.content == .closeSockets(ann.user.id))
            #expect(try await ann.get("/v1/me").status == 401)
            try await other.reply(NodeReply(request: request.id, instance: other.instance))
            #expect(try await reply.text == #"{"sessions":2,"silent_nodes":[]}"#)
            // One for each session, and one to reload the user.
            #expect(fixture.rest.heard.control(of: ann.user.id).count == 3)
            #expect(try await fixture.post("/v1/admin/users/nobody/revoke-sessions").code == "not_found")
        }
    }

    @Test("an operator lists a user's sessions page by page, and ends one or all, with rows in the audit log")
    func userSessions() async throws {
        try await AdminFixture.run { fixture in
            let (ann, root) = (try await fixture.rest.sessionUser("ann"), try await fixture.root())
            let again = try await fixture.rest.post(
                "/auth/login", form: ["username": "ann", "password": "correct horse"])
            #expect(again.status == 200)
            let path = "/v1/admin/users/ann/sessions"
            let first = try await root.get("\(path)?limit=1").object
            let cursor = try #require(first["next_cursor"] as? String)
            let second = try await root.get("\(path)?limit=1&cursor=\(cursor)").object
            #expect(second["next_cursor"] is NSNull)
            let listed = try #require(try await fixture.get(path).object["sessions"] as? [[String: Any]])
            #expect(listed.compactMap { $0["current"] as? Bool } == [false, false])
            let ids = [first, second].compactMap { ($0["sessions"] as? [[String: Any]])?.first?["id"] as? String }
            #expect(listed.compactMap { $0["id"] as? String } == ids)
            let own = try await root.get("/v1/admin/users/root/sessions").object["sessions"] as? [[String: Any]]
            #expect(own?.compactMap { $0["current"] as? Bool } == [true])
            // A session of another user, a text that is no ID, and an ID without a session.
            for wrong in ["/v1/admin/users/root/sessions/\(ids[0])", "\(path)/none", "\(path)/0000000000000000"] {
                #expect(try await root.call(.delete, wrong, "").code == "not_found", "\(wrong)")
            }
            #expect(try await root.get("/v1/admin/users/nobody/sessions").code == "not_found")
            #expect(try await root.get("\(path)?limit=201").code == "bad_request")
            for id in ids { #expect(try await root.call(.delete, "\(path)/\(id)", "").status == 204) }
            #expect(try await ann.get("/v1/me").status == 401)
            #expect(try await root.call(.delete, "\(path)/\(ids[0])", "").code == "not_found")
            #expect(try await fixture.delete(path).text == #"{"sessions":0,"silent_nodes":[]}"#)
            let audit = try await fixture.get("/v1/admin/audit?user=ann").object["entries"] as? [[String: Any]]
            #expect(
                audit?.compactMap { $0["action"] as? String }
                    == ["sessions_revoked", "session_revoked", "session_revoked", "account_created"])
        }
    }

    @Test("a node is drained by name or instance, if it is unambiguous and replies")
    func drain() async throws {
        try await AdminFixture.run { fixture in
            let registries = (0..<3).map { _ in fixture.rest.nodes.makeRegistry() }
            for (nodeRegistry, name) in zip(registries, ["a", "twin", "twin"]) {
                try await nodeRegistry.put(fixture.status(name, "gateway", instance: nodeRegistry.instance))
            }
            for (name, nodeRegistry) in [("a", registries[0]), (registries[1].instance, registries[1])] {
                async let reply = fixture.post("/v1/admin/nodes/\(name)/drain")
                let request = try await fixture.requests(to: nodeRegistry)
                #expect(request.content == .drain)
                try await nodeRegistry.reply(
                    NodeReply(request: request.id, instance: nodeRegistry.instance, count: 1))
                let response = try await reply
                #expect(response.status == 202)
                #expect(response.object["instance"] as? String == nodeRegistry.instance)
            }
            let twins = try await fixture.post("/v1/admin/nodes/twin/drain")
            #expect(twins.code == "conflict")
            #expect(twins.message?.contains(registries[2].instance) == true)
            #expect(try await fixture.post("/v1/admin/nodes/nowhere/drain").code == "not_found")
        }
    }

    @Test("a node without a reply is named, or the call fails")
    func silence() async throws {
        try await AdminFixture.run(timeout: .milliseconds(50)) { fixture in
            _ = try await fixture.rest.sessionUser("ann")
            try await fixture.rest.nodeRegistry.put(fixture.status("silent", "gateway", instance: "s"))
            let ended = try await fixture.post("/v1/admin/users/ann/revoke-sessions")
            #expect(ended.text == #"{"sessions":1,"silent_nodes":["silent"]}"#)
            let late = try await fixture.post("/v1/admin/nodes/silent/drain")
            #expect(late.status == 503)
            #expect(late.code == "unavailable")
            #expect(late.header("Retry-After") != nil)
        }
    }
}
