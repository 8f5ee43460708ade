import ParleyModel
import Testing

extension MessageLogFact {
    func changedRepeat(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("old")
        func about(_ seq: Int64) -> MessageID {
            Samples.message("\(seq)", clientID: "c\(seq)").id
        }
        let ann = Samples.user("ann").id
        let edit = MessageEdit(messageID: about(1), messageSeq: 1, text: "other", by: ann)
        let deletion = MessageDeletion(messageID: about(2), messageSeq: 2, by: ann)
        let later = [LogEvent.Body.edited(edit), .deleted(deletion)].enumerated().map { index, body in
            LogEvent(
                thread: thread, position: Position(epoch: Epoch("old"), seq: Int64(3 + index)),
                milliseconds: 1_600_000_000_000, messageCount: 2, body: body)
        }
        fixture.store.seed((1...2).map { Samples.event("\($0)", in: thread, seq: $0, clientID: "c\($0)") } + later)
        for seq in [1, 2] as [Int64] {
            let receipt = try await node.log.append(Samples.send("\(seq)", in: thread, clientID: "c\(seq)"))
            try #require(receipt.isRepeat, "sent before")
            try #require(receipt.position.seq == seq, "seq of the first")
            await expectConflict(
                node.log, Samples.send("\(seq)", in: Samples.thread("new"), clientID: "c\(seq)"))
        }
        // The store remembers the sends, whatever has become of the messages.
        for seq in 1...2 { await expectConflict(node.log, Samples.send("other", in: thread, clientID: "c\(seq)")) }
    }

    /// Names of every form, a day old or from 1970.
    private var oldNames: [String] {
        let time = WallClock.system.milliseconds - 25 * 60 * 60 * 1000
        return [
            "c1", Samples.uuidv7(at: time), Samples.ulid(at: time), "0190a1f2-79b0-4cc3-98c4-dc0c0c07398f",
            String(repeating: "x", count: 64), "00000000-0000-7000-8000-000000000000",
            String(repeating: "0", count: 26), "00000000-0001-7000-8000-000000000000",
        ]
    }

    func oldSends(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let (thread, attic) = (Samples.thread("used"), Samples.thread("attic"))
        // From a time that the log does not remember.
        let names = oldNames
        let stored = names.enumerated().map { index, name in
            Samples.event("old \(index)", in: attic, seq: Int64(index) + 1, clientID: name)
        }
        fixture.store.seed(stored)
        for thread in [thread, attic] { _ = try await node.log.append(Samples.send("hi", in: thread)) }
        for (index, name) in names.enumerated() {
            for _ in 0..<2 {
                let again = try await node.log.append(Samples.send("old \(index)", in: attic, clientID: name, id: "x"))
                try #require(again.isRepeat, "an old send is a repeat: \(name)")
                try #require(again.position == stored[index].position, "the first position")
                try #require(again.messageID == stored[index].message?.id, "the first message")
            }
            await expectConflict(node.log, Samples.send("other", in: attic, clientID: name))
            await expectConflict(node.log, Samples.send("old \(index)", in: thread, clientID: name))
            let other = try await node.log.append(Samples.send("old", in: thread, by: "bob", clientID: name))
            try #require(!other.isRepeat, "another's name")
        }
        try #require(try await node.log.head(of: attic)?.position.seq == Int64(names.count) + 1, "nothing was added")
    }

    func letThrough(_ fixture: some LogFixture) async throws {
        // An event that must be stored before it is accepted waits for the store, whatever its name.
        guard !fixture.keepsStoredEpoch else { return }
        let node = try await fixture.makeNode()
        let thread = Samples.thread("used")
        _ = try await node.log.append(Samples.send("hi", in: thread))
        for (index, name) in oldNames.enumerated() {
            fixture.store.failReads(.unavailable("away"))
            let receipt = try await node.log.append(Samples.send("\(index)", in: thread, clientID: name))
            try #require(receipt.position.seq == Int64(index) + 2, "seq while the store is away")
            let again = try await node.log.append(Samples.send("\(index)", in: thread, clientID: name))
            try #require(again.isRepeat && again.position == receipt.position, "the log remembers it")
        }
    }
}
