import ParleyModel
import Testing

extension StoreFact {
    /// Read cursors and unread counts.
    static let unread: [StoreFact] = [
        StoreFact("sending moves the sender's cursor to the message; others count it as unread") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            try await fixture.write(
                fixture.message("1", from: ann, in: room), fixture.message("2", from: ann, in: room))
            #expect(try await fixture.unread(ann, in: room) == 0)
            #expect(try await fixture.unread(bob, in: room) == 2)
            try await fixture.write(
                fixture.message("3", from: bob, in: room), fixture.message("4", from: ann, in: room))
            #expect(try await fixture.unread(ann, in: room) == 0)
            #expect(try await fixture.unread(bob, in: room) == 1)
        },
        StoreFact("a new member starts with nothing unread") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann)
            try await fixture.write(
                fixture.message("1", from: ann, in: room), fixture.message("2", from: ann, in: room))
            _ = try await fixture.room("tea", bob)
            #expect(try await fixture.unread(bob, in: room) == 0)
            // Accepted by the log before the new member's own event, stored after the membership.
            let early = fixture.message("3", from: ann, in: room)
            let joined = fixture.joined(bob, in: room)
            let late = fixture.message("4", from: ann, in: room)
            try await fixture.write(early)
            #expect(try await fixture.unread(bob, in: room) == 1)
            try await fixture.write(joined)
            #expect(try await fixture.unread(bob, in: room) == 0)
            try await fixture.write(late)
            #expect(try await fixture.unread(bob, in: room) == 1)
        },
        StoreFact("events that are not messages do not count as unread") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            try await fixture.write(
                fixture.joined(ann, in: room), fixture.message("1", from: ann, in: room), fixture.joined(ann, in: room))
            #expect(try await fixture.unread(bob, in: room) == 1)
            #expect(try await fixture.store.head(of: room)?.messageCount == 1)
        },
        StoreFact("a member's cursor moves to a seq, also back, or to the end") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            try await fixture.write(
                fixture.joined(ann, in: room), fixture.message("2", from: ann, in: room),
                fixture.message("3", from: ann, in: room), fixture.joined(ann, in: room),
                fixture.message("5", from: ann, in: room))
            let steps: [(through: Int64?, unread: Int64)] = [
                (1, 3), (2, 2), (3, 1), (4, 1), (5, 0), (2, 2), (0, 3), (nil, 0), (nil, 0), (-5, 3), (.min, 3), (3, 1),
            ]
            for (through, unread) in steps {
                try await fixture.store.markRead(room, by: bob.id, through: through)
                #expect(
                    try await fixture.unread(bob, in: room) == unread, "read through \(String(describing: through))")
            }
            #expect(try await fixture.unread(ann, in: room) == 0)
        },
        StoreFact("a read mark covers the messages before it in the batch, and none after") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let outcomes = try await fixture.store.write(
                fixture.batch(contents: [
                    .event(fixture.message("1", from: ann, in: room)),
                    .event(fixture.message("2", from: ann, in: room)),
                    .readMark(ReadMark(thread: room, user: bob.id)), .event(fixture.message("3", from: ann, in: room)),
                ]))
            #expect(outcomes == [.stored(seq: 1), .stored(seq: 2), .marked, .stored(seq: 3)])
            #expect(try await fixture.unread(bob, in: room) == 1)
            let marks: [(ReadMark, unread: Int64)] = [
                (ReadMark(thread: room, user: bob.id, seq: 1), 2), (ReadMark(thread: room, user: bob.id, seq: 2), 1),
                (ReadMark(thread: room, user: UserID(trusted: "nobody"), seq: 2), 1),
                (ReadMark(thread: ThreadID(trusted: "nowhere"), user: bob.id), 1),
                (ReadMark(thread: room, user: bob.id), 0),
            ]
            for (mark, unread) in marks {
                #expect(try await fixture.store.write(fixture.batch(contents: [.readMark(mark)])) == [.marked])
                #expect(try await fixture.unread(bob, in: room) == unread, "\(mark)")
            }
        },
        StoreFact("a read mark in a batch stops at the end of what precedes it") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            try await fixture.write(fixture.message("1", from: ann, in: room))
            let batch = fixture.batch(contents: [
                .event(fixture.message("2", from: ann, in: room)),
                .readMark(ReadMark(thread: room, user: bob.id, seq: 1_000_000)),
                .event(fixture.message("3", from: ann, in: room)),
            ])
            _ = try await fixture.store.write(batch)
            #expect(try await fixture.unread(bob, in: room) == 1)
        },
        StoreFact("messages up to a cursor beyond the stored end count as read") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            try await fixture.write(fixture.message("1", from: ann, in: room))
            try await fixture.store.markRead(room, by: bob.id, through: 3)
            // Reading to the end never moves the cursor back.
            try await fixture.store.markRead(room, by: bob.id, through: nil)
            #expect(try await fixture.unread(bob, in: room) == 0)
            for (seq, unread) in [(2, 0), (3, 0), (4, 1), (5, 2)] as [(Int, Int64)] {
                try await fixture.write(fixture.message("\(seq)", from: ann, in: room))
                #expect(try await fixture.unread(bob, in: room) == unread, "after seq \(seq)")
            }
            // Nor does one's own message below the cursor.
            try await fixture.store.markRead(room, by: bob.id, through: 8)
            try await fixture.write(fixture.message("6", from: bob, in: room))
            try await fixture.write(
                fixture.message("7", from: ann, in: room), fixture.message("8", from: ann, in: room))
            #expect(try await fixture.unread(bob, in: room) == 0)
            try await fixture.write(fixture.message("9", from: ann, in: room))
            #expect(try await fixture.unread(bob, in: room) == 1)
        },
        StoreFact("a non-member has no cursor") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann)
            try await fixture.write(fixture.message("1", from: bob, in: room))
            try await fixture.store.markRead(room, by: bob.id, through: 1)
            try await fixture.store.markRead(room, by: UserID(trusted: "nobody"), through: nil)
            try await fixture.store.markRead(ThreadID(trusted: "nowhere"), by: ann.id, through: nil)
            #expect(try await fixture.store.inbox(of: bob.id).isEmpty)
            #expect(try await fixture.unread(ann, in: room) == 1)
        },
    ]

    static let inbox: [StoreFact] = [
        StoreFact("the inbox has the newest activity first") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            var rooms: [ThreadID] = []
            for (title, joined) in [("a", 1000), ("b", 2000), ("c", 3000), ("d", 2000)] as [(String, Int64)] {
                fixture.milliseconds = joined
                rooms.append(try await fixture.room(title, ann, bob))
            }
            func order() async throws -> [String] { try await fixture.store.inbox(of: bob.id).map(\.thread.title) }
            #expect(try await order() == ["c", "b", "d", "a"])
            #expect(
                try await fixture.store.inbox(of: bob.id).allSatisfy { $0.lastMessage == nil && $0.unreadCount == 0 })
            let last = fixture.message("hi", from: ann, in: rooms[0], at: 5000)
            try await fixture.write(last, fixture.message("hi", from: ann, in: rooms[2], at: 2000))
            #expect(try await order() == ["a", "b", "c", "d"])
            // Events that are not messages do not count as activity.
            try await fixture.write(fixture.joined(ann, in: rooms[3]), fixture.joined(ann, in: rooms[0]))
            #expect(try await order() == ["a", "b", "c", "d"])
            let first = try await fixture.store.inbox(of: bob.id).first
            let room = ThreadInfo(id: rooms[0], kind: .room, title: "a")
            #expect(first == InboxEntry(thread: room, lastMessage: last.stored, unreadCount: 1))
        },
        StoreFact("an inbox of two hundred threads is complete") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            var events: [LogEvent] = []
            for number in 0..<200 {
                let room = try await fixture.room("room-\(number)", ann, bob)
                events += (0..<(number % 5)).map { fixture.message("\($0)", from: ann, in: room) }
            }
            try await fixture.write(fixture.batch(events))
            let inbox = try await fixture.store.inbox(of: bob.id)
            #expect(inbox.count == 200)
            #expect(inbox.reduce(0) { $0 + $1.unreadCount } == 400)
            #expect(inbox.count { $0.lastMessage == nil } == 40)
            #expect(try await fixture.store.inbox(of: UserID(trusted: "nobody")).isEmpty)
        },
    ]
}
