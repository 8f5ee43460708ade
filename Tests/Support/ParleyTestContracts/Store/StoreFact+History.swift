import ParleyModel
import Testing

extension StoreFact {
    /// Pages of history and of the whole log, and a user's list of threads.
    static let history: [StoreFact] = [
        StoreFact("every place and length gives the page that filtering would give") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            // Seqs 1 and 5 are not messages; 4 and 6 have the same date.
            fixture.milliseconds = 1000
            var events = [fixture.joined(ann, in: room)]
            for date in [2000, 3000, 4000] as [Int64] {
                events.append(fixture.message("\(date)", from: ann, in: room, at: date))
            }
            fixture.milliseconds = 4000
            events.append(fixture.joined(ann, in: room))
            for date in [4000, 5000, 5001] as [Int64] {
                events.append(fixture.message("\(date) again", from: ann, in: room, at: date))
            }
            fixture.milliseconds = 6000
            events.append(fixture.joined(ann, in: room))
            try await fixture.write(fixture.batch(events))
            let messages = events.filter { $0.message != nil }.map(\.stored)
            let head = try await fixture.store.head(of: room)
            #expect(head?.position.seq == 9)

            let seqs: [Int64] = Array(-1...11) + [.min, .max]
            let dates: [Int64] = [.min, -1, 1999, 2000, 2001, 3999, 4000, 4001, 5000, 5001, 5002, .max]
            let places: [HistoryQuery.Place] =
                [.newest] + seqs.map { .before($0) } + seqs.map { .after($0) } + seqs.map { .around($0) }
                + dates.map { .at($0) }
            for place in places {
                for limit in [1, 2, 3, 5, 6, 7, 30] {
                    let query = HistoryQuery(place, limit: limit)
                    let page = try await fixture.store.history(in: room, query)
                    if page != StoreModel.history(of: messages, query, head: head) {
                        Issue.record("wrong page for \(query): \(page)")
                    }
                }
            }
        },
        StoreFact("a page around a message has the message in the middle") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            try await fixture.write(fixture.batch((1...20).map { fixture.message("\($0)", from: ann, in: room) }))
            for (limit, seqs) in [(1, 10...10), (2, 9...10), (3, 9...11), (6, 7...12)] as [(Int, ClosedRange<Int64>)] {
                let page = try await fixture.store.history(in: room, HistoryQuery(.around(10), limit: limit))
                #expect(page.messages.map(\.position.seq) == Array(seqs))
                #expect(page.hasMoreBefore && page.hasMoreAfter)
            }
        },
        StoreFact("an unknown or empty thread has an empty page without a head") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            for thread in [room, ThreadID(trusted: "nowhere")] {
                for place in [.newest, .before(3), .after(0), .around(1), .at(5)] as [HistoryQuery.Place] {
                    let page = try await fixture.store.history(in: thread, HistoryQuery(place, limit: 3))
                    #expect(page == HistoryPage(messages: [], hasMoreBefore: false, hasMoreAfter: false, head: nil))
                }
                let log = try await fixture.store.events(in: thread, after: 0, limit: 3)
                #expect(log == LogPage(events: [], hasMore: false, head: nil))
            }
        },
        StoreFact("the log contains messages and other events in seq order") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            var events: [LogEvent] = []
            for number in 0..<12 {
                events.append(
                    [3, 4, 9].contains(number)
                        ? fixture.joined(number == 4 ? bob : ann, in: room)
                        : fixture.message("\(number)", from: ann, in: room, clientID: number == 1 ? "c" : nil))
            }
            try await fixture.write(fixture.batch(events))
            let stored = events.map(\.stored)
            let head = try await fixture.store.head(of: room)
            for after in [.min, -1, 0, 1, 3, 4, 5, 11, 12, 13, .max] as [Int64] {
                let rest = stored.filter { $0.position.seq > after }
                for limit in [1, 2, 5, 11, 12, 13] {
                    let page = try await fixture.store.events(in: room, after: after, limit: limit)
                    let expected = LogPage(
                        events: Array(rest.prefix(limit)), hasMore: rest.count > limit, head: head)
                    #expect(page == expected, "after \(after), limit \(limit)")
                }
            }
            // A limit out of range is clamped.
            #expect(try await fixture.store.events(in: room, after: 0, limit: -1).events.count == 1)
            #expect(try await fixture.store.events(in: room, after: 0, limit: .max).events.count == 12)
        },
        StoreFact("a list of threads has the newest activity first and continues after its last entry") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            for (title, joined) in [("a", 1000), ("b", 2000), ("c", 3000), ("d", 2000), ("e", 2000)]
                as [(String, Int64)]
            {
                fixture.milliseconds = joined
                _ = try await fixture.room(title, bob, ann)
            }
            let rooms = ["a", "b", "c", "d", "e"].map { ThreadID(trusted: "r-\($0)") }
            fixture.milliseconds = 1500
            try await fixture.write(
                fixture.joined(ann, in: rooms[0]), fixture.message("1", from: bob, in: rooms[0]),
                fixture.message("2", from: bob, in: rooms[0], at: 2000))
            fixture.milliseconds = 2500
            try await fixture.write(fixture.direct("hi", from: bob, to: ann))

            var listed: [ThreadSummary] = []
            var place: ThreadPlace?
            repeat {
                let page = try await fixture.store.threads(of: ann.id, after: place, limit: 2)
                #expect(page.count <= 2)
                listed += page
                place = page.last?.place
            } while place != nil
            #expect(listed.map(\.membership.thread.title) == ["c", "bob", "a", "b", "d", "e"])
            #expect(listed == (try await fixture.store.threads(of: ann.id, after: nil, limit: 100)))
            let readStates = try await fixture.store.readStates(
                of: [ann.id, bob.id, UserID(trusted: "nobody")], limit: 4)
            #expect(readStates[ann.id] == listed.prefix(4).map(\.readState))
            #expect(readStates[bob.id]?.count == 4)
            #expect(readStates[UserID(trusted: "nobody"), default: []].isEmpty)
            let direct = listed[1]
            #expect(direct.membership.peer == bob)
            #expect(direct.unreadCount == 1)
            let busy = listed[2]
            #expect(
                busy.membership
                    == Membership(
                        thread: ThreadInfo(id: rooms[0], kind: .room, title: "a"), role: .member))
            #expect(busy.head == Position(epoch: fixture.epoch, seq: 3))
            #expect(busy.readSeq == 1)
            #expect(busy.unreadCount == 2)
            #expect(busy.lastMessage?.message?.text == "2")
            #expect(busy.activity == 2000)
            let silent = listed[0]
            #expect(silent.head == nil)
            #expect(silent.lastMessage == nil)
            #expect(silent.activity == 3000)
            #expect(try await fixture.store.threads(of: bob.id, after: nil, limit: 100).count == 6)
            #expect(try await fixture.store.threads(of: bob.id, after: nil, limit: 0).isEmpty)
            #expect(try await fixture.store.threads(of: UserID(trusted: "nobody"), after: nil, limit: 9).isEmpty)
        },
    ]
}
