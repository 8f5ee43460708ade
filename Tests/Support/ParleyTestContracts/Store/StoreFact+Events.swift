import ParleyModel
import Testing

extension StoreFixture {
    /// Reads the stream up to its end, in pages of at most `limit` events.
    func stream(
        after cursor: EventCursor = .start, _ query: EventQuery = EventQuery()
    ) async throws -> (events: [LogEvent], next: EventCursor) {
        var (events, next) = ([LogEvent](), cursor)
        while true {
            let page = try #require(try await store.events(after: next, query))
            #expect(page.events.count <= query.limit)
            // A cursor that has been a client's text is the same cursor.
            #expect(EventCursor(page.next.text) == page.next)
            events += page.events
            next = page.next
            if page.isEnd { return (events, next) }
        }
    }

    /// `kind@seq` of each event of the stream.
    fileprivate func places(_ query: EventQuery = EventQuery()) async throws -> [String] {
        try await stream(after: .start, query).events.map(\.place)
    }
}

extension LogEvent {
    fileprivate var place: String { "\(body.kind.rawValue)@\(position.seq)" }
}

extension StoreFact {
    /// The stream of stored events (`EventFeed`).
    static let events: [StoreFact] =
        [
            StoreFact("the stream has every kind of event, in its thread's order and present state") { fixture in
                let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
                let room = try await fixture.room("tea", ann, bob)
                let joined = fixture.joined(bob, in: room)
                let one = fixture.message("one", from: ann, in: room)
                let two = fixture.message("two", from: bob, in: room)
                try await fixture.write(joined, one, two)
                try await fixture.write(fixture.edit(one, "uno", by: ann), fixture.react(one, "👍", by: bob))
                try await fixture.write(
                    fixture.delete(two, by: bob), fixture.event(.renamed(title: "coffee", by: ann.id), in: room))
                let (events, next) = try await fixture.stream()
                #expect(
                    events.map(\.place) == [
                        "joined@1", "message@2", "message@3", "edited@4", "reaction@5", "deleted@6", "renamed@7",
                    ])
                #expect(events == events.filter { $0.thread == room && $0.position.epoch == fixture.epoch })
                let messages = events.compactMap(\.message)
                #expect(messages.map(\.text) == ["uno", ""])
                #expect(messages.map(\.status.isDeleted) == [false, true])
                #expect(messages[0].status.reactions.map(\.emoji) == ["👍"])
                let log = try await fixture.store.events(in: room, after: 0, limit: 100).events
                #expect(Set(events) == Set(log))
                #expect(try await fixture.stream(after: next).events.isEmpty)
                #expect(try await fixture.store.endOfEvents() == next)
            },
            StoreFact("pages of any size go through the stream without a gap or a repetition") { fixture in
                let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
                let rooms = [try await fixture.room("tea", ann), try await fixture.room("milk", bob)]
                for number in 0..<30 {
                    try await fixture.write(
                        fixture.batch(
                            (0..<9).map { fixture.message("\(number) \($0)", from: ann, in: rooms[$0 % 2]) }))
                }
                let all = try await fixture.stream().events
                #expect(all.count == 270)
                #expect(Set(all.map { $0.message?.text ?? "" }).count == 270)
                for room in rooms {
                    let seqs = all.filter { $0.thread == room }.map(\.position.seq)
                    #expect(seqs == seqs.sorted())
                }
                for limit in [1, 7, 100] {
                    #expect(try await fixture.stream(after: .start, EventQuery(limit: limit)).events == all)
                }
            },
            StoreFact("a large batch does not hide those after it") { fixture in
                let ann = try await fixture.user("ann")
                let room = try await fixture.room("tea", ann)
                // Each seq is a run of its own, so the batch has more bytes than a page reads.
                let messages = (1...500).map { number in
                    var message = fixture.message("\(number)", from: ann, in: room)
                    message.position.seq = Int64(number * 2)
                    return message
                }
                try await fixture.write(fixture.batch(messages))
                var last = fixture.message("last", from: ann, in: room)
                last.position.seq = 2_000
                try await fixture.write(last)
                for limit in [150, 200] {
                    let seqs = try await fixture.stream(after: .start, EventQuery(limit: limit)).events
                        .map(\.position.seq)
                    #expect(seqs == (1...500).map { Int64($0 * 2) } + [2_000])
                }
                let found = try await fixture.stream(after: .start, EventQuery(thread: room)).events
                #expect(found.count == 501)
            },
            StoreFact("a query includes kinds, a thread and a user, and its cursor passes all other events") {
                fixture in
                let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
                let (tea, milk) = (try await fixture.room("tea", ann), try await fixture.room("milk", ann, bob))
                let one = fixture.message("one", from: ann, in: tea)
                try await fixture.write(one, fixture.message("two", from: bob, in: milk))
                try await fixture.write(
                    fixture.react(one, "👍", by: bob),
                    fixture.event(.role(bob.id, .moderator, by: ann.id), in: milk))
                #expect(
                    try await fixture.places(EventQuery(kinds: [.reaction, .role], limit: 1)) == [
                        "reaction@2", "role@2",
                    ])
                #expect(try await fixture.places(EventQuery(thread: milk, limit: 1)) == ["message@1", "role@2"])
                #expect(
                    try await fixture.places(EventQuery(user: bob.id, limit: 1)) == [
                        "message@1", "reaction@2", "role@2",
                    ])
                #expect(try await fixture.places(EventQuery(user: ann.id)) == ["message@1", "role@2"])
                let (events, next) = try await fixture.stream(after: .start, EventQuery(kinds: [.left]))
                #expect(events.isEmpty)
                #expect(try await fixture.store.endOfEvents() == next)
            },
            StoreFact("an event that is stored late is in the stream when it is stored; a repeated one is not again") {
                fixture in
                let ann = try await fixture.user("ann")
                let room = try await fixture.room("tea", ann)
                let (one, three) = (
                    fixture.message("1", from: ann, in: room, seq: 1), fixture.message("3", from: ann, in: room, seq: 3)
                )
                try await fixture.write(one, three)
                let cursor = try await fixture.stream().next
                try await fixture.write(fixture.message("2", from: ann, in: room, seq: 2))
                let again = fixture.batch([one, three])
                #expect(try await fixture.store.write(again) == [.repeated(seq: 1), .repeated(seq: 3)])
                #expect(try await fixture.stream(after: cursor).events.map(\.place) == ["message@2"])
                // The log has lost its end: the event gets another seq, in another epoch.
                fixture.epoch = Epoch("epoch2")
                try await fixture.write(fixture.message("x", from: ann, in: room, seq: 2))
                let moved = try #require(try await fixture.stream().events.last)
                #expect(moved.position == Position(epoch: Epoch("epoch2").successor, seq: 4))
                #expect(try await fixture.places() == ["message@1", "message@3", "message@2", "message@4"])
            },
        ] + restored + erasedEvents + concurrent

    private static let restored: [StoreFact] = [
        StoreFact("a database that was restored to an earlier state does not have the cursor, later events or not") {
            fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            try await fixture.write(fixture.message("1", from: ann, in: room))
            let first = try await fixture.stream().next
            try await fixture.write(
                fixture.message("2", from: ann, in: room), fixture.message("3", from: ann, in: room))
            let second = try await fixture.stream().next
            let between = try #require(try await fixture.store.events(after: first, EventQuery(limit: 1))).next
            #expect(between != second)
            try await fixture.database.apply(.forgetEventBatches(after: try #require(first.places[0]).stamp))
            for cursor in [between, second] {
                #expect(try await fixture.store.events(after: cursor, EventQuery()) == nil)
            }
            #expect(try await fixture.stream(after: first).events.isEmpty)
            // Stamps are times, and a restoration takes some.
            let moment = try await fixture.store.databaseMilliseconds()
            while try await fixture.store.databaseMilliseconds() < moment + 2 {
                await Task.yield()
            }
            try await fixture.write(fixture.message("4", from: ann, in: room))
            try await fixture.write(fixture.message("5", from: ann, in: room))
            for cursor in [between, second] {
                #expect(try await fixture.store.events(after: cursor, EventQuery()) == nil)
            }
            #expect(try await fixture.stream(after: first).events.map { $0.message?.text } == ["4", "5"])
        },
        StoreFact("a cursor of another database is not known, and the start is, without any events") { fixture in
            let foreign = EventCursor([0: EventCursor.Place(stamp: 1_700_000_000_000_000)])
            #expect(try await fixture.store.events(after: foreign, EventQuery()) == nil)
            let page = try #require(try await fixture.store.events(after: .start, EventQuery()))
            #expect(page == EventFeedPage(entries: [], next: .start, isEnd: true, storedMilliseconds: nil))
            #expect(try await fixture.store.endOfEvents() == .start)
        },
    ]

    private static let erasedEvents: [StoreFact] = [
        StoreFact("the stream has no text of an erased user") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            try await fixture.write(fixture.message("secret", from: ann, in: room))
            try await fixture.write(fixture.message("hi", from: bob, in: room))
            _ = try await fixture.store.eraseUser(ann.id, at: 1)
            #expect(try await fixture.stream().events.map { $0.message?.text } == ["", "hi"])
        }
    ]

    private static let concurrent: [StoreFact] = [
        StoreFact("a reader beside concurrent writers misses nothing, and gets each thread in its order") { fixture in
            let ann = try await fixture.user("ann")
            let stores = [fixture.store, try await fixture.database.open(), try await fixture.database.open()]
            var writers: [[IngestBatch]] = []
            for writer in 0..<3 {
                let rooms = [
                    try await fixture.room("own \(writer)", ann), try await fixture.room("other \(writer)", ann),
                ]
                fixture.partition = Partition(number: writer)
                writers.append(
                    (0..<20).map { _ in
                        fixture.batch((0..<4).map { fixture.message("\($0)", from: ann, in: rooms[$0 % 2]) })
                    })
            }
            let progress = Progress(writers: writers.count)
            let events = try await withThrowingTaskGroup { group in
                for (number, batches) in writers.enumerated() {
                    group.addTask {
                        // A thread's next batch is often written by another process.
                        for (index, batch) in batches.enumerated() {
                            _ = try await stores[(number + index) % 3].write(batch)
                        }
                        await progress.end()
                    }
                }
                let reader = stores[0]
                var (events, cursor) = ([LogEvent](), EventCursor.start)
                while true {
                    let isOver = await progress.isOver
                    let page = try #require(try await reader.events(after: cursor, EventQuery(limit: 5)))
                    events += page.events
                    cursor = page.next
                    if isOver, page.isEnd { break }
                }
                try await group.waitForAll()
                return events
            }
            #expect(events.count == 240)
            for (_, log) in Dictionary(grouping: events, by: \.thread) {
                #expect(log.map(\.position.seq) == (1...40).map { Int64($0) })
            }
        }
    ]
}

/// The writers that have not finished.
private actor Progress {
    private var writers: Int

    init(writers: Int) {
        self.writers = writers
    }

    var isOver: Bool { writers == 0 }

    func end() { writers -= 1 }
}
