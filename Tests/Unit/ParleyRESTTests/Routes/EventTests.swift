import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ParleyAccounts
import ParleyModel
import ParleyREST
import ParleySQLite
import ParleyTestContracts
import Testing

@Suite("The stream of events over REST")
struct EventTests {
    private static let key = "pk_0123456789abcdef0123456789abcdef"
    private static let service = [("Authorization", "Bearer \(key)")]
    private static let path = "/v1/admin/events"

    private static func run(_ test: (RESTFixture) async throws -> Void) async throws {
        try await RESTFixture.run({ $0.settings.apiKeys = try APIKeys(parsing: "backend:\(key)") }, test)
    }

    private static func lines(_ reply: Reply) throws -> [[String: Any]] {
        try reply.text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    private static func texts(_ reply: Reply) throws -> [String] {
        try lines(reply).compactMap { ($0["event"] as? [String: Any])?["text"] as? String }
    }

    @Test("has a line for each event with its id, and then the cursor to continue from")
    func lines() async throws {
        try await Self.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let room = try await alice.join("Room")
            try await fixture.say("one", by: alice.user, in: room)
            try await fixture.say("two", by: alice.user, in: room)
            try await fixture.persist()
            let reply = try await fixture.send(.get, Self.path, headers: Self.service)
            #expect(reply.status == 200)
            #expect(reply.header("Content-Type") == "application/x-ndjson")
            let lines = try Self.lines(reply)
            #expect(lines.count == 4)
            let events = lines.compactMap { $0["event"] as? [String: Any] }
            #expect(events.map { $0["type"] as? String } == ["joined", "message", "message"])
            for (line, event) in zip(lines, events) {
                #expect(line["id"] as? String == "\(room):\(event["epoch"] ?? ""):\(event["seq"] ?? "")")
            }
            let cursor = try #require(lines[3]["cursor"] as? String)
            #expect(lines[3]["end"] as? Bool == true)

            // From there, from the end, and one by one.
            try await fixture.say("three", by: alice.user, in: room)
            try await fixture.persist()
            let rest = try await fixture.send(.get, "\(Self.path)?after=\(cursor)", headers: Self.service)
            #expect(try Self.texts(rest) == ["three"])
            let none = try await fixture.send(.get, "\(Self.path)?after=end", headers: Self.service)
            #expect(try Self.lines(none).count == 1)
            let first = try await fixture.send(.get, "\(Self.path)?limit=1&kinds=message", headers: Self.service)
            #expect(try Self.texts(first) == ["one"])
            #expect(try Self.lines(first).last?["end"] as? Bool == false)
            let next = try #require(try Self.lines(first).last?["cursor"] as? String)
            let second = try await fixture.send(
                .get, "\(Self.path)?limit=1&kinds=message&after=\(next)", headers: Self.service)
            #expect(try Self.texts(second) == ["two"])
        }
    }

    @Test("as server-sent events it has types, data, and a cursor that a client repeats")
    func serverSent() async throws {
        try await Self.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let room = try await alice.join("Room")
            try await fixture.say("one", by: alice.user, in: room)
            try await fixture.persist()
            let headers = Self.service + [("Accept", "text/event-stream")]
            let reply = try await fixture.send(.get, "\(Self.path)?limit=2", headers: headers)
            #expect(reply.header("Content-Type") == "text/event-stream")
            let blocks = reply.text.split(separator: "\n\n")
            #expect(blocks[0] == "retry: 1000")
            #expect(blocks[1].hasPrefix("event: joined\ndata: {\"id\":"))
            let last = blocks[2].split(separator: "\n")
            #expect(last[0] == "event: message")
            #expect(last[2].hasPrefix("data: "))
            let cursor = String(last[1].dropFirst("id: ".count))
            try await fixture.say("two", by: alice.user, in: room)
            try await fixture.persist()
            let again = try await fixture.send(
                .get, "\(Self.path)?limit=1&after=start", headers: headers + [("Last-Event-ID", cursor)])
            #expect(again.text.contains("\"text\":\"two\""))
            #expect(!again.text.contains("\"text\":\"one\""))
        }
    }

    @Test("has the rows of the audit log as the log itself has them, for readers that ask for them")
    func audit() async throws {
        try await Self.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let room = try await alice.join("Room")
            try await fixture.say("one", by: alice.user, in: room)
            try await fixture.persist()
            _ = try await fixture.store.suspend(
                alice.user.id, Suspension(reason: "spam"), by: .key("backend"), at: fixture.clock.milliseconds)
            let log = try await fixture.send(.get, "/v1/admin/audit", headers: Self.service)
            let rows = try #require(log.object["entries"] as? [[String: Any]])
            #expect(rows.contains { $0["action"] as? String == "suspended" })
            let reply = try await fixture.send(.get, "\(Self.path)?kinds=audit", headers: Self.service)
            var events = try Self.lines(reply).compactMap { $0["event"] as? [String: Any] }
            for index in events.indices {
                #expect(events[index].removeValue(forKey: "type") as? String == "audit")
            }
            #expect(events as NSArray == Array(rows.reversed()) as NSArray)
            for (line, row) in zip(try Self.lines(reply), rows.reversed()) {
                #expect(line["id"] as? String == "audit:\(row["id"] ?? "")-\(row["at_ms"] ?? "")")
            }
            for (kinds, texts, count) in [("all", ["one"], rows.count), ("message,audit", ["one"], rows.count)] {
                let all = try await fixture.send(.get, "\(Self.path)?kinds=\(kinds)", headers: Self.service)
                #expect(try Self.texts(all) == texts)
                #expect(try Self.lines(all).count { ($0["id"] as? String)?.hasPrefix("audit:") == true } == count)
            }
            let without = try await fixture.send(.get, Self.path, headers: Self.service)
            #expect(!without.text.contains("audit:"))
            let sse = try await fixture.send(
                .get, "\(Self.path)?kinds=audit&limit=1", headers: Self.service + [("Accept", "text/event-stream")])
            #expect(sse.text.contains("event: audit\nid: ") && sse.text.contains("\ndata: {\"id\":\"audit:"))
        }
    }

    @Test("has the messages that their recipients have not seen, for readers that ask for them")
    func unseen() async throws {
        try await Self.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let room = try await alice.join("Room")
            try await fixture.say("one", by: alice.user, in: room)
            try await fixture.persist()
            let logs = try #require(try await fixture.store.events(after: .start, EventQuery(kinds: [.message])))
            let event = try #require(logs.events.first)
            let id = UnseenMessage.ID(user: alice.user.id, thread: event.thread, position: event.position)
            let row = UnseenMessage(
                id: id, milliseconds: 7, unread: 2, unreadTotal: 3, isMention: true, isQuiet: false)
            #expect(try await fixture.store.addUnseen([row]) == [id])
            for kinds in ["unseen", "all", "unseen&user=\(alice.user.id.text)"] {
                let reply = try await fixture.send(.get, "\(Self.path)?kinds=\(kinds)", headers: Self.service)
                let line = try #require(try Self.lines(reply).first { $0["id"] as? String == id.feedID })
                let content = try #require(line["event"] as? [String: Any])
                let expected: [String: Any] = [
                    "type": "unseen", "thread_id": event.thread.text, "seq": event.position.seq, "at_ms": 7,
                    "user_id": alice.user.id.text, "unread": ["thread": 2, "total": 3], "mention": true,
                    "quiet": false, "collapse_key": row.collapseKey,
                ]
                #expect(content as NSDictionary == expected as NSDictionary)
            }
            for kinds in ["", "?kinds=message,audit"] {
                let reply = try await fixture.send(.get, "\(Self.path)\(kinds)", headers: Self.service)
                #expect(!reply.text.contains("unseen:"))
            }
        }
    }

    @Test("is for API keys that act for no user, and explains what is wrong")
    func refusals() async throws {
        try await Self.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let acting = Self.service + [("X-Parley-User", alice.user.id.text)]
            let cases: [(query: String, headers: [(String, String)], status: Int, says: String)] = [
                ("", [], 401, "credentials"), ("", [alice.cookie], 403, "API key"), ("", acting, 403, "API key"),
                ("after=x", Self.service, 400, "start, end"), ("limit=0", Self.service, 400, "1 to 1000"),
                ("limit=1001", Self.service, 400, "1 to 1000"), ("kinds=message,", Self.service, 400, "visibility"),
                ("follow=yes", Self.service, 400, "0 or 1"), ("thread=a%20b", Self.service, 400, "thread"),
                ("user=ghost", Self.service, 404, "user"), ("after=01000100", Self.service, 409, "restored"),
                ("after=01050100", Self.service, 409, "restored"),
            ]
            for (query, headers, status, says) in cases {
                let reply = try await fixture.send(.get, "\(Self.path)?\(query)", headers: headers)
                #expect(reply.status == status, "\(query): \(reply.text)")
                #expect(reply.message?.contains(says) == true, "\(query): \(reply.text)")
                if status == 409 { #expect(reply.code == "rolled_back") }
            }
        }
    }

    @Test(
        "an answer of a group that fails before its first part leaves the lease to others, and texts say what is wrong")
    func groups() async throws {
        try await Self.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let room = try await alice.join("Room")
            try await fixture.say("one", by: alice.user, in: room)
            try await fixture.persist()
            func read(_ worker: String, _ query: String = "") async throws -> Reply {
                try await fixture.send(
                    .get, "\(Self.path)?group=crm&worker=\(worker)\(query)", headers: Self.service)
            }
            func put(_ json: String) async throws -> Reply {
                let headers = Self.service + [("Content-Type", "application/json")]
                return try await fixture.send(
                    .put, "/v1/admin/event-groups/crm", headers: headers, body: Array(json.utf8))
            }
            // The database does not have this place, where the new group is.
            #expect(try await read("a", "&after=01050100").code == "rolled_back")
            #expect(try await read("b").code == "rolled_back")
            #expect(try await put(#"{"cursor":"start"}"#).status == 204)
            let answer = try await read("b", "&limit=1")
            #expect(answer.status == 200)
            let first = try #require(try Self.lines(answer).last?["cursor"] as? String)
            let second = try #require(try Self.lines(try await read("b")).last?["cursor"] as? String)
            #expect(try await read("c").message == "the worker b reads for the group crm")
            #expect(try await put(#"{"cursor":"\#(second)","worker":"b"}"#).status == 204)
            let behind = try await put(#"{"cursor":"\#(first)","worker":"b"}"#)
            #expect(behind.code == "conflict" && behind.message?.contains("behind") == true)
            #expect(try await put(#"{"cursor":"\#(second)","worker":"c"}"#).message?.contains("b does") == true)
            #expect(try await put(#"{"cursor":"start"}"#).status == 204)
            let moved = try await put(#"{"cursor":"\#(second)","worker":"b"}"#)
            #expect(moved.code == "conflict" && moved.message?.contains("was moved") == true)
            #expect(try await read("c").status == 200)
            let list = try await fixture.send(.get, "/v1/admin/event-groups", headers: Self.service)
            let group = try #require((list.object["groups"] as? [[String: Any]])?.first)
            #expect(try #require(group["lag_ms"] as? Int) >= 0)
            #expect(try await put(#"{"cursor":"end"}"#).status == 204)
            let atEnd = try await fixture.send(.get, "/v1/admin/event-groups", headers: Self.service)
            #expect((atEnd.object["groups"] as? [[String: Any]])?.first?["lag_ms"] is NSNull)
        }
    }

    @Test("a place is free again when its response is dropped, and no more readers than the limit have one")
    func places() throws {
        let followers = EventFollowers(maximum: 2)
        let first = try followers.begin()
        var second: EventFollowers.Place? = try followers.begin()
        #expect(throws: (any Error).self) { try followers.begin() }
        #expect(second?.mustEnd == false)
        second = nil
        second = try followers.begin()
        #expect(throws: (any Error).self) { try followers.begin() }
        first.close()
        #expect(first.mustEnd)
        let draining = try EventFollowers(maximum: 1, isDraining: { true }).begin()
        #expect(draining.mustEnd)
    }
}
