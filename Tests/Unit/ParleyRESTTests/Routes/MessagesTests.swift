import HTTPTypes
import ParleyMemory
import ParleyModel
import ParleyTestContracts
import Testing

@Suite("The inbox and the messages of a thread")
struct MessagesTests {
    @Test("messages have the fields of frames; the inbox shows the last one and the unread count")
    func shapes() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bob = try await fixture.sessionUser("bob")
            let empty = try await bob.join("Empty")
            fixture.clock.advance(milliseconds: 1500)
            let thread = try await alice.join("Room")
            _ = try await bob.join("Room")
            let first = try await fixture.say("a\"\\\n\u{1}é👍", by: alice.user, in: thread, id: "m1", clientID: "c1")
            try await fixture.say("two", by: alice.user, in: thread, id: "m2")
            try await fixture.persist()

            func json(_ id: String, _ text: String, seq: Int64, _ more: String = "") -> String {
                #"{"id":"\#(id)","date":1790000001,"text":"\#(text)","sender_id":"\#(alice.user.id)","#
                    + #""sender_name":"alice","thread_id":"\#(thread)","seq":\#(seq),"#
                    + #""epoch":"\#(first.position.epoch)","date_ms":1790000001500,\#(more)"type":"message"}"#
            }
            let one = json("m1", #"a\"\\\n\u0001é👍"#, seq: 3, #""client_id":"c1","#)
            let two = json("m2", "two", seq: 4)
            #expect(
                try await bob.get("/messaging/load-inbox").text
                    == #"{"threads":[{"id":"\#(thread)","title":"Room","last_message":\#(two),"unread_count":2},"#
                    + #"{"id":"\#(empty)","title":"Empty","last_message":null,"unread_count":0}]}"#)
            #expect(
                try await bob.get("/messaging/load-messages?id=\(thread)").text
                    == #"{"messages":[\#(two),\#(one)],"end":true}"#)
            #expect(try await bob.inbox().map(\.unread) == [0, 0])
            #expect(try await bob.page(empty) == ([], true))
        }
    }

    @Test("a direct thread has the other user's name as its title")
    func direct() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bob = try await fixture.sessionUser("bob")
            let thread = ThreadInfo.directID(alice.user.id, bob.user.id)
            try await fixture.say("hi", by: alice.user, in: thread, to: bob.user)
            try await fixture.persist()
            #expect(try await alice.inbox().map(\.title) == ["bob"])
            #expect(try await bob.inbox().map(\.title) == ["alice"])
            #expect(try await bob.inbox().map(\.unread) == [1])
            #expect(try await bob.page(thread).texts == ["hi"])
        }
    }

    @Test("pages have thirty messages in both directions, with exclusive bounds")
    func paging() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let thread = try await alice.join("Room")
            // Message n is sent in second n after the start and has seq n + 1.
            for number in 1...65 {
                fixture.clock.advance(milliseconds: 1000)
                try await fixture.say("\(number)", by: alice.user, in: thread)
            }
            try await fixture.persist()
            let start: Int64 = 1_790_000_000
            func texts(_ range: ClosedRange<Int>) -> [String] { range.reversed().map(String.init) }
            #expect(try await alice.page(thread) == (texts(36...65), false))
            #expect(try await alice.page(thread, "&before=\(start + 36)") == (texts(6...35), false))
            #expect(try await alice.page(thread, "&before=\(start + 6)") == (texts(1...5), true))
            #expect(try await alice.page(thread, "&after=\(start)") == (texts(1...30), false))
            #expect(try await alice.page(thread, "&after=\(start + 40)") == (texts(41...65), true))
            #expect(try await alice.page(thread, "&before_seq=37") == (texts(6...35), false))
            #expect(try await alice.page(thread, "&after_seq=61") == (texts(61...65), true))
            #expect(try await alice.page(thread, "&after_seq=0&before_seq=4") == (texts(1...2), true))
            #expect(try await alice.page(thread, "&after=\(start + 9)&before=\(start + 12)") == (texts(10...11), true))
            #expect(try await alice.page(thread, "&before=0") == ([], true))
        }
    }

    @Test("a page is extended to whole seconds, but not if bounded by seq")
    func wholeSeconds() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let thread = try await alice.join("Room")
            for number in 1...50 { try await fixture.say("\(number)", by: alice.user, in: thread) }
            try await fixture.persist()
            #expect(try await alice.page(thread).texts.count == 50)
            #expect(try await alice.page(thread, "&before_seq=51").texts.count == 30)
        }
    }

    @Test("loading any page marks the whole thread as read, but no later messages")
    func marksRead() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bob = try await fixture.sessionUser("bob")
            let thread = try await alice.join("Room")
            _ = try await bob.join("Room")
            for number in 1...3 { try await fixture.say("\(number)", by: alice.user, in: thread) }
            try await fixture.persist()
            #expect(try await bob.inbox().first?.unread == 3)
            _ = try await bob.page(thread, "&before=1")
            #expect(try await bob.inbox().first?.unread == 0)
            try await fixture.say("4", by: alice.user, in: thread)
            try await fixture.persist()
            #expect(try await bob.inbox().first?.unread == 1)
            #expect(try await alice.inbox().first?.unread == 0)
        }
    }

    @Test("members are told of the mark, which is the end of what is stored and never moves a cursor back")
    func tellsMembers() async throws {
        try await RESTFixture.run { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let thread = try await alice.join("Room")
            _ = try await bob.join("Room")
            try await fixture.say("stored", by: alice.user, in: thread)
            try await fixture.persist()
            fixture.node.subscribe(to: [.thread(thread)]) { _ in }
            try await fixture.say("not stored", by: alice.user, in: thread)
            _ = try await bob.page(thread)
            #expect(try await bob.call(.put, "/v1/threads/\(thread)/read", "{}").object["read_seq"] as? Int == 4)
            _ = try await bob.page(thread)
            try await fixture.persist()
            #expect(try await bob.inbox().first?.unread == 0)
            let seqs = fixture.heard.all.compactMap { signal -> Int64? in
                if case .ephemeral(.read(bob.user.id, let seq, _), thread) = signal { seq } else { nil }
            }
            #expect(seqs == [3, 4, 4])
        }
    }

    @Test("a user over the budget of read marks gets the page, and the thread stays unread")
    func overBudget() async throws {
        let change: (inout RESTFixture.Options) -> Void = {
            $0.limits.reads = Budget(perSecond: 1, burst: 1)
            $0.rates = MemoryRateStore(clock: TestClock().wall)
        }
        try await RESTFixture.run(change) { fixture in
            let (alice, bob) = (try await fixture.sessionUser("alice"), try await fixture.sessionUser("bob"))
            let thread = try await alice.join("Room")
            _ = try await bob.join("Room")
            try await fixture.persist()
            _ = try await bob.page(thread)
            try await fixture.say("unread", by: alice.user, in: thread)
            try await fixture.persist()
            _ = try await bob.page(thread)
            #expect(try await bob.inbox().first?.unread == 1)
        }
    }

    @Test("unknown threads are 404, other users' threads 403")
    func rejections() async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let bob = try await fixture.sessionUser("bob")
            let thread = try await alice.join("Room")
            let foreign = try await bob.get("/messaging/load-messages?id=\(thread)")
            #expect(foreign.status == 403)
            #expect(foreign.code == "not_a_member")
            for id in ["ffffffffffffffffffffffffffffffff", "no%20id", "..%2F..", String(repeating: "a", count: 91)] {
                let reply = try await alice.get("/messaging/load-messages?id=\(id)")
                #expect(reply.status == 404, "\(id)")
                #expect(reply.code == "not_found")
            }
        }
    }

    @Test(
        "errors of bad queries name the field",
        arguments: [
            ("", "id"), ("?", "id"), ("?id", "id"), ("?id=", "id"), ("?id=x&id=x", "id"), ("?id=%00", "id"),
            ("?id=x&before=", "before"), ("?id=x&before=soon", "before"), ("?id=x&before=-1", "before"),
            ("?id=x&before=%2B5", "before"), ("?id=x&before=+5", "before"), ("?id=x&before=1.5", "before"),
            ("?id=x&before=1e3", "before"), ("?id=x&after=99999999999999999999", "after"),
            ("?id=x&after=9223372036854775807", "after"), ("?id=x&before_seq=9223372036854775807", "before_seq"),
            ("?id=x&after_seq=a", "after_seq"), ("?id=x&after_seq=1&after_seq=2", "after_seq"),
            ("?id=x&before=%D9%A1", "before"), ("?id=%zz", "query"), ("?id=%4", "query"), ("?id=%ff", "query"),
            ("?%ed%a0%80=1", "query"), ("?" + String(repeating: "a&", count: 257), "query"),
        ])
    func badQueries(query: String, name: String) async throws {
        try await RESTFixture.run { fixture in
            let alice = try await fixture.sessionUser("alice")
            let reply = try await alice.get("/messaging/load-messages\(query)")
            #expect(reply.status == 400)
            #expect(reply.code == "bad_request")
            #expect(reply.message?.contains(name) == true, "\(reply.text)")
        }
    }
}
