import ParleyModel
import Testing

extension StoreFact {
    /// Events about changes that the tables have already.
    static let relayed: [StoreFact] = [
        StoreFact("storing an outbox event removes its entry and changes nothing else") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            try await fixture.write(fixture.message("one", from: ann, in: room))
            let bodies: [LogEvent.Body] = [
                .left(bob, by: ann.id), .role(ann.id, .readOnly, by: ann.id), .renamed(title: "milk", by: ann.id),
            ]
            var events: [LogEvent] = []
            for (number, body) in bodies.enumerated() {
                try await fixture.entry(of: room)
                events.append(fixture.event(body, in: room, outboxID: Int64(number + 1)))
            }
            let batch = fixture.batch(events)
            #expect(try await fixture.store.write(batch) == [2, 3, 4].map { .stored(seq: $0) })
            #expect(try await fixture.database.count(.outbox) == 0)
            #expect(try await fixture.membership(of: bob, in: room) != nil)
            #expect(try await fixture.membership(of: ann, in: room)?.role == .owner)
            #expect(try await fixture.membership(of: ann, in: room)?.thread.title == "tea")
            let log = try await fixture.store.events(in: room, after: 1, limit: 9).events
            #expect(log.map(\.body) == bodies)
            #expect(try await fixture.store.write(batch) == [2, 3, 4].map { .repeated(seq: $0) })
        },
        StoreFact("a join from the outbox moves the member's cursor to the event") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann)
            try await fixture.write(fixture.message("one", from: ann, in: room))
            #expect(try await fixture.room("tea", bob) == room)
            try await fixture.entry(of: room)
            try await fixture.write(
                fixture.message("two", from: ann, in: room), fixture.event(.joined(bob), in: room, outboxID: 1),
                fixture.message("three", from: ann, in: room))
            #expect(try await fixture.unread(bob, in: room) == 1)
            #expect(try await fixture.store.thread(room, of: bob.id)?.readSeq == 3)
        },
        StoreFact("an event whose outbox entry is gone is a repeat, and its seq stays empty") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            try await fixture.entry(of: room)
            try await fixture.write(fixture.event(.joined(bob), in: room, outboxID: 1))
            let again = fixture.batch([fixture.event(.joined(bob), in: room, outboxID: 1)])
            #expect(try await fixture.store.write(again) == [.repeated(seq: 2)])
            #expect(try await fixture.store.events(in: room, after: 0, limit: 9).events.count == 1)
            #expect(try await fixture.store.head(of: room)?.position.seq == 2)
            fixture.epoch = Epoch("epoch2")
            #expect(try await fixture.write(fixture.message("new", from: ann, in: room, seq: 2)) == [.stored(seq: 3)])
            #expect(try await fixture.store.write(again) == [.repeated(seq: 2)])
        },
        StoreFact("events of a deleted thread are dropped, even if a thread with its id exists") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let gone = ThreadID(trusted: "r-tea")
            try await fixture.database.apply(.endEpoch("epoch1", of: gone))
            let late = [
                fixture.message("secret", from: ann, in: gone, clientID: "c"), fixture.joined(bob, in: gone),
                fixture.message("secret\0", from: ann, in: gone),
            ]
            let dropped = [StoreOutcome](repeating: .dropped("the thread was deleted"), count: 3)
            #expect(try await fixture.store.write(fixture.batch(late)) == dropped)
            #expect(try await fixture.room("tea", ann) == gone)
            let batch = fixture.batch(late)
            #expect(try await fixture.store.write(batch) == dropped)
            #expect(try await fixture.store.write(batch) == dropped)
            #expect(try await fixture.store.head(of: gone) == nil)
            #expect(try await fixture.membership(of: bob, in: gone) == nil)
            #expect(try await fixture.database.rejects().isEmpty)
            fixture.epoch = Epoch("epoch2")
            let new = fixture.message("new", from: ann, in: gone, seq: 1, clientID: "c")
            #expect(try await fixture.write(new) == [.stored(seq: 1)])
            #expect(try await fixture.store.write(fixture.batch(late)) == dropped)
            #expect(try await fixture.texts(in: gone) == ["new@1"])
        },
        StoreFact("a deleted direct thread is created again only by a message of a new epoch") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let thread = ThreadInfo.directID(ann.id, bob.id)
            try await fixture.database.apply(.endEpoch("epoch1", of: thread))
            let late = fixture.direct("secret", from: ann, to: bob)
            #expect(try await fixture.write(late) == [.dropped("the thread was deleted")])
            #expect(try await fixture.membership(of: ann, in: thread) == nil)
            fixture.epoch = Epoch("epoch2")
            #expect(try await fixture.write(fixture.direct("new", from: ann, to: bob)) == [.stored(seq: 2)])
            #expect(try await fixture.texts(in: thread) == ["new@2"])
        },
    ]

    /// The order of read marks.
    static let marks: [StoreFact] = [
        StoreFact("an earlier read mark does not undo a later one") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            for text in ["1", "2", "3"] { try await fixture.write(fixture.message(text, from: ann, in: room)) }
            try await fixture.store.markRead(room, by: bob.id, through: 3, at: 2000)
            try await fixture.store.markRead(room, by: bob.id, through: 1, at: 1000)
            #expect(try await fixture.unread(bob, in: room) == 0)
            try await fixture.write(fixture.message("4", from: ann, in: room))
            try await fixture.store.markRead(room, by: bob.id, through: nil, at: 2800)
            try await fixture.store.markRead(room, by: bob.id, through: 1, at: 2700)
            #expect(try await fixture.unread(bob, in: room) == 0)
            // Moved back on purpose.
            try await fixture.store.markRead(room, by: bob.id, through: 2, at: 3000)
            #expect(try await fixture.unread(bob, in: room) == 2)
            let late = ReadMark(thread: room, user: bob.id, seq: 3, milliseconds: 2500)
            let new = ReadMark(thread: room, user: bob.id, seq: 3, milliseconds: 3500)
            #expect(try await fixture.write(fixture.batch(contents: [.readMark(late)])) == [.marked])
            #expect(try await fixture.unread(bob, in: room) == 2)
            try await fixture.write(fixture.batch(contents: [.readMark(new)]))
            #expect(try await fixture.unread(bob, in: room) == 1)
        },
        StoreFact("a clock that runs ahead does not block later marks") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            for text in ["1", "2", "3"] { try await fixture.write(fixture.message(text, from: ann, in: room)) }
            try await fixture.store.markRead(room, by: bob.id, through: 1, at: .max)
            try await fixture.store.markRead(room, by: bob.id, through: 3, at: WallClock.system.milliseconds + 1000)
            #expect(try await fixture.unread(bob, in: room) == 0)
        },
        StoreFact("a mark at the cursor's seq supersedes earlier marks") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            for text in ["1", "2", "3"] { try await fixture.write(fixture.message(text, from: ann, in: room)) }
            try await fixture.store.markRead(room, by: bob.id, through: 3, at: 1000)
            try await fixture.store.markRead(room, by: bob.id, through: 3, at: 3000)
            let late = ReadMark(thread: room, user: bob.id, seq: 1, milliseconds: 2000)
            try await fixture.write(fixture.batch(contents: [.readMark(late)]))
            #expect(try await fixture.unread(bob, in: room) == 0)
            try await fixture.store.markRead(room, by: bob.id, through: 1, at: 3000)
            #expect(try await fixture.unread(bob, in: room) == 2)
        },
        StoreFact("a mark of a slow clock still moves forward, unless a later mark moved back") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            for text in ["1", "2", "3", "4"] { try await fixture.write(fixture.message(text, from: ann, in: room)) }
            try await fixture.store.markRead(room, by: bob.id, through: 2, at: 5000)
            try await fixture.store.markRead(room, by: bob.id, through: 3, at: 1000)
            #expect(try await fixture.unread(bob, in: room) == 1)
            // Back, forward again, and then a mark made before the move back.
            try await fixture.store.markRead(room, by: bob.id, through: 1, at: 6000)
            try await fixture.store.markRead(room, by: bob.id, through: 2, at: 7000)
            let late = ReadMark(thread: room, user: bob.id, seq: 4, milliseconds: 5500)
            try await fixture.write(fixture.batch(contents: [.readMark(late)]))
            #expect(try await fixture.unread(bob, in: room) == 2)
            let behind = ReadMark(thread: room, user: bob.id, seq: 3, milliseconds: 6500)
            try await fixture.write(fixture.batch(contents: [.readMark(behind)]))
            #expect(try await fixture.unread(bob, in: room) == 1)
        },
        StoreFact("marks and messages of a batch take effect in order") { fixture in
            let (ann, bob, cat) = (
                try await fixture.user("ann"), try await fixture.user("bob"), try await fixture.user("cat")
            )
            let room = try await fixture.room("tea", ann, bob, cat)
            func mark(_ user: User, _ seq: Int64, at made: Int64) -> IngestBatch.Entry.Content {
                .readMark(ReadMark(thread: room, user: user.id, seq: seq, milliseconds: made))
            }
            try await fixture.write(
                fixture.batch(contents: [
                    .event(fixture.message("1", from: ann, in: room)),
                    .event(fixture.message("2", from: bob, in: room)),
                    // Beyond the messages before it in the batch.
                    mark(cat, 9, at: 1), .event(fixture.message("3", from: ann, in: room)), mark(bob, 1, at: 1),
                    mark(ann, 1, at: 1), .event(fixture.message("4", from: ann, in: room)), mark(bob, 3, at: 2),
                    mark(bob, 2, at: 3), .event(fixture.message("5", from: cat, in: room)), mark(cat, 4, at: 2),
                ]))
            #expect(try await fixture.unread(ann, in: room) == 1)
            #expect(try await fixture.unread(bob, in: room) == 3)
            #expect(try await fixture.unread(cat, in: room) == 1)
            try await fixture.write(
                fixture.batch(contents: [mark(cat, 1, at: 5), .event(fixture.joined(cat, in: room))]))
            #expect(try await fixture.unread(cat, in: room) == 0)
        },
    ]
}
