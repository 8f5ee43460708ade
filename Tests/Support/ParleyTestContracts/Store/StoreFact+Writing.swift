import ParleyModel
import Testing

extension StoreFact {
    /// Batches, replays, checkpoints.
    static let writing: [StoreFact] = [
        StoreFact("events are read back as they were written") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let events = [
                fixture.message("one", from: ann, in: room, clientID: "c1"), fixture.joined(bob, in: room),
                fixture.message("two", from: bob, in: room),
            ]
            let outcomes = try await fixture.store.write(fixture.batch(events))
            #expect(outcomes == [.stored(seq: 1), .stored(seq: 2), .stored(seq: 3)])
            #expect(try await fixture.messages(in: room) == [events[0].stored, events[2].stored])
            let head = ThreadHead(position: events[2].position, milliseconds: events[2].milliseconds, messageCount: 2)
            #expect(try await fixture.store.head(of: room) == head)
        },
        StoreFact("texts of every kind survive") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let texts = [
                "'; DROP TABLE messages; --", "e\u{301} and \u{e9}", "👩‍👩‍👧‍👦", "\u{1}\u{7f}\u{2028}\n\t\r\\\"%_{}$1?",
                " spaces ", "\u{feff}", "\u{10FFFF}", String(repeating: "漢", count: 4096),
            ]
            try await fixture.write(fixture.batch(texts.map { fixture.message($0, from: ann, in: room) }))
            let read = try await fixture.messages(in: room).map { Array($0.message?.text.utf8 ?? "".utf8) }
            #expect(read == texts.map { Array($0.utf8) })
        },
        StoreFact("a guest without an account may send messages") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("lobby", ann)
            let guest = User(id: UserID(trusted: "guest.1"), name: "ann")
            #expect(try await fixture.write(fixture.message("hi", from: guest, in: room)) == [.stored(seq: 1)])
            #expect(try await fixture.messages(in: room).first?.message?.sender == guest)
            #expect(try await fixture.unread(ann, in: room) == 1)
        },
        StoreFact("an empty batch changes nothing") { (fixture) async throws -> Void in
            #expect(try await fixture.store.write(fixture.batch([])) == [])
            #expect(try await fixture.store.checkpoint(of: fixture.partition) == nil)
        },
        StoreFact("the checkpoint is the last entry, for each partition separately") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let first = fixture.batch([fixture.message("one", from: ann, in: room)])
            try await fixture.write(first)
            fixture.partition = Partition(number: 8)
            #expect(try await fixture.store.checkpoint(of: fixture.partition) == nil)
            let second = fixture.batch(contents: [.unreadable(reason: "garbage", bytes: [1])])
            try await fixture.write(second)
            #expect(try await fixture.store.checkpoint(of: Partition(number: 7)) == first.checkpoint)
            #expect(try await fixture.store.checkpoint(of: Partition(number: 8)) == second.checkpoint)
        },
        StoreFact("batches of several partitions are one transaction, each with its checkpoint and outcomes") {
            fixture in
            let ann = try await fixture.user("ann")
            let (tea, pie) = (try await fixture.room("tea", ann), try await fixture.room("pie", ann))
            let first = fixture.batch([
                fixture.message("one", from: ann, in: tea), fixture.message("two", from: ann, in: tea),
            ])
            fixture.partition = Partition(number: 8)
            var second = fixture.batch(contents: [
                .unreadable(reason: "garbage", bytes: [1]), .event(fixture.message("three", from: ann, in: pie)),
            ])
            // Offsets are those of the partition, and may be the same in another one.
            second.entries[0].offset = first.entries[0].offset
            let stored: [[StoreOutcome]] = [
                [.stored(seq: 1), .stored(seq: 2)], [.rejected("garbage"), .stored(seq: 1)],
            ]
            #expect(try await fixture.store.write([first, second]) == stored)
            let checkpoints = try await fixture.store.checkpoints(of: [7, 8, 9].map { Partition(number: $0) })
            #expect(
                checkpoints == [
                    first.partition: try #require(first.checkpoint), second.partition: try #require(second.checkpoint),
                ])
            // Written again, one of them with more after it.
            fixture.partition = first.partition
            let more = fixture.batch([fixture.message("four", from: ann, in: tea)])
            var longer = first
            longer.entries += more.entries
            let again: [[StoreOutcome]] = [
                [.rejected("garbage"), .repeated(seq: 1)], [.repeated(seq: 1), .repeated(seq: 2), .stored(seq: 3)],
            ]
            #expect(try await fixture.store.write([second, longer]) == again)
            #expect(try await fixture.messages(in: tea).map { $0.message?.text } == ["one", "two", "four"])
            #expect(try await fixture.messages(in: pie).map { $0.message?.text } == ["three"])
            #expect(try await fixture.store.checkpoint(of: first.partition) == longer.checkpoint)
            #expect(try await fixture.store.write([]).isEmpty)
        },
        StoreFact("the progress of a host of the log only rises, for each host separately") { fixture in
            #expect(try await fixture.store.progress(ofHost: 0) == 0)
            for progress in [3, 1 << 40, 5] as [Int64] { try await fixture.store.note(progress: progress, ofHost: 0) }
            try await fixture.store.note(progress: 2, ofHost: 3)
            #expect(try await fixture.store.progress(ofHost: 0) == 1 << 40)
            #expect(try await fixture.store.progress(ofHost: 3) == 2)
            #expect(try await fixture.store.progress(ofHost: 1) == 0)
        },
        StoreFact("a batch written again is reported as repeated and changes nothing") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let batch = fixture.batch([
                fixture.joined(ann, in: room), fixture.message("one", from: ann, in: room, clientID: "c"),
                fixture.message("two", from: bob, in: room), fixture.direct("psst", from: ann, to: bob),
            ])
            try await fixture.write(batch)
            let inboxes = [try await fixture.store.inbox(of: ann.id), try await fixture.store.inbox(of: bob.id)]
            let head = try await fixture.store.head(of: room)
            for _ in 0..<2 {
                let outcomes = try await fixture.store.write(batch)
                #expect(outcomes == [1, 2, 3, 1].map { .repeated(seq: $0) })
                let again = [try await fixture.store.inbox(of: ann.id), try await fixture.store.inbox(of: bob.id)]
                #expect(again == inboxes)
                #expect(try await fixture.store.head(of: room) == head)
                #expect(try await fixture.store.checkpoint(of: fixture.partition) == batch.checkpoint)
            }
        },
        StoreFact("the rest of a partly stored batch is stored") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let whole = fixture.batch((1...5).map { fixture.message("\($0)", from: ann, in: room) })
            var part = whole
            part.entries.removeLast(2)
            try await fixture.write(part)
            var rest = whole
            rest.entries.removeFirst()
            let outcomes = try await fixture.store.write(rest)
            #expect(outcomes == [.repeated(seq: 2), .repeated(seq: 3), .stored(seq: 4), .stored(seq: 5)])
            #expect(try await fixture.texts(in: room) == ["1@1", "2@2", "3@3", "4@4", "5@5"])
            #expect(try await fixture.store.head(of: room)?.messageCount == 5)
        },
        StoreFact("an older batch is recognised by its events") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let old = fixture.batch([fixture.joined(ann, in: room), fixture.message("one", from: ann, in: room)])
            try await fixture.write(old)
            try await fixture.write(fixture.message("two", from: ann, in: room))
            #expect(try await fixture.store.write(old) == [.repeated(seq: 1), .repeated(seq: 2)])
            #expect(try await fixture.texts(in: room) == ["one@2", "two@3"])
            #expect(try await fixture.unread(bob, in: room) == 2)
        },
        StoreFact("a rejected entry stays rejected when its batch is written again") { fixture in
            let ann = try await fixture.user("ann")
            let room = ThreadID(trusted: "r-later")
            let batch = fixture.batch([fixture.message("too early", from: ann, in: room)])
            #expect(try await fixture.store.write(batch)[0].isRejected)
            #expect(try await fixture.room("later", ann) == room)
            #expect(try await fixture.store.write(batch)[0].isRejected)
            #expect(try await fixture.messages(in: room).isEmpty)
            #expect(try await fixture.database.rejects().count == 1)
        },
        StoreFact("an offset of another incarnation is unknown") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let old = fixture.batch([fixture.message("one", from: ann, in: room)])
            try await fixture.write(old)
            var fresh = fixture.batch([fixture.message("two", from: ann, in: room)])
            fresh.incarnation = "second"
            fresh.entries[0].offset = old.entries[0].offset
            #expect(try await fixture.store.write(fresh) == [.stored(seq: 2)])
            #expect(try await fixture.store.checkpoint(of: fixture.partition) == fresh.checkpoint)
        },
        StoreFact("a batch may have a thousand events") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let rooms = [try await fixture.room("tea", ann, bob), try await fixture.room("milk", ann, bob)]
            let events = (0..<1000).map { fixture.message("\($0)", from: $0 < 900 ? ann : bob, in: rooms[$0 % 2]) }
            let outcomes = try await fixture.store.write(fixture.batch(events))
            #expect(outcomes == events.map { .stored(seq: $0.position.seq) })
            for room in rooms {
                #expect(try await fixture.messages(in: room) == events.filter { $0.thread == room }.map(\.stored))
                #expect(try await fixture.unread(ann, in: room) == 50)
                #expect(try await fixture.unread(bob, in: room) == 0)
            }
        },
        StoreFact("a log finds its threads and sends in the store") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            #expect(try await fixture.store.head(of: room) == nil)
            #expect(try await fixture.store.head(of: ThreadID(trusted: "none")) == nil)
            let event = fixture.message("one", from: ann, in: room, clientID: "c1")
            try await fixture.write(event)
            let bob = User(id: UserID(trusted: "u-bob"), name: "bob")
            #expect(try await fixture.send(event)?.receipt.messageID == event.message?.id)
            for (sender, clientID) in [(ann, "C1"), (ann, "c1\0"), (bob, "c1")] {
                let other = fixture.message("one", from: sender, in: room, clientID: clientID)
                #expect(try await fixture.send(other) == nil)
            }
        },
    ]
}
