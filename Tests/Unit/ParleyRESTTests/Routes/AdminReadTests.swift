import Foundation
import HTTPTypes
import ParleyAccounts
import ParleyMemory
import ParleyModel
import ParleySQLite
import Testing

@Suite("Views for operators")
struct AdminReadTests {
    @Test("the nodes are listed with totals, backlog, and the state of Redis and the database")
    func overview() async throws {
        try await AdminFixture.run { fixture in
            var gateway = fixture.status("gateway1", "gateway", instance: "i1")
            (gateway.sockets, gateway.users, gateway.messagesIn, gateway.cpu) = (10, 9, 1.25, 0.5)
            gateway.redis = LinkStatus(problem: nil, milliseconds: 0.4)
            gateway.database = LinkStatus(problem: nil, milliseconds: 1.5)
            gateway.busiest = [ThreadRate(thread: ThreadID(trusted: "t"), eventsPerSecond: 2)]
            var persister = fixture.status("persister1", "persister", instance: "i2")
            persister.persister = PersisterStatus(partitions: 64, lagEvents: 7, lagSeconds: 0.25)
            persister.pushes = [.web: [.delivered: 3, .misconfigured: 1]]
            persister.redis = LinkStatus(problem: "it is <away>", milliseconds: 1000)
            persister.database = LinkStatus(problem: nil, milliseconds: 2.5)
            for status in [gateway, persister] { try await fixture.rest.nodeRegistry.put(status) }
            let overview = try await fixture.get("/v1/admin/overview")
            #expect(overview.status == 200)
            #expect(overview.header("Cache-Control") == "no-store")
            let object = overview.object
            let totals = try #require(object["totals"] as? [String: Any])
            #expect(totals["nodes"] as? Int == 3)
            #expect(totals["sockets"] as? Int == 10)
            #expect(totals["messages_in_per_second"] as? Double == 1.25)
            let persist = try #require(object["persist"] as? [String: Any])
            #expect(persist["lag_events"] as? Int == 7)
            #expect(persist["lag_seconds"] as? Double == 0.25)
            let redis = try #require(object["redis"] as? [String: Any])
            #expect(redis["state"] as? String == "partly")
            #expect(redis["unavailable_on"] as? [String] == ["persister1"])
            #expect(redis["reason"] as? String == "it is <away>")
            let database = try #require(object["database"] as? [String: Any])
            #expect(database["state"] as? String == "up")
            #expect(database["latency_ms"] as? Double == 2.5)
            #expect((object["registry"] as? [String: Any])?["state"] as? String == "up")
            let nodes = try #require(object["nodes"] as? [[String: Any]])
            #expect(nodes.map { $0["node"] as? String } == ["gateway1", "persister1", "own"])
            #expect(nodes[0]["sockets"] as? Int == 10)
            #expect(nodes[0]["pushes"] == nil)
            let pushes = try #require(nodes[1]["pushes"] as? [String: [String: Int]])
            let outcomes = ["delivered": 3, "gone": 0, "retry": 0, "refused": 0, "misconfigured": 1]
            #expect(pushes == ["web": outcomes])
            #expect(nodes.allSatisfy { $0["busiest"] == nil })
            let list = try await fixture.get("/v1/admin/nodes").object
            #expect((list["nodes"] as? [[String: Any]])?.count == 3)
        }
    }

    @Test("the busiest threads of all nodes are listed once each, with their titles")
    func busiest() async throws {
        try await AdminFixture.run { fixture in
            let ann = try await fixture.rest.sessionUser("ann")
            let tea = try await ann.join("Tea")
            let unknown = ThreadID(trusted: "unknown")
            let rates = [
                "g1": [ThreadRate(thread: tea, eventsPerSecond: 3), ThreadRate(thread: unknown, eventsPerSecond: 9)],
                "g2": [ThreadRate(thread: tea, eventsPerSecond: 5)],
            ]
            for (name, rates) in rates {
                var status = fixture.status(name, "gateway", instance: name)
                status.busiest = rates
                try await fixture.rest.nodeRegistry.put(status)
            }
            let reply = try await fixture.get("/v1/admin/threads/top")
            #expect(
                reply.text == #"{"threads":[{"id":"unknown","title":null,"kind":null,"events_per_second":9.0,"#
                    + #""nodes":["g1"]},{"id":"\#(tea)","title":"Tea","kind":"room","events_per_second":5.0,"#
                    + #""nodes":["g1","g2"]}]}"#)
            #expect((try await fixture.get("/v1/admin/threads/top?limit=1").object["threads"] as? [Any])?.count == 1)
            #expect(try await fixture.get("/v1/admin/threads/top?limit=101").code == "bad_request")
        }
    }

    @Test("a user is shown by name or id: profile, threads, live sockets on all nodes; silent nodes are named")
    func user() async throws {
        let response: @Sendable (NodeRequest, String) -> NodeReply = { request, instance in
            guard case .socketsOfUser(let user, let threads) = request.content else {
                return NodeReply(request: request.id, instance: instance)
            }
            let report = SocketReport(
                connection: "c1", user: User(id: user, name: "ann"), dialect: "v1", credential: "session",
                address: "192.0.2.7", connected: 1000, lastSeen: 2000, waitingBytes: 5,
                places: threads.map {
                    .init(thread: $0, position: Position(epoch: Epoch("e"), seq: 4), behind: 2...3)
                })
            return NodeReply(request: request.id, instance: instance, sockets: [report], count: 1)
        }
        try await AdminFixture.run(timeout: .milliseconds(50), response: response) { fixture in
            let ann = try await fixture.rest.sessionUser("ann")
            _ = try await ann.call(.patch, "/v1/me", #"{"display_name":"Ann \"<b>\""}"#)
            let tea = try await ann.join("Tea")
            try await ann.send("hi", in: tea)
            try await fixture.rest.persist()
            try await fixture.rest.nodeRegistry.put(fixture.status("silent", "gateway", instance: "i1"))
            // A persister has no sockets, so it gets no request.
            try await fixture.rest.nodeRegistry.put(fixture.status("persister1", "persister", instance: "i2"))
            for path in ["/v1/admin/users/ann", "/v1/admin/users/\(ann.user.id)"] {
                let reply = try await fixture.get(path)
                #expect(reply.status == 200, "\(reply.text)")
                let object = reply.object
                #expect((object["user"] as? [String: Any])?["display_name"] as? String == "Ann \"<b>\"")
                let threads = try #require(object["threads"] as? [[String: Any]])
                #expect(threads.map { $0["title"] as? String } == ["Tea"])
                #expect(threads[0]["role"] as? String == "owner")
                #expect(threads[0]["seq"] as? Int == 2)
                #expect(threads[0]["unread"] as? Int == 0)
                #expect(object["has_more_threads"] as? Bool == false)
                let sockets = try #require(object["sockets"] as? [[String: Any]])
                #expect(sockets.map { $0["node"] as? String } == ["own"])
                #expect(sockets[0]["address"] as? String == "192.0.2.7")
                let positions = try #require(sockets[0]["positions"] as? [[String: Any]])
                #expect(positions.map { $0["thread_id"] as? String } == [tea.text])
                #expect((positions[0]["behind"] as? [String: Int]) == ["from": 2, "to": 3])
                #expect(object["socket_count"] as? Int == 1)
                #expect(object["silent_nodes"] as? [String] == ["silent"])
            }
            // Message texts are not shown here.
            #expect(!(try await fixture.get("/v1/admin/users/ann").text.contains("\"hi\"")))
            #expect(try await fixture.get("/v1/admin/users/nobody").code == "not_found")
        }
    }

    @Test("a reply by way of the registry is used")
    func otherNode() async throws {
        try await AdminFixture.run { fixture in
            let ann = try await fixture.rest.sessionUser("ann")
            let other = fixture.rest.nodes.makeRegistry()
            try await other.put(fixture.status("other", "gateway", instance: other.instance))
            async let reply = fixture.get("/v1/admin/users/\(ann.user.id)")
            let requested = try await fixture.requests(to: other)
            try await other.reply(NodeReply(request: requested.id, instance: other.instance, count: 3))
            let object = try await reply.object
            #expect(object["socket_count"] as? Int == 3)
            #expect((object["silent_nodes"] as? [String]) == [])
        }
    }

    @Test("a thread is shown: the end of its log, its members by pages, subscribed nodes, live sockets")
    func thread() async throws {
        let response: @Sendable (NodeRequest, String) -> NodeReply = {
            NodeReply(request: $0.id, instance: $1, count: 12, follows: true)
        }
        try await AdminFixture.run(response: response) { fixture in
            let ann = try await fixture.rest.sessionUser("ann")
            let tea = try await ann.join("Tea")
            for name in ["bob", "cy"] { _ = try await fixture.rest.sessionUser(name).join("Tea") }
            try await fixture.rest.persist()
            try await ann.send("hi", in: tea)
            let reply = try await fixture.get("/v1/admin/threads/\(tea)?limit=2")
            let object = reply.object
            #expect(
                (object["thread"] as? [String: String]) == [
                    "id": tea.text, "title": "Tea", "kind": "room", "visibility": "public", "history": "all",
                ])
            // One message is not stored yet.
            #expect(object["seq"] as? Int == 4)
            #expect(object["stored_seq"] as? Int == 3)
            #expect(object["messages"] as? Int == 1)
            #expect(object["nodes"] as? [String] == ["own"])
            #expect(object["socket_count"] as? Int == 12)
            let members = try #require(object["members"] as? [[String: Any]])
            #expect(members.count == 2)
            let cursor = try #require(object["next_cursor"] as? String)
            let rest = try await fixture.get("/v1/admin/threads/\(tea)?limit=2&cursor=\(cursor)").object
            #expect((rest["members"] as? [Any])?.count == 1)
            #expect(rest["next_cursor"] is NSNull)
            #expect(try await fixture.get("/v1/admin/threads/nowhere").code == "not_found")
            #expect(try await fixture.get("/v1/admin/threads/\(tea)?cursor=a%20b").code == "bad_request")
        }
    }

    @Test("users and rooms are found by prefixes of their names, and by their ids")
    func search() async throws {
        try await AdminFixture.run { fixture in
            let ann = try await fixture.rest.sessionUser("ann")
            _ = try await fixture.rest.sessionUser("anna")
            let room = try await ann.join("an old room")
            let found = try await fixture.get("/v1/admin/search?q=an").object
            #expect((found["users"] as? [[String: String]])?.map { $0["username"] } == ["ann", "anna"])
            #expect((found["threads"] as? [[String: String]])?.map { $0["title"] } == ["an old room"])
            let byID = try await fixture.get("/v1/admin/search?q=\(room)").object
            #expect((byID["threads"] as? [[String: String]])?.map { $0["id"] } == [room.text])
            #expect(
                ((try await fixture.get("/v1/admin/search?q=an&limit=1").object["users"]) as? [Any])?.count == 1)
            for query in ["", "?q=", "?q=a&limit=51"] {
                #expect(try await fixture.get("/v1/admin/search\(query)").code == "bad_request", "\(query)")
            }
        }
    }
}
