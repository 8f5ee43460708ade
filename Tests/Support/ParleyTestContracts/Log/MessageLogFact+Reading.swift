import ParleyModel
import Testing

/// The contract of `MessageLog` for reading.
extension MessageLogFact {
    func empty(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("empty")
        try #require(try await node.log.head(of: thread) == nil, "head")
        try #require(
            try await node.log.events(in: thread, after: 0, limit: 10)
                == LogSlice(epoch: nil, events: [], end: 0, isTruncated: false), "slice")
    }

    func head(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("head")
        for number in 1...5 {
            let receipt = try await node.log.append(Samples.send("\(number)", in: thread))
            let head = try await node.log.head(of: thread)
            let expected = ThreadHead(
                position: receipt.position, milliseconds: receipt.milliseconds, messageCount: Int64(number))
            try #require(head == expected, "head")
            let heads = try await node.log.heads(of: [Samples.thread("nobodys"), thread])
            try #require(heads == [thread: expected], "heads")
            let ends = try await node.log.ends(of: [Samples.thread("nobodys"), thread])
            try #require(ends == [thread: receipt.position], "ends")
        }
    }

    func bounds(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("slices")
        for number in 1...10 { _ = try await node.log.append(Samples.send("\(number)", in: thread)) }
        let cases: [(after: Int64, limit: Int, seqs: [Int64])] = [
            (0, 100, Array(1...10)), (0, 10, Array(1...10)), (0, 3, [1, 2, 3]), (4, 2, [5, 6]), (9, 5, [10]),
            (10, 5, []), (99, 5, []), (3, 0, []),
        ]
        for (after, limit, seqs) in cases {
            let slice = try await node.log.events(in: thread, after: after, limit: limit)
            try #require(slice.events.map(\.position.seq) == seqs, "events after \(after), at most \(limit)")
            try #require(slice.events.map { $0.message?.text } == seqs.map { "\($0)" }, "texts")
            try #require(!slice.isTruncated, "nothing is missing after \(after)")
            try #require(slice.epoch != nil, "there is an epoch")
        }
    }

    func truncation(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("long")
        let kept = Int64(fixture.windowEvents)
        let count = kept + 200
        for number in 1...count { _ = try await node.log.append(Samples.send("\(number)", in: thread)) }
        let whole = try await node.log.events(in: thread, after: 0, limit: Int(count))
        let first = whole.events.first?.position.seq ?? 0
        try #require(whole.isTruncated, "the beginning is not there any more")
        try #require(whole.events.count >= fixture.windowEvents, "the newest \(kept) are there")
        try #require(whole.events.map(\.position.seq) == Array(first...count), "seqs")
        for after in [first - 2, first - 1, first, count] {
            let slice = try await node.log.events(in: thread, after: after, limit: 1)
            try #require(slice.isTruncated == (after < first - 1), "whether something is missing after \(after)")
        }
    }

    func dates(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("dates")
        let start = fixture.clock?.milliseconds ?? 0
        var dates: [Int64] = []
        for offset in [0, 5, -60_000, -1, 5, 6, -3, 7_000] as [Int64] {
            if let clock = fixture.clock { clock.milliseconds = start + offset }
            dates.append(try await node.log.append(Samples.send("\(offset)", in: thread)).milliseconds)
        }
        try #require(dates == dates.sorted(), "dates")
        if fixture.clock != nil {
            try #require(dates.map { $0 - start } == [0, 5, 5, 5, 5, 6, 6, 7000], "the greater of last and now")
        }
    }

    func counts(_ fixture: some LogFixture) async throws {
        let node = try await fixture.makeNode()
        let thread = Samples.thread("counts")
        let drafts = [
            Samples.join("ann", in: thread), Samples.send("1", in: thread), Samples.join("bob", in: thread),
            Samples.send("2", in: thread), Samples.send("3", in: thread), Samples.join("cyd", in: thread),
        ]
        var receipts: [Receipt] = []
        for draft in drafts { receipts.append(try await node.log.append(draft)) }
        let events = try await node.log.events(in: thread, after: 0, limit: 10).events
        try #require(events.map(\.messageCount) == [0, 1, 1, 2, 3, 3], "messages up to each event")
        try #require(events.map(\.position.seq) == Array(1...6), "seqs")
        try #require(events.map(\.body) == drafts.map(\.body), "bodies")
        try #require(receipts.map { $0.messageID == nil } == [true, false, true, false, false, true], "no message id")
    }

    func sharing(_ fixture: some LogFixture) async throws {
        let one = try await fixture.makeNode()
        let two = try await fixture.makeNode()
        let thread = Samples.thread("shared")
        let first = try await one.log.append(Samples.send("hi", in: thread, clientID: "c1"))
        let again = try await two.log.append(Samples.send("hi", in: thread, clientID: "c1"))
        try #require(again.position == first.position, "a repeat on another node")
        let second = try await two.log.append(Samples.send("ho", in: thread))
        try #require(second.position == Position(epoch: first.position.epoch, seq: 2), "position on another node")
        try #require(try await one.log.head(of: thread)?.position == second.position, "head on the first node")
        let events = try await one.log.events(in: thread, after: 0, limit: 10).events
        try #require(try await events == two.log.events(in: thread, after: 0, limit: 10).events, "events on both")
    }
}
