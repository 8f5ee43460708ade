import HTTPTypes
import ParleyAccounts
import ParleyMetrics
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Synchronization
import Testing

@Suite("The history of a thread")
struct HistoryTests {
    private static let key = "pk_0123456789abcdef0123456789abcdef"

    /// The content of a page, with seqs for messages.
    private struct Page: Equatable, CustomStringConvertible {
        var seqs: [Int]
        var before: Bool
        var after: Bool

        var description: String { "\(before ? "…" : "|") \(seqs) \(after ? "…" : "|")" }
    }

    private static func page(_ sessionUser: SessionUser, _ thread: ThreadID, _ query: String) async throws -> Page {
        let reply = try await sessionUser.get("/v1/threads/\(thread)/messages?\(query)")
        let messages = try #require(reply.object["messages"] as? [[String: Any]], "\(reply.text)")
        return Page(
            seqs: messages.map { $0["seq"] as? Int ?? -1 },
            before: try #require(reply.object["has_more_before"] as? Bool),
            after: try #require(reply.object["has_more_after"] as? Bool))
    }

    @Test("messages and events have the form of frames on sockets")
    func shapes() async throws {
        try await RESTFixture.run { fixture in
            fixture.clock.advance(milliseconds: 1500)
            let alice = try await fixture.sessionUser("alice")
            let thread = try await alice.join("Room")
            let said = try await fixture.say("a\"é👍", by: alice.user, in: thread, id: "m1", clientID: "c1")
            try await fixture.persist()
            let epoch = said.position.epoch
            let place =
                #""thread_id":"\#(thread)","seq":2,"epoch":"\#(epoch)","date_ms":1790000001500,"client_id":"c1","#
            let message =
                #"{"id":"m1","date":1790000001,"text":"a\"é👍","sender_id":"\#(alice.user.id)","#
                + #""sender_name":"alice",\#(place)"type":"message"}"#
            let joined =
                #"{"type":"joined","thread_id":"\#(thread)","epoch":"\#(epoch)","seq":1,"date":1790000001,"#
                + #""date_ms":1790000001500,"user_id":"\#(alice.user.id)","username":"alice","#
                + #""by_id":"\#(alice.user.id)"}"#
            let page = try await alice.get("/v1/threads/\(thread)/messages")
            #expect(page.header("Content-Type") == "application/json; charset=utf-8")
            #expect(page.header("Cache-Control") == "no-store")
            #expect(
                page.text == #"{"messages":[\#(message)],"has_more_before":false,"has_more_after":false,"#
                    + #""epoch":"\#(epoch)","head_seq":2}"#)
            #expect(
                try await alice.get("/v1/threads/\(thread)/events").text
                    == #"{"events":[\#(joined),\#(message)],"has_more":false,"epoch":"\#(epoch)","head_seq":2}"#)
        }
    }

    @Test("pages are at the requested place, in ascending order, and report whether more follows on either side")
    func paging() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let thread = try await alice.join("Room")
            // The message of seq n + 1 is sent n seconds after the start; the last two are in the same second.
            for number in 1...59 {
                fixture.clock.advance(milliseconds: number == 59 ? 500 : 1000)
                try await fixture.say("\(number)", by: alice.user, in: thread)
            }
            try await fixture.persist()
            let start: Int64 = 1_790_000_000
            let cases: [(String, ClosedRange<Int>?, Bool, Bool)] = [
                ("", 31...60, true, false), ("limit=1", 60...60, true, false), ("limit=200", 2...60, false, false),
                ("before_seq=31", 2...30, false, true), ("before_seq=32&limit=29", 3...31, true, true),
                ("before_seq=2", nil, false, true), ("before_seq=0", nil, false, true),
                ("before_seq=9007199254740991&limit=2", 59...60, true, false),
                ("after_seq=0&limit=3", 2...4, false, true), ("after_seq=58&limit=3", 59...60, true, false),
                ("after_seq=60", nil, true, false), ("after_seq=2&limit=58", 3...60, true, false),
                ("around_seq=30&limit=5", 28...32, true, true), ("around_seq=30&limit=4", 28...31, true, true),
                ("around_seq=30", 15...44, true, true), ("around_seq=30&limit=1", 30...30, true, true),
                ("around_seq=2&limit=5", 2...4, false, true), ("around_seq=60&limit=5", 58...60, true, false),
                ("around_seq=1&limit=4", 2...3, false, true), ("around_seq=99&limit=4", 59...60, true, false),
                ("at=\((start + 30) * 1000)&limit=3", 29...31, true, true),
                ("at=\((start + 30) * 1000 - 1)&limit=3", 28...30, true, true),
                ("at=0", nil, false, true),
                (
                    "at=999999999999999&limit=9".replacing("999999999999999", with: "253402300799999"), 52...60, true,
                    false
                ),
                ("at=2026-09-21T14:13:50Z&limit=2", 30...31, true, true),
                ("at=2026-09-21T14:13:49.999999Z&limit=2", 29...30, true, true),
                ("at=2026-09-21T16:13:50%2B02:00&limit=2", 30...31, true, true),
                ("at=2026-09-21T16:13:50+02:00&limit=2", 30...31, true, true),
                ("at=1969-12-31t23:59:59z", nil, false, true),
            ]
            for (query, seqs, before, after) in cases {
                let expected = Page(seqs: seqs.map(Array.init) ?? [], before: before, after: after)
                #expect(try await Self.page(alice, thread, query) == expected, "\(query)")
            }
        }
    }

    @Test("the log is read from its beginning, page by page, without a gap")
    func log() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bob = try await fixture.sessionUser("bob")
            let thread = try await alice.join("Room")
            for number in 1...120 {
                if number == 60 { _ = try await bob.join("Room") }
                try await fixture.say("\(number)", by: alice.user, in: thread)
            }
            try await fixture.persist()
            var seqs: [Int] = []
            var types: [String] = []
            while true {
                let reply = try await bob.get("/v1/threads/\(thread)/events?after_seq=\(seqs.last ?? 0)&limit=50")
                let events = try #require(reply.object["events"] as? [[String: Any]], "\(reply.text)")
                seqs += events.map { $0["seq"] as? Int ?? -1 }
                types += events.map { $0["type"] as? String ?? "" }
                #expect(reply.object["head_seq"] as? Int == 122)
                guard try #require(reply.object["has_more"] as? Bool) else { break }
                #expect(events.count == 50)
            }
            #expect(seqs == Array(1...122))
            #expect(types.count { $0 == "joined" } == 2)
            #expect(types.count { $0 == "message" } == 120)
            let unasked = try await bob.get("/v1/threads/\(thread)/events").object["events"] as? [Any]
            #expect(unasked?.count == 100)
            let most = try await bob.get("/v1/threads/\(thread)/events?limit=1000").object["events"] as? [Any]
            #expect(most?.count == 122)
        }
    }

    @Test(
        "bad queries are 400 and name the error",
        arguments: [
            ("messages", "limit=0", "1 to 200"), ("messages", "limit=201", "1 to 200"), ("messages", "limit=", "limit"),
            ("messages", "limit=-1", "limit"), ("messages", "limit=ten", "limit"),
            ("messages", "before_seq=9007199254740992", "before_seq"), ("messages", "after_seq=x", "after_seq"),
            ("messages", "around_seq=-1", "around_seq"), ("messages", "before_seq=1&after_seq=1", "at most one"),
            ("messages", "around_seq=1&at=5", "at most one"), ("messages", "at=yesterday", "RFC 3339"),
            ("messages", "at=", "RFC 3339"), ("messages", "at=2026-09-21", "RFC 3339"),
            ("messages", "at=253402300800000", "RFC 3339"), ("messages", "at=1&at=1", "more than once"),
            ("events", "limit=0", "1 to 1000"), ("events", "limit=1001", "1 to 1000"),
            ("events", "after_seq=-1", "after_seq"), ("events", "after_seq=9007199254740992", "after_seq"),
        ])
    func badQueries(call: String, query: String, message: String) async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let thread = try await alice.join("Room")
            let reply = try await alice.get("/v1/threads/\(thread)/\(call)?\(query)")
            #expect(reply.status == 400)
            #expect(reply.code == "bad_request")
            #expect(reply.message?.contains(message) == true, "\(reply.text)")
        }
    }

    @Test(
        "other users' threads are 403, unknown ones 404, and unauthenticated calls 401",
        arguments: ["messages", "events"])
    func rejections(call: String) async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bob = try await fixture.sessionUser("bob")
            let thread = try await alice.join("Room")
            let foreign = try await bob.get("/v1/threads/\(thread)/\(call)")
            #expect(foreign.status == 403)
            #expect(foreign.code == "not_a_member")
            #expect(foreign.header("X-Request-Id") != nil)
            for id in ["nowhere", "no%20id", "%ff", String(repeating: "a", count: 91)] {
                let reply = try await alice.get("/v1/threads/\(id)/\(call)")
                #expect(reply.status == 404, "\(id)")
                #expect(reply.code == "not_found")
            }
            #expect(try await fixture.send(.get, "/v1/threads/\(thread)/\(call)").status == 401)
            #expect(try await alice.call(.put, "/v1/threads/\(thread)/\(call)").status == 405)
            // A path has one spelling: characters that need no percent-encoding must not have it.
            let encoded = "%\(String(thread.text.utf8.first ?? 0, radix: 16))" + thread.text.dropFirst()
            #expect(try await alice.get("/v1/threads/\(encoded)/\(call)").status == 404)
        }
    }

    @Test("an API key reads every thread and user, and acting for a user what that user may")
    func service() async throws {
        try await RESTFixture.run({ $0.settings.apiKeys = try APIKeys(parsing: "backend:\(Self.key)") }) { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bob = try await fixture.sessionUser("bob")
            let thread = try await alice.join("Room")
            try await fixture.say("hi", by: alice.user, in: thread)
            try await fixture.persist()
            let service = [("Authorization", "Bearer \(Self.key)")]
            for (path, status) in [
                ("/v1/threads/\(thread)/messages", 200), ("/v1/threads/\(thread)/events", 200),
                ("/v1/users/\(alice.user.id)", 200), ("/v1/threads/nowhere/events", 404), ("/v1/threads", 403),
            ] {
                #expect(try await fixture.send(.get, path, headers: service).status == status, "\(path)")
            }
            for (user, status) in [(alice.user.name, 200), (bob.user.id.text, 403), ("nobody", 401)] {
                let reply = try await fixture.send(
                    .get, "/v1/threads/\(thread)/messages", headers: service + [("X-Parley-User", user)])
                #expect(reply.status == status, "\(user)")
            }
        }
    }

    @Test("reading history marks nothing as read")
    func readsOnly() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bob = try await fixture.sessionUser("bob")
            let thread = try await alice.join("Room")
            _ = try await bob.join("Room")
            try await fixture.say("hi", by: alice.user, in: thread)
            try await fixture.persist()
            _ = try await bob.get("/v1/threads/\(thread)/messages")
            _ = try await bob.get("/v1/threads/\(thread)/events")
            #expect(try await bob.inbox().first?.unread == 1)
        }
    }

    @Test("an unavailable database is 503 with a retry delay")
    func databaseAway() async throws {
        try await RESTFixture.run({ $0.settings.apiKeys = try APIKeys(parsing: "backend:\(Self.key)") }) { fixture in
            let alice = try await fixture.sessionUser("alice")
            let thread = try await alice.join("Room")
            try await fixture.store.close()
            let service = ("Authorization", "Bearer \(Self.key)")
            for path in [
                "/v1/threads/\(thread)/messages", "/v1/threads/\(thread)/events", "/v1/users/x", "/v1/threads",
            ] {
                for headers in [[alice.cookie], [service], [service, ("X-Parley-User", "alice")]]
                where path != "/v1/threads" || headers.count != 1 || headers[0].0 == "Cookie" {
                    let reply = try await fixture.send(.get, path, headers: headers)
                    #expect(reply.status == 503, "\(path) \(reply.text)")
                    #expect(reply.code == "unavailable")
                    #expect(reply.header("Retry-After") == "1")
                    #expect(!reply.text.contains("sqlite"))
                }
            }
        }
    }

    @Test("concurrent equal pages are read once at a time, and never older than the request")
    func shared() async throws {
        let gated = Mutex<GatedStore?>(nil)
        try await RESTFixture.run({
            $0.reading = { store in
                let gate = GatedStore(store)
                gated.withLock { $0 = gate }
                return gate
            }
        }) { fixture in
            let store = try #require(gated.withLock { $0 })
            let alice = try await fixture.sessionUser("alice")
            let thread = try await alice.join("Room")
            try await fixture.persist()
            store.shut()
            try await withThrowingTaskGroup(of: Int.self) { group in
                func ask() {
                    group.addTask {
                        let reply = try await alice.get("/v1/threads/\(thread)/messages")
                        return (reply.object["messages"] as? [Any])?.count ?? -1
                    }
                }
                ask()
                try #require(try await eventually { store.pages > 0 })
                // The page was read; a message sent now must be in the responses to later requests.
                try await fixture.say("hi", by: alice.user, in: thread)
                try await fixture.persist()
                for _ in 0..<50 { ask() }
                // Another page is read independently.
                group.addTask {
                    let reply = try await alice.get("/v1/threads/\(thread)/messages?limit=7")
                    return (reply.object["messages"] as? [Any])?.count ?? -1
                }
                try #require(try await eventually { store.pages >= 2 })
                #expect(store.pages == 2)
                store.open()
                var counts: [Int] = []
                for try await count in group { counts.append(count) }
                #expect(counts.count { $0 == 0 } == 1)
                #expect(counts.count { $0 == 1 } == 51)
                // Late requests may have caused another read, but never one each.
                #expect(store.pages < 20)
            }
            let metrics = fixture.registry.text()
            #expect(metrics.contains("parley_page_reads_total{outcome=\"shared\"}"))
            #expect(metrics.contains("route=\"/v1/threads/{id}/messages\""))
            #expect(!metrics.contains(thread.text))
        }
    }
}
