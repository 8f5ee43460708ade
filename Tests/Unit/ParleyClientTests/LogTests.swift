import ParleyClient
import ParleyJSON
import Testing

/// Events of a thread: in order, without gaps, whatever the server leaves out.
@Suite struct LogTests {
    typealias H = MachineHarness

    /// A client that has cached a message at 5.
    private func cached() -> H {
        var client = H()
        client.connect(seq: 4)
        client.receive(H.message(5))
        return client
    }

    /// The database belongs to another user.
    private func reconnectAsOther(_ client: inout H) {
        client.core.account = ChatUser(id: "z", username: "zoe")
        client.handle(.start)
        client.connect(seq: 5)
    }

    @Test("live events are cached in order, and repeated ones change nothing")
    func live() {
        var client = H()
        client.connect(seq: 4)
        client.receive(H.message(5), H.message(6))
        client.receive(H.message(5, text: "again"))
        #expect(client.texts() == [5: "text 5", 6: "text 6"])
        #expect(client.storage.range(in: "t", containing: 6) == 5...6)
        #expect(client.core.threads["t"]?.seq == 6 && client.core.threads["t"]?.unread == 2)
    }

    @Test("a gap is fetched before anything above it is applied")
    func gap() {
        var client = cached()
        client.receive(H.message(8))
        #expect(client.texts()[8] == nil)
        #expect(client.commands.last?["history"]?["after"]?.integer == 5)
        client.receive(
            H.page((6...9).map { H.message($0) }, ref: Int(client.ref("history")), more: (true, false), head: 9))
        client.receive(H.message(9), H.message(10))
        #expect(client.texts().keys.sorted() == [5, 6, 7, 8, 9, 10])
        #expect(client.storage.range(in: "t", containing: 7) == 5...10)
    }

    @Test("what the server reports as left out is fetched, page by page")
    func behind() {
        var client = H(limits: .init(historyPage: 2))
        client.connect(seq: 4)
        client.receive(H.message(5))
        client.receive(#"{"type":"behind","threads":{"t":{"from":6,"to":9}}}"#, H.message(10))
        client.receive(
            H.page([H.message(6), H.message(7)], ref: Int(client.ref("history")), more: (true, true), head: 10))
        client.receive(
            H.page([H.message(8), H.message(9)], ref: Int(client.ref("history")), more: (true, true), head: 10))
        client.receive(H.page([H.message(10)], ref: Int(client.ref("history")), more: (true, false), head: 10))
        #expect(client.commands.count { $0["history"] != nil } == 3)
        #expect(client.texts().keys.sorted() == [5, 6, 7, 8, 9, 10])
    }

    @Test("a place that history skips does not exist")
    func skipped() {
        var client = cached()
        client.receive(H.message(8))
        client.receive(
            H.page([H.message(6), H.message(8)], ref: Int(client.ref("history")), more: (true, false), head: 8))
        client.receive(H.message(9))
        #expect(client.texts().keys.sorted() == [5, 6, 8, 9])
        #expect(client.commands.count { $0["history"] != nil } == 1)
    }

    @Test("where nothing is cached nothing is missing")
    func nothingCached() {
        var client = H()
        client.connect(seq: 4)
        client.receive(H.message(9))
        #expect(client.commands.count { $0["history"] != nil } == 0)
        #expect(client.storage.range(in: "t", containing: 9) == 9...9)
    }

    @Test("edits, deletions and reactions change what is cached")
    func changes() {
        var client = H()
        client.connect(seq: 4)
        client.receive(H.message(5), H.message(6))
        func event(_ seq: Int, _ type: String, _ rest: String) -> String {
            """
            {"type":"\(type)","thread_id":"t","epoch":"e","seq":\(seq),"date_ms":1795255201000,"message_seq":5,\(rest)}
            """
        }
        client.receive(
            event(7, "edited", #""text":"better""#), event(8, "reaction", #""user_id":"b","emoji":"👍","on":true"#))
        client.receive(event(8, "reaction", #""user_id":"b","emoji":"👍","on":true"#))
        #expect(client.storage.message(in: "t", seq: 5)?.text == "better")
        #expect(client.storage.message(in: "t", seq: 5)?.reactions.first?.count == 1)
        client.receive(event(9, "deleted", #""by_id":"b""#), event(10, "edited", #""text":"""#))
        let message = client.storage.message(in: "t", seq: 5)
        #expect(message?.isDeleted == true && message?.text == "" && message?.reactions.isEmpty == true)
    }

    @Test("a page that is older than a change received while it was on its way does not undo the change")
    func olderPage() {
        var client = H()
        client.connect(seq: 6)
        client.receive(H.message(7))
        client.handle(.history(request: 1, thread: "t", before: 7, after: nil, limit: 30))
        client.receive(
            """
            {"type":"edited","thread_id":"t","epoch":"e","seq":8,"date_ms":1795255201000,"message_seq":6,"text":"new"}
            """,
            """
            {"type":"deleted","thread_id":"t","epoch":"e","seq":9,"date_ms":1795255201000,"message_seq":5,"by_id":"b"}
            """)
        let ref = Int(client.ref("history"))
        client.receive(H.page([H.message(5), H.message(6, text: "old")], ref: ref, more: (true, true), head: 7))
        #expect(client.texts() == [5: "", 6: "new", 7: "text 7"])
        #expect(client.core.lateChanges.isEmpty)
    }

    @Test("a page is requested again if more changes came than are kept")
    func olderPageWithManyChanges() {
        var client = H(limits: .init(lateChanges: 1))
        client.connect(seq: 6)
        client.receive(H.message(7))
        client.handle(.history(request: 1, thread: "t", before: 7, after: nil, limit: 30))
        for seq in 8...9 {
            client.receive(
                """
                {"type":"edited","thread_id":"t","epoch":"e","seq":\(seq),"date_ms":1795255201000,"message_seq":6,
                "text":"new \(seq)"}
                """)
        }
        let ref = Int(client.ref("history"))
        client.receive(H.page([H.message(6, text: "old")], ref: ref, more: (true, true), head: 7))
        #expect(client.texts()[6] == nil && Int(client.ref("history")) == ref + 1)
        client.receive(H.page([H.message(6, text: "new 9")], ref: ref + 1, more: (true, true), head: 9))
        #expect(client.texts()[6] == "new 9")
    }

    @Test("a hello that was taken before a join does not remove the room that was joined")
    func joinedBeforeHello() throws {
        var client = H()
        client.handle(.start)
        client.handle(.opened)
        let fields = try #require(ServerFrame.ThreadFields(JSONTree(parsing: H.thread("new", epoch: "e", seq: 1))))
        client.handle(.listed([fields]))
        client.connect()
        #expect(client.core.threads["new"]?.seq == 1)
        // What a hello leaves out later is gone.
        client.reconnect()
        #expect(client.core.threads["new"] == nil)
    }

    @Test("after a reconnect the positions of cached threads are resumed, those that differ only")
    func resume() {
        var client = H()
        client.connect(seq: 4, other: 0)
        client.receive(H.message(5))
        client.handle(.closed(code: nil))
        client.uptime += .seconds(60)
        client.handle(.tick)
        client.handle(.opened)
        client.connect(seq: 7, other: 0)
        let threads = client.commands.first?["resume"]?["threads"]
        #expect(threads?["t"]?["seq"]?.integer == 5 && threads?["u"] == nil)
        client.receive(H.message(6), H.message(7))
        client.receive(#"{"type":"resumed","ref":1,"threads":{"t":{"state":"replayed","epoch":"e","from":6,"to":7}}}"#)
        #expect(client.texts().keys.sorted() == [5, 6, 7])
        #expect(client.commands.allSatisfy { $0["history"] == nil })
    }

    @Test("a long absence is caught up with by history, and a very long one empties the cache")
    func page() {
        for (missing, isFetched) in [(4_000, true), (6_000, false)] {
            var client = cached()
            client.reconnect(seq: 5 + missing)
            let output = client.receive(
                #"{"type":"resumed","ref":1,"threads":{"t":{"state":"page","epoch":"e","from":6,"to":\#(5 + missing)}}}"#
            )
            #expect(client.commands.contains { $0["history"] != nil } == isFetched)
            #expect(output.resets.contains("t") == !isFetched)
            #expect(client.texts().isEmpty == !isFetched)
            if !isFetched { #expect(client.core.threads["t"]?.seq == 5 + missing) }
        }
    }

    @Test("a numbering that starts over empties the cache, and what is not stored is sent again")
    func rolledBack() {
        var client = cached()
        client.handle(.send(ChatDraft("mine"), thread: "t", id: "c1"))
        client.receive(client.ack(seq: 6))
        client.receive(H.message(6, by: "a", client: "c1", text: "mine"))
        #expect(client.sent == ["mine"])
        client.receive(
            #"{"type":"resumed","threads":{"t":{"state":"rolled_back","epoch":"f","from":5,"to":9}}}"#)
        #expect(client.texts().isEmpty && client.sent == ["mine", "mine"])
        client.receive(H.message(10, epoch: "f", by: "a", client: "c1", text: "mine"))
        #expect(client.texts() == [10: "mine"] && client.core.threads["t"]?.epoch == "f")
    }

    @Test("after a numbering has started over, the places that were void are those of new messages")
    func newMessagesAtVoidPlaces() {
        var client = cached()
        for seq in 6...9 { client.receive(H.message(seq)) }
        client.receive(
            #"{"type":"resumed","threads":{"t":{"state":"rolled_back","epoch":"f","from":6,"to":9}}}"#)
        client.receive(H.message(6, epoch: "f"), H.message(7, epoch: "f"))
        #expect(client.texts() == [6: "text 6", 7: "text 7"])
        #expect(client.core.threads["t"]?.seq == 7)
    }

    @Test("the newest page shows where a numbering that has started over goes on")
    func newestPageAfterRollback() {
        var client = cached()
        for seq in 6...9 { client.receive(H.message(seq)) }
        client.receive(
            #"{"type":"resumed","threads":{"t":{"state":"rolled_back","epoch":"f","from":6,"to":9}}}"#)
        client.handle(.history(request: 1, thread: "t", before: nil, after: nil, limit: 10))
        let ref = Int(client.ref("history"))
        client.receive(H.page((1...6).map { H.message($0, epoch: "f") }, ref: ref, epoch: "f", head: 6))
        client.receive(H.message(7, epoch: "f"))
        #expect(client.texts().keys.sorted() == Array(1...7) && client.core.threads["t"]?.seq == 7)
    }

    @Test("a numbering that starts over below what was received hides none of its events")
    func rolledBackBelow() {
        var client = cached()
        client.receive(#"{"type":"resumed","threads":{"t":{"state":"rolled_back","epoch":"f","from":5,"to":5}}}"#)
        client.receive(H.message(5, epoch: "f", by: "b", text: "again"))
        #expect(client.texts() == [5: "again"])
    }

    @Test("an edit that was acknowledged, and is lost with the log before its event arrives, is sent again")
    func rolledBackEdit() {
        // As the server reports it, and as an event of the new numbering shows it.
        for news in [
            #"{"type":"resumed","threads":{"t":{"state":"rolled_back","epoch":"f","from":6,"to":9}}}"#,
            H.message(10, epoch: "f"),
        ] {
            var client = H()
            client.connect(seq: 4)
            client.receive(H.message(5, by: "a", text: "old"))
            let target = ClientOutboxEntry.Target(seq: 5, messageID: "m5", localID: "m5")
            client.handle(.change(.edit(target, text: "new"), thread: "t", id: "e1"))
            client.receive(client.ack("edit", seq: 6))
            client.receive(news)
            #expect(client.commands.count { $0["edit"] != nil } == 2, "\(news)")
            client.receive(client.ack("edit", seq: 12).replacing(#""epoch":"e""#, with: #""epoch":"f""#))
            #expect(client.core.outbox["e1"] != nil)
            client.receive(H.message(11, epoch: "f"))
            client.receive(
                #"{"type":"edited","thread_id":"t","epoch":"f","seq":12,"date_ms":1,"message_seq":5,"text":"new"}"#)
        }
    }

    @Test("an edit of a message that is lost with it waits for the message's new id")
    func rolledBackMessageAndEdit() {
        var client = cached()
        client.handle(.send(ChatDraft("mine"), thread: "t", id: "c1"))
        client.receive(client.ack(seq: 6))
        client.handle(.change(.edit(.init(localID: "c1"), text: "better"), thread: "t", id: "e1"))
        client.receive(client.ack("edit", seq: 7))
        client.receive(#"{"type":"resumed","threads":{"t":{"state":"rolled_back","epoch":"f","from":6,"to":9}}}"#)
        #expect(client.sent == ["mine", "mine"] && client.commands.count { $0["edit"] != nil } == 1)
        client.receive(client.ack(seq: 10))
        #expect(client.commands.last?["edit"]?["message_id"]?.text == "m10")
    }

    @Test("a thread that is gone, or was left, disappears with all that belongs to it")
    func removed() {
        for frame in [
            #"{"type":"resumed","threads":{"t":{"state":"gone"}}}"#,
            #"{"type":"resumed","threads":{"t":{"state":"denied"}}}"#,
            #"{"type":"thread","op":"removed","thread":{"id":"t"}}"#,
        ] {
            var client = cached()
            client.handle(.send(ChatDraft("mine"), thread: "t", id: "c1"))
            client.receive(frame)
            #expect(client.core.threads.isEmpty && client.core.outbox.count == 0)
            #expect(client.texts().isEmpty && client.storage.load().outbox.isEmpty)
        }
    }

    @Test("another user's database is emptied")
    func otherUser() {
        var client = cached()
        client.handle(.closed(code: nil))
        reconnectAsOther(&client)
        #expect(client.texts().isEmpty && client.storage.load().account?.id == "a")
    }

    @Test("another user's database is left alone while something in it is unsent")
    func otherUserUnsent() {
        var client = cached()
        client.handle(.closed(code: nil))
        client.handle(.send(ChatDraft("mine"), thread: "t", id: "c1"))
        reconnectAsOther(&client)
        #expect(client.core.connection.phase == .loggedOut(.otherUser))
        #expect(client.core.outbox["c1"] != nil && client.storage.load().outbox.map(\.id) == ["c1"])
        #expect(!client.texts().isEmpty)
    }

    @Test("a page for a collection is cached, with the range that it covers")
    func collectionPage() {
        var client = H()
        client.connect(seq: 40)
        client.handle(.history(request: 1, thread: "t", before: 41, after: nil, limit: 3))
        client.receive(
            H.page([38, 40].map { H.message($0) }, ref: Int(client.ref("history")), more: (true, false), head: 40))
        #expect(client.storage.range(in: "t", containing: 40) == 38...40)
        client.handle(.history(request: 2, thread: "t", before: 38, after: nil, limit: 3))
        client.receive(H.page([H.message(2)], ref: Int(client.ref("history")), more: (false, true), head: 40))
        #expect(client.storage.range(in: "t", containing: 40) == 1...40)
    }

    @Test(
        "numbers beyond all bounds, in whatever field, are no places of the log",
        arguments: [Int.max, .min, -1, 1 << 53, Int.max - 1])
    func numbers(number: Int) {
        var client = cached()
        let reactions = #""reactions":[{"emoji":"x","count":\#(number),"users":[]}]"#
        client.receive(
            H.message(number), H.message(number, epoch: "f"),
            String(H.message(6).dropLast()) + ",\(reactions),\"reply_to\":\(number)}")
        for (seq, isOn) in [(7, true), (8, false), (9, false)] {
            client.receive(
                """
                {"type":"reaction","thread_id":"t","epoch":"e","seq":\(seq),"message_seq":6,"user_id":"b","emoji":"x",
                "on":\(isOn)}
                """)
        }
        #expect(client.core.threads["t"]?.seq == 9 && client.core.threads["t"]?.epoch == "e")
        client.receive(
            #"{"type":"edited","thread_id":"t","epoch":"e","seq":10,"message_seq":\#(number),"text":"x"}"#,
            #"{"type":"deleted","thread_id":"t","epoch":"e","seq":11,"message_seq":\#(number)}"#,
            #"{"type":"behind","threads":{"t":{"from":\#(number),"to":\#(number)}}}"#,
            #"{"type":"read","thread_id":"t","user_id":"b","read_seq":\#(number),"date":1}"#,
            #"{"type":"read","thread_id":"t","user_id":"a","read_seq":\#(number),"date":1}"#)
        #expect(client.core.threads["t"]?.seq == 11 && client.core.threads["t"]?.target == 11)
        #expect(client.core.threads["t"]?.receipts["b"] == nil)
        client.handle(.history(request: 1, thread: "t", before: 6, after: nil, limit: 3))
        client.receive(H.page([H.message(number)], ref: Int(client.ref("history")), more: (true, true), head: number))
        let added = H.thread("u", epoch: "e", seq: 0).replacing(#""unread":0"#, with: #""unread":\#(number)"#)
            .replacing(#""read_seq":0"#, with: #""read_seq":\#(number)"#)
        client.receive(#"{"type":"thread","op":"added","thread":\#(added)}"#, H.message(1, in: "u"))
        #expect(client.texts(in: "u") == [1: "text 1"])
        client.handle(.send(ChatDraft("mine"), thread: "t", id: "c1"))
        client.receive(client.ack(seq: number))
        for (state, epoch) in [("replayed", "e"), ("page", "e"), ("rolled_back", "f")] {
            client.receive(
                """
                {"type":"resumed","threads":{"t":{"state":"\(state)","epoch":"\(epoch)","from":\(number),"to":\(number)}}}
                """)
        }
        client.reconnect(seq: number, epoch: "g")
        client.reconnect(seq: 12, epoch: "h")
        client.receive(H.message(13, epoch: "h"))
        #expect(client.texts()[13] == "text 13")
    }
}
