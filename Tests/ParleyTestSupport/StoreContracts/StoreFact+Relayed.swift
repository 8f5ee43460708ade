import ParleyModel
import Testing

extension StoreFact {
    /// Events about changes that the tables have already.
    static let relayed: [StoreFact] = [
        StoreFact("storing an outbox event removes its entry and changes nothing else") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann, bob)
            try await scene.write(scene.message("one", from: ann, in: room))
            let bodies: [LogEvent.Body] = [
                .left(bob, by: ann.id), .role(ann.id, .readOnly, by: ann.id), .renamed(title: "milk", by: ann.id),
            ]
            var events: [LogEvent] = []
            for (number, body) in bodies.enumerated() {
                try await scene.entry(of: room)
                events.append(scene.event(body, in: room, outboxID: Int64(number + 1)))
            }
            let batch = scene.batch(events)
            #expect(try await scene.store.write(batch) == [2, 3, 4].map { .stored(seq: $0) })
            #expect(try await scene.database.number("SELECT count(*) FROM outbox") == 0)
            #expect(try await scene.membership(of: bob, in: room) != nil)
            #expect(try await scene.membership(of: ann, in: room)?.role == .owner)
            #expect(try await scene.membership(of: ann, in: room)?.thread.title == "tea")
            let log = try await scene.store.events(in: room, after: 1, limit: 9).events
            #expect(log.map(\.body) == bodies)
            #expect(try await scene.store.write(batch) == [2, 3, 4].map { .repeated(seq: $0) })
        },
        StoreFact("a join from the outbox moves the member's cursor to the event") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann)
            try await scene.write(scene.message("one", from: ann, in: room))
            #expect(try await scene.room("tea", bob) == room)
            try await scene.entry(of: room)
            try await scene.write(
                scene.message("two", from: ann, in: room), scene.event(.joined(bob), in: room, outboxID: 1),
                scene.message("three", from: ann, in: room))
            #expect(try await scene.unread(bob, in: room) == 1)
            #expect(try await scene.store.thread(room, of: bob.id)?.readSeq == 3)
        },
        StoreFact("an event whose outbox entry is gone is a repeat, and its seq stays empty") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann, bob)
            try await scene.entry(of: room)
            try await scene.write(scene.event(.joined(bob), in: room, outboxID: 1))
            let again = scene.batch([scene.event(.joined(bob), in: room, outboxID: 1)])
            #expect(try await scene.store.write(again) == [.repeated(seq: 2)])
            #expect(try await scene.store.events(in: room, after: 0, limit: 9).events.count == 1)
            #expect(try await scene.store.head(of: room)?.position.seq == 2)
            scene.epoch = Epoch("epoch2")
            #expect(try await scene.write(scene.message("new", from: ann, in: room, seq: 2)) == [.stored(seq: 3)])
            #expect(try await scene.store.write(again) == [.repeated(seq: 2)])
        },
        StoreFact("events of a deleted thread are dropped, even if a thread with its id exists") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let gone = ThreadID(trusted: "r-tea")
            try await scene.database.execute(
                "INSERT INTO deleted_epochs (thread_id, epoch, deleted_ms) VALUES ('r-tea', 'epoch1', 1)")
            let late = [
                scene.message("secret", from: ann, in: gone, clientID: "c"), scene.joined(bob, in: gone),
                scene.message("secret\0", from: ann, in: gone),
            ]
            let dropped = [StoreOutcome](repeating: .dropped("the thread was deleted"), count: 3)
            #expect(try await scene.store.write(scene.batch(late)) == dropped)
            #expect(try await scene.room("tea", ann) == gone)
            let batch = scene.batch(late)
            #expect(try await scene.store.write(batch) == dropped)
            #expect(try await scene.store.write(batch) == dropped)
            #expect(try await scene.store.head(of: gone) == nil)
            #expect(try await scene.membership(of: bob, in: gone) == nil)
            #expect(try await scene.database.rejects().isEmpty)
            scene.epoch = Epoch("epoch2")
            let new = scene.message("new", from: ann, in: gone, seq: 1, clientID: "c")
            #expect(try await scene.write(new) == [.stored(seq: 1)])
            #expect(try await scene.store.write(scene.batch(late)) == dropped)
            #expect(try await scene.texts(in: gone) == ["new@1"])
        },
        StoreFact("a deleted direct thread is created again only by a message of a new epoch") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let thread = ThreadInfo.directID(ann.id, bob.id)
            try await scene.database.execute(
                "INSERT INTO deleted_epochs (thread_id, epoch, deleted_ms) VALUES ('\(thread)', 'epoch1', 1)")
            let late = scene.direct("secret", from: ann, to: bob)
            #expect(try await scene.write(late) == [.dropped("the thread was deleted")])
            #expect(try await scene.membership(of: ann, in: thread) == nil)
            scene.epoch = Epoch("epoch2")
            #expect(try await scene.write(scene.direct("new", from: ann, to: bob)) == [.stored(seq: 2)])
            #expect(try await scene.texts(in: thread) == ["new@2"])
        },
    ]

    /// The order of read marks.
    static let marks: [StoreFact] = [
        StoreFact("an earlier read mark does not undo a later one") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann, bob)
            for text in ["1", "2", "3"] { try await scene.write(scene.message(text, from: ann, in: room)) }
            try await scene.store.markRead(room, by: bob.id, through: 3, at: 2000)
            try await scene.store.markRead(room, by: bob.id, through: 1, at: 1000)
            #expect(try await scene.unread(bob, in: room) == 0)
            try await scene.write(scene.message("4", from: ann, in: room))
            try await scene.store.markRead(room, by: bob.id, through: nil, at: 2800)
            try await scene.store.markRead(room, by: bob.id, through: 1, at: 2700)
            #expect(try await scene.unread(bob, in: room) == 0)
            // Moved back on purpose.
            try await scene.store.markRead(room, by: bob.id, through: 2, at: 3000)
            #expect(try await scene.unread(bob, in: room) == 2)
            let late = ReadMark(thread: room, user: bob.id, seq: 3, milliseconds: 2500)
            let new = ReadMark(thread: room, user: bob.id, seq: 3, milliseconds: 3500)
            #expect(try await scene.write(scene.batch(contents: [.readMark(late)])) == [.marked])
            #expect(try await scene.unread(bob, in: room) == 2)
            try await scene.write(scene.batch(contents: [.readMark(new)]))
            #expect(try await scene.unread(bob, in: room) == 1)
        },
        StoreFact("a clock that runs ahead does not block later marks") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann, bob)
            for text in ["1", "2", "3"] { try await scene.write(scene.message(text, from: ann, in: room)) }
            try await scene.store.markRead(room, by: bob.id, through: 1, at: .max)
            try await scene.store.markRead(room, by: bob.id, through: 3, at: WallClock.system.milliseconds + 1000)
            #expect(try await scene.unread(bob, in: room) == 0)
        },
        StoreFact("a mark at the cursor's seq supersedes earlier marks") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann, bob)
            for text in ["1", "2", "3"] { try await scene.write(scene.message(text, from: ann, in: room)) }
            try await scene.store.markRead(room, by: bob.id, through: 3, at: 1000)
            try await scene.store.markRead(room, by: bob.id, through: 3, at: 3000)
            let late = ReadMark(thread: room, user: bob.id, seq: 1, milliseconds: 2000)
            try await scene.write(scene.batch(contents: [.readMark(late)]))
            #expect(try await scene.unread(bob, in: room) == 0)
            try await scene.store.markRead(room, by: bob.id, through: 1, at: 3000)
            #expect(try await scene.unread(bob, in: room) == 2)
        },
        StoreFact("a mark of a slow clock still moves forward, unless a later mark moved back") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann, bob)
            for text in ["1", "2", "3", "4"] { try await scene.write(scene.message(text, from: ann, in: room)) }
            try await scene.store.markRead(room, by: bob.id, through: 2, at: 5000)
            try await scene.store.markRead(room, by: bob.id, through: 3, at: 1000)
            #expect(try await scene.unread(bob, in: room) == 1)
            // Back, forward again, and then a mark made before the move back.
            try await scene.store.markRead(room, by: bob.id, through: 1, at: 6000)
            try await scene.store.markRead(room, by: bob.id, through: 2, at: 7000)
            let late = ReadMark(thread: room, user: bob.id, seq: 4, milliseconds: 5500)
            try await scene.write(scene.batch(contents: [.readMark(late)]))
            #expect(try await scene.unread(bob, in: room) == 2)
            let behind = ReadMark(thread: room, user: bob.id, seq: 3, milliseconds: 6500)
            try await scene.write(scene.batch(contents: [.readMark(behind)]))
            #expect(try await scene.unread(bob, in: room) == 1)
        },
        StoreFact("marks and messages of a batch take effect in order") { scene in
            let (ann, bob, cat) = (
                try await scene.user("ann"), try await scene.user("bob"), try await scene.user("cat")
            )
            let room = try await scene.room("tea", ann, bob, cat)
            func mark(_ user: User, _ seq: Int64, at made: Int64) -> IngestBatch.Entry.Content {
                .readMark(ReadMark(thread: room, user: user.id, seq: seq, milliseconds: made))
            }
            try await scene.write(
                scene.batch(contents: [
                    .event(scene.message("1", from: ann, in: room)), .event(scene.message("2", from: bob, in: room)),
                    // Beyond the messages before it in the batch.
                    mark(cat, 9, at: 1), .event(scene.message("3", from: ann, in: room)), mark(bob, 1, at: 1),
                    mark(ann, 1, at: 1), .event(scene.message("4", from: ann, in: room)), mark(bob, 3, at: 2),
                    mark(bob, 2, at: 3), .event(scene.message("5", from: cat, in: room)), mark(cat, 4, at: 2),
                ]))
            #expect(try await scene.unread(ann, in: room) == 1)
            #expect(try await scene.unread(bob, in: room) == 3)
            #expect(try await scene.unread(cat, in: room) == 1)
            try await scene.write(
                scene.batch(contents: [mark(cat, 1, at: 5), .event(scene.joined(cat, in: room))]))
            #expect(try await scene.unread(cat, in: room) == 0)
        },
    ]
}
