import ParleyModel
import ParleyTestSupport
import Testing

/// The contract of `SendMemory`.
extension MessageLogFact {
    /// Only what was not appended before is refused, and its `clientID` stays free.
    func withdrawal(_ fixture: some LogFixture) async throws {
        let (one, two) = (try await fixture.makeNode(), try await fixture.makeNode())
        let thread = Samples.thread("withdrawn")
        func draft(_ id: String, clientID: String? = nil) -> EventDraft {
            let file = MediaPart(type: "image/png", url: "/v1/attachments/f", attachment: AttachmentID(trusted: "f"))
            return EventDraft(
                thread: thread,
                body: .message(
                    Message(
                        id: MessageID(trusted: id), sender: Samples.user("ann"), text: "", clientID: clientID,
                        parts: [.media(file)])))
        }
        let first = try await one.log.append(draft("m1", clientID: "c1"))
        for id in ["m1", "m2", "m3", "m4", "m4"] {
            try await fixture.sends.withdraw(MessageID(trusted: id), from: thread)
        }
        var awaited = draft("m4")
        awaited.wantsStored = true
        for draft in [draft("m2"), draft("m3", clientID: "c2"), awaited] {
            await #expect(throws: AppendError.self) { try await two.log.append(draft) }
        }
        let again = try await two.log.append(draft("m5", clientID: "c1"))
        try #require(again.isRepeat && again.position == first.position, "what was appended before stays")
        let next = try await one.log.append(draft("m6", clientID: "c2"))
        try #require(!next.isRepeat && next.position.seq == 2, "the name of a refused send is free")
        let ids = try await one.log.events(in: thread, after: 0, limit: 10).events.map { $0.message?.id.text }
        try #require(ids == ["m1", "m6"], "events")
    }

    /// The store forgets them too, later.
    func forgottenSends(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("erased")
        let now = WallClock.system.milliseconds
        let names = ["c1", "c2", Samples.uuidv7(at: now), Samples.uuidv7(at: now - 1)]
        for (index, name) in names.enumerated() {
            for sender in ["ann", "bob"] {
                let id = "\(sender)\(index)"
                _ = try await node.log.append(Samples.send("hi", in: thread, by: sender, clientID: name, id: id))
            }
        }
        try #require(try await eventually { fixture.store.log(of: thread).count >= 8 }, "all are stored")
        for _ in 0..<2 { try await fixture.sends.forget(names, of: UserID(trusted: "ann")) }
        fixture.store.forgetNames(of: UserID(trusted: "ann"))
        for (index, name) in names.enumerated() {
            let id = "again\(index)"
            let anns = try await node.log.append(Samples.send("ho", in: thread, by: "ann", clientID: name, id: id))
            try #require(!anns.isRepeat, "nothing is known of an erased user's send")
            let bobs = try await node.log.append(Samples.send("hi", in: thread, by: "bob", clientID: name, id: "b"))
            try #require(bobs.isRepeat, "what others have sent stays known")
        }
    }
}
