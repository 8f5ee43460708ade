import ParleyClient
import ParleyJSON
import Testing

/// Sends and changes: kept, in order, under one id, until the server confirms them.
@Suite struct OutboxTests {
    typealias H = MachineHarness

    @Test("a send is kept before it is transmitted, and goes from pending over accepted to stored")
    func states() {
        var client = H()
        client.connect(seq: 4)
        let output = client.handle(.send(ChatDraft("one"), thread: "t", id: "c1"))
        #expect(output.changes.contains { if case .entry(let entry) = $0 { entry.wasSent } else { false } })
        #expect(client.commands.last?["message"]?["client_id"]?.text == "c1")
        #expect(client.commands.last?["message"]?["ack"]?.text == "stored")
        #expect(client.core.outbox["c1"]?.receipt == nil)
        client.receive(client.ack(seq: 5))
        #expect(client.core.outbox["c1"]?.receipt?.seq == 5)
        client.receive(H.message(5, by: "a", client: "c1", text: "one"))
        #expect(client.core.outbox["c1"] != nil)
        client.receive(client.ack(seq: 5, level: "stored"))
        #expect(client.core.outbox.count == 0 && client.storage.load().outbox.isEmpty)
    }

    @Test("an entry that is stored stays until its message has arrived, so that it never disappears")
    func storedBeforeEcho() {
        var client = H()
        client.connect(seq: 4)
        client.handle(.send(ChatDraft("one"), thread: "t", id: "c1"))
        client.receive(client.ack(seq: 5), client.ack(seq: 5, level: "stored"))
        #expect(client.core.outbox["c1"]?.isStored == true)
        client.receive(H.message(5, by: "a", client: "c1", text: "one"))
        #expect(client.core.outbox.count == 0)
    }

    @Test("sends of a thread are in flight one at a time, in order; threads do not wait for each other")
    func order() {
        var client = H()
        client.connect(seq: 4, other: 4)
        for (id, thread) in [("c1", "t"), ("c2", "t"), ("c3", "u")] {
            client.handle(.send(ChatDraft(id), thread: thread, id: id))
        }
        #expect(client.sent == ["c1", "c3"])
        let ref = client.commands.first { $0["message"]?["text"]?.text == "c1" }?["ref"]?.integer ?? 0
        client.receive(
            #"{"type":"ack","ref":\#(ref),"level":"accepted","thread_id":"t","epoch":"e","seq":5,"id":"m5","date_ms":1}"#
        )
        #expect(client.sent == ["c1", "c3", "c2"])
    }

    @Test("after a cut everything that is not known to be stored is sent again, under its id and in order")
    func cut() {
        var client = H()
        client.connect(seq: 4)
        for id in ["c1", "c2", "c3"] { client.handle(.send(ChatDraft(id), thread: "t", id: id)) }
        client.receive(client.ack(seq: 5))
        client.reconnect(seq: 6)
        #expect(client.sent == ["c1"])
        client.receive(client.ack(seq: 5))
        client.receive(client.ack(seq: 6))
        client.receive(client.ack(seq: 7))
        #expect(client.sent == ["c1", "c2", "c3"])
    }

    @Test("what was sent before the process died is sent again by the next one")
    func death() {
        var client = H()
        client.connect(seq: 4)
        client.handle(.send(ChatDraft("one"), thread: "t", id: "c1"))
        client.handle(.send(ChatDraft("two"), thread: "t", id: "c2"))
        var next = H()
        next.core.restore(client.storage.load())
        next.storage.apply([.thread(next.core.threads["t"]!)])
        next.connect(seq: 5)
        #expect(next.sent == ["one"] && next.commands.last?["message"]?["client_id"]?.text == "c1")
    }

    @Test("a retryable refusal pauses all sends for its time; others fail the message and let the next one go")
    func refusals() {
        var client = H()
        client.connect(seq: 4)
        client.handle(.send(ChatDraft("one"), thread: "t", id: "c1"))
        client.handle(.send(ChatDraft("two"), thread: "t", id: "c2"))
        client.receive(
            #"{"type":"error","ref":\#(client.ref("message")),"code":"rate_limited","message":"","retryable":true,"retry_after_ms":500}"#
        )
        #expect(client.sent == ["one"] && client.core.deadline == .milliseconds(500))
        client.uptime = .milliseconds(500)
        client.handle(.tick)
        #expect(client.sent == ["one", "one"])
        client.receive(
            #"{"type":"error","ref":\#(client.ref("message")),"code":"conflict","message":"used","retryable":false}"#)
        #expect(client.core.outbox["c1"]?.failure?.code == .conflict && client.sent == ["one", "one", "two"])
        client.receive(client.ack(seq: 5))
        client.handle(.retry("c1"))
        #expect(client.sent == ["one", "one", "two", "one"])
        client.receive(
            #"{"type":"error","ref":\#(client.ref("message")),"code":"forbidden","message":"","retryable":false}"#)
        client.handle(.discard("c1"))
        #expect(client.core.outbox["c1"] == nil)
    }

    @Test("a server that stays unavailable fails a message after the agreed number of answers")
    func unavailable() {
        var client = H(limits: .init(attemptsWhileUnavailable: 3))
        client.connect(seq: 4)
        client.handle(.send(ChatDraft("one"), thread: "t", id: "c1"))
        for _ in 0..<3 {
            client.receive(
                #"{"type":"error","ref":\#(client.ref("message")),"code":"unavailable","message":"","retryable":true}"#)
            client.uptime += .seconds(3)
            client.handle(.tick)
        }
        #expect(client.sent.count == 3 && client.core.outbox["c1"]?.failure?.isRetryable == true)
    }

    @Test("an edit before the first transmission changes the message, a later one waits for its id")
    func edits() {
        var client = H()
        client.handle(.start)
        client.connect(seq: 4)
        client.handle(.closed(code: nil))
        client.handle(.send(ChatDraft("one"), thread: "t", id: "c1"))
        let target = ClientOutboxEntry.Target(localID: "c1")
        client.handle(.change(.edit(target, text: "better"), thread: "t", id: "e1"))
        #expect(client.core.outbox.count == 1)
        client.uptime += .seconds(60)
        client.handle(.tick)
        client.connect(seq: 4)
        #expect(client.sent == ["better"])
        client.handle(.change(.edit(target, text: "best"), thread: "t", id: "e2"))
        client.handle(.change(.reaction(target, emoji: "👍", isOn: true), thread: "t", id: "r1"))
        #expect(client.commands.allSatisfy { $0["edit"] == nil })
        client.receive(client.ack(seq: 5))
        #expect(client.commands.last?["edit"]?["message_id"]?.text == "m5")
        client.receive(client.ack("edit", seq: 6))
        #expect(client.commands.last?["react"]?["message_id"]?.text == "m5")
        // The change is shown until its event has arrived.
        #expect(client.core.outbox["e2"] != nil)
        client.receive(H.message(5, by: "a", client: "c1"))
        client.receive(
            #"{"type":"edited","thread_id":"t","epoch":"e","seq":6,"date_ms":1,"message_seq":5,"text":"best"}"#)
        #expect(client.core.outbox["e2"] == nil && client.texts()[5] == "best")
    }

    @Test("a deletion before the first transmission removes the message and its changes")
    func deletion() {
        var client = H()
        client.connect(seq: 4)
        client.handle(.closed(code: nil))
        client.handle(.send(ChatDraft("one"), thread: "t", id: "c1"))
        let target = ClientOutboxEntry.Target(localID: "c1")
        client.handle(.change(.reaction(target, emoji: "👍", isOn: true), thread: "t", id: "r1"))
        client.handle(.change(.deletion(target), thread: "t", id: "d1"))
        #expect(client.core.outbox.count == 0 && client.storage.load().outbox.isEmpty)
    }

    @Test("a read mark is kept until it is acknowledged, and only the last one is sent again")
    func readMarks() {
        var client = H()
        client.connect(seq: 9)
        client.handle(.markRead(thread: "t", seq: 5))
        client.handle(.markRead(thread: "t", seq: 7))
        client.handle(.markRead(thread: "t", seq: 9))
        #expect(client.commands.compactMap { $0["read"]?["seq"]?.integer } == [5])
        client.receive(#"{"type":"ack","ref":\#(client.ref("read"))}"#)
        #expect(client.commands.compactMap { $0["read"]?["seq"]?.integer } == [5, 9])
        #expect(client.storage.load().threads.first?.pendingRead == 9)
        client.reconnect(seq: 9)
        #expect(client.commands.compactMap { $0["read"]?["seq"]?.integer } == [9])
        client.receive(#"{"type":"ack","ref":\#(client.ref("read"))}"#)
        #expect(client.storage.load().threads.first?.pendingRead == nil)
    }

    @Test(
        "a read mark that the server cannot take yet is sent again after a pause",
        arguments: ["rate_limited", "unavailable"])
    func refusedReadMark(code: String) {
        var client = H()
        client.connect(seq: 9)
        client.handle(.markRead(thread: "t", seq: 5))
        client.receive(
            #"{"type":"error","ref":\#(client.ref("read")),"code":"\#(code)","retryable":true,"retry_after_ms":300}"#)
        client.handle(.markRead(thread: "t", seq: 7))
        #expect(client.commands.compactMap { $0["read"]?["seq"]?.integer } == [5])
        #expect(client.core.deadline == .milliseconds(300))
        client.uptime = .milliseconds(300)
        client.handle(.tick)
        #expect(client.commands.compactMap { $0["read"]?["seq"]?.integer } == [5, 7])
        client.receive(#"{"type":"ack","ref":\#(client.ref("read"))}"#)
        #expect(client.storage.load().threads.first?.pendingRead == nil)
    }

    @Test("a resume that is refused is sent on another connection, since it may only be the first command")
    func refusedResume() {
        var client = H()
        client.connect(seq: 9, isResumed: false)
        let output = client.receive(
            #"{"type":"error","ref":\#(client.ref("resume")),"code":"rate_limited","message":"","retryable":true}"#)
        #expect(output.actions.contains { if case .disconnect = $0 { true } else { false } })
        guard case .waiting = client.core.connection.phase else {
            Issue.record("\(client.core.connection.phase)")
            return
        }
    }

    @Test("typing is sent at most every three seconds, presence is watched again on each connection")
    func ephemeral() {
        var client = H()
        client.connect(seq: 9)
        for _ in 0..<5 { client.handle(.typing(thread: "t", isOn: true)) }
        client.handle(.typing(thread: "t", isOn: false))
        client.handle(.typing(thread: "t", isOn: false))
        #expect(client.commands.count { $0["typing"] != nil } == 2)
        client.handle(.watch(["b"]))
        client.receive(#"{"type":"presence","user_id":"b","online":true,"last_seen":1795255200}"#)
        client.receive(#"{"type":"typing","thread_id":"t","user_id":"b","username":"bob","on":true}"#)
        #expect(client.core.ephemeral.presence["b"]?.isOnline == true && client.core.ephemeral.typists["t"]?.count == 1)
        client.uptime += .seconds(6)
        client.handle(.tick)
        #expect(client.core.ephemeral.typists.isEmpty)
        client.reconnect(seq: 9)
        #expect(client.commands.contains { $0["watch"] != nil } && client.core.ephemeral.presence.isEmpty)
    }

    @Test("a user who has another name is shown under it, until the connection ends as one who has changed")
    func profiles() {
        var client = H()
        client.connect(seq: 9)
        let output = client.receive(
            #"{"type":"user","user":{"id":"b","username":"bob","display_name":"Bob B.","avatar_url":"/v1/attachments/x"}}"#
        )
        #expect(output.isProfilesChanged && output.messages.contains("t") && output.isListChanged)
        #expect(output.changes == [.rename(user: "b", displayName: "Bob B.")])
        let bob = ChatUser(id: "b", username: "bob", displayName: "Bob B.", avatarURL: "/v1/attachments/x")
        #expect(client.core.ephemeral.profiles == ["b": bob])
        let plain = client.receive(#"{"type":"user","user":{"id":"b","username":"bob","display_name":"bob"}}"#)
        #expect(plain.changes == [.rename(user: "b", displayName: nil)])
        for number in 0...Ephemeral.maximumProfiles {
            client.receive(#"{"type":"user","user":{"id":"u\#(number)","username":"u"}}"#)
        }
        #expect(client.core.ephemeral.profiles.count == Ephemeral.maximumProfiles)
        client.reconnect(seq: 9)
        #expect(client.core.ephemeral.profiles.isEmpty)
    }

    @Test("the count of what is pending is that of the entries, whatever happens to them")
    func pendingCount() {
        var client = H()
        client.connect(seq: 4, other: 4)
        var counts: [Int] = []
        func check(_ client: H) -> Int {
            let count = client.core.outbox.pendingCount(in: "t")
            #expect(count == client.core.outbox.entries(in: "t").count(where: \.isPending))
            #expect(client.core.outbox.pendingCount(in: "u") == 0)
            return count
        }
        for id in ["c1", "c2", "c3"] {
            client.handle(.send(ChatDraft(id), thread: "t", id: id))
            counts.append(check(client))
        }
        client.receive(client.ack(seq: 5))
        client.receive(client.ack(seq: 5, level: "stored"))
        counts.append(check(client))
        client.reconnect(seq: 5)
        let ref = client.ref("message")
        client.receive(#"{"type":"error","ref":\#(ref),"code":"forbidden","message":"no","retryable":false}"#)
        counts.append(check(client))
        client.handle(.retry("c2"))
        counts.append(check(client))
        client.handle(.discard("c3"))
        counts.append(check(client))
        client.receive(#"{"type":"thread","op":"removed","thread":{"id":"t"}}"#)
        counts.append(check(client))
        #expect(counts.first == 1 && counts[2] == 3 && counts.last == 0, "\(counts)")
    }
}
