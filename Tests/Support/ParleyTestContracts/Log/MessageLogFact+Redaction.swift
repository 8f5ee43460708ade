import ParleyModel
import ParleyTestSupport
import Testing

/// The contract of `MessageLog` for deleted content.
extension MessageLogFact {
    func redaction(_ fixture: some LogFixture) async throws {
        let (one, two) = (try await fixture.makeNode(), try await fixture.makeNode())
        let thread = Samples.thread("secrets")
        let message = Message(
            id: MessageID(trusted: "m1"), sender: Samples.user("ann"), text: "secret", clientID: "c1",
            parts: Samples.parts, replyTo: 7)
        let edit = MessageEdit(messageID: message.id, messageSeq: 2, text: "secret too", by: message.sender.id)
        let drafts = [
            Samples.send("before", in: thread), EventDraft(thread: thread, body: .message(message)),
            Samples.send("about m1", in: thread, id: "m2"), EventDraft(thread: thread, body: .edited(edit)),
        ]
        for draft in drafts { _ = try await one.log.append(draft) }
        let before = try await two.log.events(in: thread, after: 0, limit: 10)
        // Repeating it changes nothing.
        for log in [two.log, one.log] { try await log.redact(.messages([message.id]), in: thread) }
        var expected = before
        expected.events[1].body = .message(message.deleted)
        expected.events[3].body = .edited(edit.withoutText)
        for node in [one, two] {
            try #require(try await node.log.events(in: thread, after: 0, limit: 10) == expected, "events")
            try #require(
                try await node.log.events(in: thread, after: 1, limit: 1).events == [expected.events[1]], "a slice")
        }
        var again = drafts[1]
        again.mayBeThere = true
        let repeated = try await two.log.append(again)
        try #require(repeated.isRepeat && repeated.position.seq == 2, "the message is known")
        let next = try await one.log.append(Samples.send("after", in: thread))
        try #require(next.position == Position(epoch: before.epoch ?? Epoch(""), seq: 5), "what comes after it")
        try await one.log.redact(.messages([message.id]), in: Samples.thread("empty"))
    }

    func erasure(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("erased")
        let (ann, bob) = (Samples.user("ann"), Samples.user("bob"))
        let own = Samples.message("secret", by: "ann", clientID: "c1")
        let received = Samples.message("hi ann", by: "bob", to: ann)
        let edit = MessageEdit(messageID: own.id, messageSeq: 2, text: "secret too", by: ann.id)
        let reaction = Reaction(messageID: received.id, messageSeq: 3, user: ann.id, emoji: ":secret:", isOn: true)
        let bodies: [LogEvent.Body] = [
            .joined(ann), .message(own), .message(received), .edited(edit), .joined(bob, by: ann.id),
            .left(ann, by: bob.id), .reaction(reaction),
        ]
        for body in bodies { _ = try await node.log.append(EventDraft(thread: thread, body: body)) }
        let before = try await node.log.events(in: thread, after: 0, limit: 10)
        for _ in 0..<2 { try await node.log.redact(ann.id, in: thread) }
        let gone = User.erased(ann.id)
        var expected = before
        expected.events[0].body = .joined(gone)
        expected.events[1].body = .message(own.erased)
        expected.events[2].body = .message(Samples.message("hi ann", by: "bob", id: received.id.text, to: gone))
        expected.events[3].body = .edited(edit.withoutText)
        expected.events[5].body = .left(gone, by: bob.id)
        expected.events[6].body = .reaction(reaction.erased)
        try #require(try await node.log.events(in: thread, after: 0, limit: 10) == expected, "events")
    }

    func forgetting(_ fixture: some LogFixture) async throws {
        let (one, two) = (try await fixture.makeNode(), try await fixture.makeNode())
        let thread = Samples.thread("again")
        var old: [Epoch] = []
        for node in [one, two, one, two] {
            old.append(
                try await node.log.append(Samples.send("secret", in: thread, id: "m\(old.count)")).position.epoch)
        }
        try #require(try await eventually { fixture.store.log(of: thread).count >= 4 }, "all four are stored")
        fixture.store.remove(thread)
        try await one.log.forget(thread)
        try #require(try await two.log.head(of: thread) == nil, "head")
        try #require(try await two.log.ends(of: [thread]) == [:], "ends")
        // One node that has numbered it before, and one that has forgotten it.
        let receipts = [
            try await two.log.append(Samples.send("new", in: thread)),
            try await one.log.append(Samples.send("newer", in: thread)),
        ]
        try #require(Set(receipts.map(\.position.epoch)).count == 1, "epochs")
        try #require(!old.contains(receipts[0].position.epoch), "the epoch is another")
        for node in [one, two] {
            let events = try await node.log.events(in: thread, after: 0, limit: 10).events
            try #require(events.map { $0.message?.text } == ["new", "newer"], "texts")
        }
        try await two.log.forget(thread)
        try await one.log.forget(Samples.thread("never-seen"))
    }

    /// A name stays used for as long as its thread exists.
    func forgottenNames(_ fixture: some LogFixture) async throws {
        let (one, two) = (try await fixture.makeNode(), try await fixture.makeNode())
        let (thread, other) = (Samples.thread("left"), Samples.thread("kept"))
        let now = WallClock.system.milliseconds
        let names = ["c1", "c2", "c3"].map { "\($0)-any" } + (0..<3).map { Samples.uuidv7(at: now - $0) }
        func draft(_ name: Int, _ text: String, _ id: String, in thread: ThreadID) -> EventDraft {
            EventDraft(thread: thread, body: .message(Samples.message(text, clientID: names[name], id: id)))
        }
        for name in names.indices {
            _ = try await one.log.append(draft(name, "old", "old\(name)", in: name % 3 == 2 ? other : thread))
        }
        try #require(
            try await eventually { fixture.store.log(of: thread).count + fixture.store.log(of: other).count >= 6 },
            "all are stored")
        fixture.store.remove(thread)
        try await two.log.forget(thread)
        for first in [0, 3] {
            // The same again in a thread of the same id, and another one in another thread.
            for (name, text, place) in [(first, "old", thread), (first + 1, "new", other)]
            where !fixture.claimsNames || place == thread {
                let receipt = try await one.log.append(draft(name, text, "new\(name)", in: place))
                try #require(!receipt.isRepeat, "a name is free when its thread is gone")
                try #require(receipt.messageID?.text == "new\(name)", "message")
                let again = try await two.log.append(draft(name, text, "again\(name)", in: place))
                try #require(again.isRepeat && again.position == receipt.position, "it belongs to the new message")
            }
            let kept = try await two.log.append(draft(first + 2, "old", "again", in: other))
            try #require(kept.isRepeat && kept.messageID?.text == "old\(first + 2)", "another thread's names stay")
        }
    }
}
