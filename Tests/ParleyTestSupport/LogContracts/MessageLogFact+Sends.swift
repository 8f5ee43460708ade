import ParleyModel
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
}
