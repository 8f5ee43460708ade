import ParleyModel
import Testing

private let anyone: Authorization = { _ in }

extension StoreFact {
    /// Members and titles, and the events about them.
    static let members: [StoreFact] = [
        StoreFact("a user who leaves is not a member, and starts over after joining again") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            try await fixture.write(
                fixture.message("1", from: ann, in: room), fixture.leaving(bob, room),
                fixture.message("2", from: ann, in: room))
            #expect(try await fixture.membership(of: bob, in: room) == nil)
            #expect(try await fixture.store.inbox(of: bob.id).isEmpty)
            #expect(try await fixture.store.threads(of: bob.id, after: nil, limit: 9).isEmpty)
            // Joins, leaves, and joins by an import.
            try await fixture.write(fixture.joining(bob, room), fixture.message("3", from: ann, in: room))
            #expect(try await fixture.membership(of: bob, in: room)?.role == .member)
            #expect(try await fixture.unread(bob, in: room) == 1)
            try await fixture.write(fixture.leaving(bob, room))
            _ = try await fixture.room("tea", bob)
            #expect(try await fixture.unread(bob, in: room) == 0)
        },
        StoreFact("events about members, roles and titles are stored and change none") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let ghost = User(id: UserID(trusted: "u-ghost"), name: "ghost")
            let room = try await fixture.room("tea", ann)
            let bodies: [LogEvent.Body] = [
                .joined(ghost), .joined(bob), .role(ann.id, .readOnly, by: ann.id), .left(ann, by: ann.id),
                .renamed(title: "milk", by: ann.id),
            ]
            let outcomes = try await fixture.write(fixture.batch(bodies.map { fixture.event($0, in: room) }))
            #expect(outcomes == [1, 2, 3, 4, 5].map { .stored(seq: $0) })
            #expect(try await fixture.store.events(in: room, after: 0, limit: 9).events.map(\.body) == bodies)
            for user in [ghost, bob] { #expect(try await fixture.membership(of: user, in: room) == nil) }
            let membership = try await fixture.membership(of: ann, in: room)
            #expect(membership?.role == .owner)
            #expect(membership?.thread.title == "tea")
        },
        StoreFact("two spellings of a letter are two titles") { fixture in
            let ann = try await fixture.user("ann")
            let (one, two) = (try await fixture.room("caf\u{E9}", ann), try await fixture.room("tea", ann))
            _ = try await fixture.store.rename(two, to: "cafe\u{301}", by: ann.id, at: 5, authorize: anyone)
            await #expect(throws: StoreError.taken) {
                try await fixture.store.rename(two, to: "caf\u{E9}", by: ann.id, at: 6, authorize: anyone)
            }
            let titles = try await fixture.store.threads([one, two]).mapValues { Array($0.title.utf8) }
            #expect(titles == [one: Array("caf\u{E9}".utf8), two: Array("cafe\u{301}".utf8)])
        },
        StoreFact("a user who left a direct thread is a member again with the next message") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let first = fixture.direct("one", from: ann, to: bob)
            try await fixture.write(first)
            try await fixture.write(fixture.leaving(bob, first.thread), fixture.direct("two", from: ann, to: bob))
            #expect(try await fixture.unread(bob, in: first.thread) == 1)
            try await fixture.write(fixture.leaving(bob, first.thread))
            #expect(try await fixture.membership(of: bob, in: first.thread) == nil)
            try await fixture.write(fixture.direct("three", from: ann, to: bob))
            #expect(try await fixture.unread(bob, in: first.thread) == 1)
        },
    ]
}
