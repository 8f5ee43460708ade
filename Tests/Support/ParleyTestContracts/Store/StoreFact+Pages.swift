import ParleyModel
import Testing

extension StoreFact {
    /// Pages of messages.
    static let pages: [StoreFact] = [
        StoreFact("every combination of bounds gives the page that filtering would give") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            // Seconds 10 (one message), 11 (three), 13 (two, and an event that is not one), 14 (two).
            let dates: [Int64] = [10_999, 11_000, 11_500, 11_999, 13_000, 13_001, 14_000, 14_700]
            var events = dates.prefix(5).map { fixture.message("\($0)", from: ann, in: room, at: $0) }
            fixture.milliseconds = 13_000
            events.append(fixture.joined(ann, in: room))
            events += dates.suffix(3).map { fixture.message("\($0)", from: ann, in: room, at: $0) }
            try await fixture.write(fixture.batch(events))
            let messages = events.filter { $0.message != nil }.map(\.stored)

            let seconds: [Int64?] = [nil, 9, 10, 11, 12, 13, 14, 15]
            let seqs: [Int64?] = [nil, 0, 1, 3, 6, 9, 10]
            for before in seconds {
                for after in seconds {
                    for (beforeSeq, afterSeq) in seqs.flatMap({ one in seqs.map { (one, $0) } }) {
                        for (limit, isWhole) in [(0, false), (1, true), (2, false), (3, true), (30, true)] {
                            let query = MessageQuery(
                                before: before, after: after, beforeSeq: beforeSeq, afterSeq: afterSeq, limit: limit,
                                keepsSecondsWhole: isWhole)
                            let page = try await fixture.store.messages(in: room, query)
                            if page != StoreModel.page(of: messages, query) { Issue.record("wrong page for \(query)") }
                        }
                    }
                }
            }
        },
        StoreFact("paging by whole seconds skips nothing and terminates") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            // Bursts of 1, 2, … 12 messages a second.
            let events = (1...12).flatMap { second in
                (0..<second).map {
                    fixture.message("\(second).\($0)", from: ann, in: room, at: Int64(second * 1000 + $0))
                }
            }
            try await fixture.write(fixture.batch(events))
            for isForward in [false, true] {
                var seen: [LogEvent] = []
                var query = MessageQuery(after: isForward ? 0 : nil, limit: 5, keepsSecondsWhole: true)
                for _ in 0..<20 {
                    let page = try await fixture.store.messages(in: room, query)
                    seen = isForward ? page.messages + seen : seen + page.messages
                    guard !page.isEnd, let edge = isForward ? page.messages.first : page.messages.last else { break }
                    if isForward {
                        query.after = edge.milliseconds / 1000
                    } else {
                        query.before = edge.milliseconds / 1000
                    }
                }
                #expect(seen == events.reversed().map(\.stored))
            }
        },
        StoreFact("bounds at the limits of Int64 work like others") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let event = fixture.message("one", from: ann, in: room)
            try await fixture.write(event)
            let whole = MessagePage(messages: [event.stored], isEnd: true)
            let none = MessagePage(messages: [], isEnd: true)
            let cases: [(MessageQuery, MessagePage)] = [
                (MessageQuery(before: .max, limit: 3), whole), (MessageQuery(before: .min, limit: 3), none),
                (MessageQuery(after: .min, limit: 3), whole), (MessageQuery(after: .max, limit: 3), none),
                (MessageQuery(beforeSeq: .max, limit: 3), whole), (MessageQuery(beforeSeq: .min, limit: 3), none),
                (MessageQuery(afterSeq: .min, limit: 3), whole), (MessageQuery(afterSeq: .max, limit: 3), none),
                (MessageQuery(limit: .max, keepsSecondsWhole: true), whole),
                (MessageQuery(limit: -1), MessagePage(messages: [], isEnd: false)),
            ]
            for (query, page) in cases {
                #expect(try await fixture.store.messages(in: room, query) == page, "\(query)")
            }
            #expect(try await fixture.store.messages(in: ThreadID(trusted: "none"), MessageQuery(limit: 3)) == none)
        },
    ]
}
