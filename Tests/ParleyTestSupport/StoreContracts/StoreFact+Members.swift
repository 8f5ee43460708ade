import ParleyModel
import Testing

private let anyone: Authorization = { _ in }

extension StoreFact {
    /// Members and titles, and the events about them.
    static let members: [StoreFact] = [
        StoreFact("a user who leaves is not a member, and starts over after joining again") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann, bob)
            try await scene.write(
                scene.message("1", from: ann, in: room), scene.leaving(bob, room),
                scene.message("2", from: ann, in: room))
            #expect(try await scene.membership(of: bob, in: room) == nil)
            #expect(try await scene.store.inbox(of: bob.id).isEmpty)
            #expect(try await scene.store.threads(of: bob.id, after: nil, limit: 9).isEmpty)
            // Joins, leaves, and joins by an import.
            try await scene.write(scene.joining(bob, room), scene.message("3", from: ann, in: room))
            #expect(try await scene.membership(of: bob, in: room)?.role == .member)
            #expect(try await scene.unread(bob, in: room) == 1)
            try await scene.write(scene.leaving(bob, room))
            _ = try await scene.room("tea", bob)
            #expect(try await scene.unread(bob, in: room) == 0)
        },
        StoreFact("events about members, roles and titles are stored and change none") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let ghost = User(id: UserID(trusted: "u-ghost"), name: "ghost")
            let room = try await scene.room("tea", ann)
            let bodies: [LogEvent.Body] = [
                .joined(ghost), .joined(bob), .role(ann.id, .readOnly, by: ann.id), .left(ann, by: ann.id),
                .renamed(title: "milk", by: ann.id),
            ]
            let outcomes = try await scene.write(scene.batch(bodies.map { scene.event($0, in: room) }))
            #expect(outcomes == [1, 2, 3, 4, 5].map { .stored(seq: $0) })
            #expect(try await scene.store.events(in: room, after: 0, limit: 9).events.map(\.body) == bodies)
            for user in [ghost, bob] { #expect(try await scene.membership(of: user, in: room) == nil) }
            let membership = try await scene.membership(of: ann, in: room)
            #expect(membership?.role == .owner)
            #expect(membership?.thread.title == "tea")
        },
        StoreFact("two spellings of a letter are two titles") { scene in
            let ann = try await scene.user("ann")
            let (one, two) = (try await scene.room("caf\u{E9}", ann), try await scene.room("tea", ann))
            _ = try await scene.store.rename(two, to: "cafe\u{301}", by: ann.id, at: 5, authorize: anyone)
            await #expect(throws: StoreError.taken) {
                try await scene.store.rename(two, to: "caf\u{E9}", by: ann.id, at: 6, authorize: anyone)
            }
            let titles = try await scene.store.threads([one, two]).mapValues { Array($0.title.utf8) }
            #expect(titles == [one: Array("caf\u{E9}".utf8), two: Array("cafe\u{301}".utf8)])
        },
        StoreFact("a user who left a direct thread is a member again with the next message") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let first = scene.direct("one", from: ann, to: bob)
            try await scene.write(first)
            try await scene.write(scene.leaving(bob, first.thread), scene.direct("two", from: ann, to: bob))
            #expect(try await scene.unread(bob, in: first.thread) == 1)
            try await scene.write(scene.leaving(bob, first.thread))
            #expect(try await scene.membership(of: bob, in: first.thread) == nil)
            try await scene.write(scene.direct("three", from: ann, to: bob))
            #expect(try await scene.unread(bob, in: first.thread) == 1)
        },
    ]
}
