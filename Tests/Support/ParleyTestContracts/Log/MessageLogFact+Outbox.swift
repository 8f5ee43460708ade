import ParleyModel
import ParleyTestSupport
import Testing

extension MessageLogFact {
    private func draft(_ body: LogEvent.Body, in thread: ThreadID, _ outboxID: Int64) -> EventDraft {
        EventDraft(thread: thread, body: body, outboxID: outboxID)
    }

    func outbox(_ fixture: some LogFixture) async throws {
        let nodes = [try await fixture.makeNode(), try await fixture.makeNode()]
        let thread = Samples.thread("room")
        let bodies = Samples.bodies().filter { body in
            switch body {
            case .joined, .left, .role, .renamed, .visibility: true
            case .message, .edited, .deleted, .reaction: false
            }
        }
        var firsts: [Receipt] = []
        for (index, body) in bodies.enumerated() {
            let draft = draft(body, in: thread, Int64(index) + 1)
            let first = try await nodes[0].log.append(draft)
            try #require(!first.isRepeat, "the first is no repeat")
            _ = try await nodes[0].log.append(Samples.send("between \(index)", in: thread, clientID: "\(index + 1)"))
            var expected = first
            expected.isRepeat = true
            for node in nodes { try #require(try await node.log.append(draft) == expected, "receipt of a repeat") }
            firsts.append(first)
        }
        // A sender called `outbox` has names of its own.
        for sender in ["outbox", "ann"] {
            let receipt = try await nodes[0].log.append(Samples.send("x", in: thread, by: sender, clientID: "1000"))
            try #require(!receipt.isRepeat, "a send is no entry of the outbox")
        }
        let other = try await nodes[1].log.append(draft(bodies[0], in: thread, 1000))
        try #require(!other.isRepeat, "the same event of another entry is another event")
        let events = try await nodes[1].log.events(in: thread, after: 0, limit: 50).events
        let relayed = events.filter { $0.outboxID != nil }
        try #require(relayed.map(\.body) == bodies + [bodies[0]], "events of the outbox")
        try #require(relayed.map(\.outboxID) == (0..<bodies.count).map { Int64($0) + 1 } + [1000], "their entries")
        try #require(relayed.map(\.position) == (firsts + [other]).map(\.position), "their positions")
    }

    func manyRelays(_ fixture: some LogFixture) async throws {
        let nodes = [try await fixture.makeNode(), try await fixture.makeNode()]
        let thread = Samples.thread("room")
        // A thread that only the store has, so that all of them wait for it.
        fixture.store.seed([Samples.event("old", in: thread, seq: 7)])
        let responses = Recorder<(Int64, Result<Receipt, AppendError>)>()
        for number in 0..<60 {
            let id = Int64(number / 6)
            nodes[number % 2].log.append(draft(.joined(Samples.user("user-\(id)")), in: thread, id)) {
                responses.record((id, $0))
            }
        }
        var receipts: [Int64: [Receipt]] = [:]
        for (id, response) in try await responses.wait(count: 60) {
            receipts[id, default: []].append(try response.get())
        }
        for (id, receipts) in receipts {
            try #require(receipts.filter { !$0.isRepeat }.count == 1, "first receipts of \(id)")
            try #require(Set(receipts.map(\.position)).count == 1, "positions of \(id)")
        }
        let events = try await nodes[0].log.events(in: thread, after: 7, limit: 100).events
        try #require(events.count == 10, "events")
        try #require(Set(events.map(\.outboxID)).count == 10, "entries")
    }
}
