import ParleyModel
import Testing

extension StoreFact {
    /// The seqs that events get.
    static let places: [StoreFact] = [
        StoreFact("the same clientID is one message, stored under its first seq") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let first = fixture.message("one", from: ann, in: room, clientID: "c")
            let other = fixture.message("mine", from: bob, in: room, clientID: "c")
            #expect(try await fixture.write(first, other) == [.stored(seq: 1), .stored(seq: 2)])
            // In a batch of its own, and twice in one batch.
            let again = fixture.message("one", from: ann, in: room, clientID: "c")
            let new = fixture.message("two", from: ann, in: room, clientID: "d")
            let newAgain = fixture.message("two", from: ann, in: room, clientID: "d")
            let outcomes = try await fixture.write(again, new, newAgain)
            #expect(outcomes == [.repeated(seq: 1), .stored(seq: 4), .repeated(seq: 4)])
            #expect(try await fixture.texts(in: room) == ["one@1", "mine@2", "two@4"])
            #expect(try await fixture.unread(bob, in: room) == 1)
            // The log has used seq 5, so a log seeded from this store must not assign it again.
            let head = try await fixture.store.head(of: room)
            #expect(head?.position.seq == 5)
            #expect(head?.messageCount == 3)
        },
        StoreFact("a message whose seq is taken gets the next free seq, in another epoch") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            try await fixture.write(
                fixture.message("1", from: ann, in: room), fixture.message("2", from: ann, in: room),
                fixture.message("3", from: ann, in: room))
            // The log has lost its end and continues from 2.
            fixture.epoch = Epoch("epoch2")
            fixture.incarnation = "second"
            let batch = fixture.batch([
                fixture.message("x", from: bob, in: room, seq: 2), fixture.message("y", from: bob, in: room, seq: 3),
                fixture.message("z", from: bob, in: room, seq: 4),
            ])
            let outcomes = try await fixture.store.write(batch)
            #expect(outcomes == [.stored(seq: 4), .stored(seq: 5), .stored(seq: 6)])
            #expect(try await fixture.texts(in: room) == ["1@1", "2@2", "3@3", "x@4", "y@5", "z@6"])
            let head = try await fixture.store.head(of: room)
            // x was accepted as 2, so no other event of its epoch may be 4: the epoch has ended.
            let successor = Epoch("epoch2").successor
            #expect(head?.position == Position(epoch: successor, seq: 6))
            let stored = try await fixture.messages(in: room).map(\.position.epoch)
            #expect(stored == Array(repeating: Epoch("epoch1"), count: 3) + Array(repeating: successor, count: 3))
            #expect(head?.messageCount == 6)
            #expect(try await fixture.messages(in: room).map(\.messageCount) == [1, 2, 3, 4, 5, 6])
            #expect(try await fixture.unread(ann, in: room) == 3)
            #expect(try await fixture.unread(bob, in: room) == 0)
            // A replay finds them in place, with and without the checkpoint.
            #expect(try await fixture.store.write(batch) == [.repeated(seq: 4), .repeated(seq: 5), .repeated(seq: 6)])
            // What the log has accepted in that epoch meanwhile is moved too, though its seq is free.
            #expect(
                try await fixture.write(fixture.message("late", from: bob, in: room, seq: 7)) == [.stored(seq: 8)])
            fixture.epoch = successor
            #expect(
                try await fixture.write(fixture.message("after", from: bob, in: room, seq: 9)) == [.stored(seq: 9)])
            #expect(try await fixture.store.head(of: room)?.position == Position(epoch: successor, seq: 9))
            #expect(try await fixture.store.write(batch) == [.repeated(seq: 4), .repeated(seq: 5), .repeated(seq: 6)])
        },
        StoreFact("messages and other events never share a seq") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            try await fixture.write(fixture.joined(ann, in: room), fixture.message("one", from: ann, in: room))
            fixture.epoch = Epoch("epoch2")
            let events = [fixture.message("two", from: ann, in: room, seq: 1), fixture.joined(bob, in: room, seq: 2)]
            let batch = fixture.batch(events)
            #expect(try await fixture.store.write(batch) == [.stored(seq: 3), .stored(seq: 4)])
            fixture.epoch = Epoch("epoch2").successor
            try await fixture.write(fixture.message("three", from: ann, in: room, seq: 5))
            #expect(try await fixture.store.write(batch) == [.repeated(seq: 3), .repeated(seq: 4)])
            #expect(try await fixture.texts(in: room) == ["one@2", "two@3", "three@5"])
            #expect(try await fixture.unread(bob, in: room) == 1)
        },
        StoreFact("a late event is inserted at its own seq") { fixture in
            let (ann, bob, cat) = (
                try await fixture.user("ann"), try await fixture.user("bob"), try await fixture.user("cat")
            )
            let room = try await fixture.room("tea", ann, bob, cat)
            let events = (1...5).map { fixture.message("\($0)", from: ann, in: room) }
            try await fixture.write(events[0], events[3])
            try await fixture.store.markRead(room, by: cat.id, through: 4)
            try await fixture.store.markRead(room, by: bob.id, through: 1)
            #expect(try await fixture.write(events[2], events[4], events[1]) == [3, 5, 2].map { .stored(seq: $0) })
            #expect(try await fixture.messages(in: room) == events.map(\.stored))
            #expect(try await fixture.unread(ann, in: room) == 0)
            #expect(try await fixture.unread(bob, in: room) == 4)
            #expect(try await fixture.unread(cat, in: room) == 1)
            #expect(try await fixture.store.head(of: room)?.messageCount == 5)
        },
        StoreFact("dates never decrease as seq rises") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            try await fixture.write(
                fixture.message("1", from: ann, in: room, at: 5000),
                fixture.message("2", from: ann, in: room, at: 3000),
                fixture.message("4", from: ann, in: room, seq: 4, at: 7000))
            try await fixture.write(
                fixture.message("3", from: ann, in: room, seq: 3, at: 9000),
                fixture.message("5", from: ann, in: room, seq: 5, at: 1000))
            #expect(try await fixture.messages(in: room).map(\.milliseconds) == [5000, 5000, 7000, 7000, 7000])
            #expect(try await fixture.store.head(of: room)?.milliseconds == 7000)
        },
        StoreFact("a gap in the log stays a gap") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let outcomes = try await fixture.write(
                fixture.message("1", from: ann, in: room),
                fixture.message("2", from: ann, in: room, seq: 1_000_000_000_000)
            )
            #expect(outcomes == [.stored(seq: 1), .stored(seq: 1_000_000_000_000)])
            #expect(try await fixture.store.head(of: room)?.messageCount == 2)
            #expect(try await fixture.unread(bob, in: room) == 2)
        },
    ]

    /// Entries that cannot be stored.
    static let rejects: [StoreFact] = [
        StoreFact("an unreadable entry is kept byte for byte, and the rest of the batch is stored") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let bytes: [UInt8] = [0, 255, 10, 0x7b, 39]
            let batch = fixture.batch(contents: [
                .event(fixture.message("one", from: ann, in: room)), .unreadable(reason: "no map", bytes: bytes),
                .unreadable(reason: "empty", bytes: []), .event(fixture.message("two", from: ann, in: room)),
            ])
            let outcomes = try await fixture.store.write(batch)
            #expect(outcomes == [.stored(seq: 1), .rejected("no map"), .rejected("empty"), .stored(seq: 2)])
            let rejects = [StoreReject(reason: "no map", bytes: bytes), StoreReject(reason: "empty", bytes: [])]
            #expect(try await fixture.database.rejects() == rejects)
            let again = try await fixture.store.write(batch)
            #expect(again == [.repeated(seq: 1), .rejected("no map"), .rejected("empty"), .repeated(seq: 2)])
            #expect(try await fixture.database.rejects() == rejects)
        },
        StoreFact("an event that the persister gave up on is rejected with its thread, user and message") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let one = fixture.message("secret", from: ann, in: room)
            let two = fixture.message("secret too", from: bob, in: room)
            let batch = fixture.batch(contents: [.refused(one, reason: "why"), .refused(two, reason: "why")])
            for _ in 0..<2 {
                #expect(try await fixture.store.write(batch) == [.rejected("why"), .rejected("why")])
            }
            // Its seq is used, it can be deleted, and its author erased.
            #expect(try await fixture.store.head(of: room)?.position == two.position)
            #expect(
                try await fixture.database.count(.rejects(room)) == 2)
            try await fixture.write(fixture.delete(one, by: ann))
            var left = try await fixture.database.rejects().map { String(decoding: $0.bytes, as: UTF8.self) }
            #expect(left.count == 3 && left[0].isEmpty && left[1].contains("secret too"))
            _ = try await fixture.store.eraseUser(bob.id, at: 5)
            left = try await fixture.database.rejects().map { String(decoding: $0.bytes, as: UTF8.self) }
            #expect(!left.contains { $0.contains("secret") })
            let late = fixture.message("secret again", from: bob, in: room)
            try await fixture.write(fixture.batch(contents: [.refused(late, reason: "why")]))
            left = try await fixture.database.rejects().map { String(decoding: $0.bytes, as: UTF8.self) }
            #expect(!left.contains { $0.contains("secret") })
            // Nor is anything kept of an event without a text that an erased user has caused.
            try await fixture.write(fixture.batch(contents: [.refused(fixture.delete(two, by: bob), reason: "why")]))
            #expect(try await fixture.database.rejects().last?.bytes == [])
            let gone = fixture.message("x", from: ann, in: ThreadID(trusted: "gone"))
            try await fixture.database.apply(.endEpoch("epoch1", of: gone.thread))
            #expect(
                try await fixture.write(fixture.batch(contents: [.refused(gone, reason: "why")])) == [
                    .dropped("the thread was deleted")
                ])
        },
        StoreFact("a rejected direct message does not reveal its recipient's name") { fixture in
            let ann = try await fixture.user("ann")
            let bob = User(id: UserID(trusted: "u-bob"), name: "secret name")
            #expect(try await fixture.write(fixture.direct("hi", from: ann, to: bob)).map(\.isRejected) == [true])
            let reject = try await fixture.database.rejects().first
            #expect(reject.map { String(decoding: $0.bytes, as: UTF8.self).contains("secret name") } == false)
        },
        StoreFact("events of an unknown thread are rejected") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let nowhere = ThreadID(trusted: "nowhere")
            let outcomes = try await fixture.write(
                fixture.message("lost text", from: ann, in: nowhere), fixture.message("one", from: ann, in: room),
                fixture.joined(ann, in: nowhere))
            #expect(outcomes.map(\.isRejected) == [true, false, true])
            let rejects = try await fixture.database.rejects()
            #expect(rejects.count == 2)
            #expect(rejects.contains { String(decoding: $0.bytes, as: UTF8.self).contains("lost text") })
            #expect(try await fixture.store.threads([nowhere]).isEmpty)
        },
        StoreFact("an event that no table can hold is rejected, and the rest of the batch is stored") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let nul = User(id: ann.id, name: "a\0b")
            let invalid = [
                fixture.message("a\0b", from: ann, in: room, seq: 1), fixture.message("", from: ann, in: room, seq: 1),
                fixture.message("seq", from: ann, in: room, seq: 0),
                fixture.message("seq", from: ann, in: room, seq: -1),
                fixture.message("seq", from: ann, in: room, seq: .max),
                fixture.message("seq", from: ann, in: room, seq: .min),
                fixture.message("name", from: nul, in: room, seq: 1), fixture.joined(nul, in: room, seq: 1),
                fixture.message("client", from: ann, in: room, seq: 1, clientID: "\0"),
                fixture.message("date", from: ann, in: room, seq: 1, at: -1),
                fixture.message("date", from: ann, in: room, seq: 1, at: .max),
            ]
            let good = (2...12).map { fixture.message("good", from: ann, in: room, seq: $0) }
            let events = zip(invalid, good).flatMap { [$0, $1] }
            let outcomes = try await fixture.store.write(fixture.batch(events))
            #expect(outcomes.map(\.isRejected) == events.indices.map { $0 % 2 == 0 })
            #expect(try await fixture.database.rejects().count == invalid.count)
            #expect(try await fixture.messages(in: room).map(\.position.seq) == Array(2...12))
            #expect(try await fixture.store.head(of: room)?.messageCount == 11)
        },
    ]
}
