import ParleyModel
import Testing

extension StoreFact {
    /// Events about members and titles.
    static let members: [StoreFact] = [
        StoreFact("a user who leaves is not a member, and starts over after joining again") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann, bob)
            try await scene.write(
                scene.message("1", from: ann, in: room), scene.event(.left(bob, by: bob.id), in: room),
                scene.message("2", from: ann, in: room))
            #expect(try await scene.membership(of: bob, in: room) == nil)
            #expect(try await scene.store.inbox(of: bob.id).isEmpty)
            #expect(try await scene.store.threads(of: bob.id, after: nil, limit: 9).isEmpty)
            // Joins by an event, leaves, and joins by an import.
            try await scene.write(scene.joined(bob, in: room), scene.message("3", from: ann, in: room))
            #expect(try await scene.membership(of: bob, in: room)?.role == .member)
            #expect(try await scene.unread(bob, in: room) == 1)
            try await scene.write(scene.event(.left(bob, by: ann.id), in: room))
            _ = try await scene.room("tea", bob)
            #expect(try await scene.unread(bob, in: room) == 0)
        },
        StoreFact("joins and departures in one batch take effect in log order") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann)
            func left(_ user: User) -> LogEvent { scene.event(.left(user, by: user.id), in: room) }
            try await scene.write(
                scene.joined(bob, in: room), scene.message("1", from: ann, in: room), left(bob),
                scene.message("2", from: bob, in: room), left(ann), scene.joined(bob, in: room), left(bob),
                scene.joined(bob, in: room), scene.event(.role(bob.id, .owner, by: ann.id), in: room),
                scene.message("3", from: ann, in: room))
            #expect(try await scene.membership(of: ann, in: room) == nil)
            #expect(try await scene.membership(of: bob, in: room)?.role == .owner)
            #expect(try await scene.unread(bob, in: room) == 1)
        },
        StoreFact("an event about an unknown user, or a non-member, creates neither") { scene in
            let ann = try await scene.user("ann")
            let room = try await scene.room("tea", ann)
            let ghost = User(id: UserID(trusted: "u-ghost"), name: "ghost")
            let outcomes = try await scene.write(
                scene.joined(ghost, in: room), scene.event(.left(ghost, by: ann.id), in: room),
                scene.event(.role(ghost.id, .owner, by: ann.id), in: room))
            #expect(outcomes == [1, 2, 3].map { .stored(seq: $0) })
            #expect(try await scene.membership(of: ghost, in: room) == nil)
        },
        StoreFact("a role is set, and kept when a member joins again") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann, bob)
            for role in [Membership.Role.moderator, .readOnly, .owner, .member, .moderator] {
                try await scene.write(scene.event(.role(bob.id, role, by: ann.id), in: room))
                #expect(try await scene.membership(of: bob, in: room)?.role == role)
            }
            try await scene.write(scene.joined(bob, in: room))
            #expect(try await scene.membership(of: bob, in: room)?.role == .moderator)
        },
        StoreFact("a room is renamed unless another room has the title") { scene in
            let ann = try await scene.user("ann")
            let (tea, milk) = (try await scene.room("tea", ann), try await scene.room("milk", ann))
            let direct = scene.direct("note to self", from: ann, to: ann)
            func renamed(_ thread: ThreadID, _ title: String) -> LogEvent {
                scene.event(.renamed(title: title, by: ann.id), in: thread)
            }
            let outcomes = try await scene.write(
                scene.batch([
                    direct, renamed(tea, "milk"), renamed(tea, "coffee"), renamed(milk, "tea"), renamed(tea, "tea"),
                    renamed(tea, "milk"), renamed(tea, "milk"), renamed(direct.thread, "notes"), renamed(tea, ""),
                ]))
            let rejected = outcomes.map(\.isRejected)
            #expect(rejected == [false, false, false, false, false, false, false, true, true])
            let titles = try await scene.store.threads([tea, milk]).mapValues(\.title)
            #expect(titles == [tea: "milk", milk: "tea"])
            #expect(
                try await scene.store.rooms(titled: ["coffee", "tea", "milk"]).mapValues(\.id) == [
                    "tea": milk, "milk": tea,
                ])
            // A user who joins finds the room by the log's title.
            #expect(try await scene.room("milk", try await scene.user("bob")) == tea)
        },
        StoreFact("two spellings of a letter are two titles") { scene in
            let ann = try await scene.user("ann")
            let (one, two) = (try await scene.room("caf\u{E9}", ann), try await scene.room("tea", ann))
            let outcomes = try await scene.write(
                scene.event(.renamed(title: "cafe\u{301}", by: ann.id), in: two),
                scene.event(.renamed(title: "caf\u{E9}", by: ann.id), in: two))
            #expect(outcomes.map(\.isRejected) == [false, false])
            let titles = try await scene.store.threads([one, two]).mapValues { Array($0.title.utf8) }
            #expect(titles == [one: Array("caf\u{E9}".utf8), two: Array("cafe\u{301}".utf8)])
        },
        StoreFact("a user who left a direct thread is a member again with the next message") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let first = scene.direct("one", from: ann, to: bob)
            try await scene.write(
                first, scene.event(.left(bob, by: bob.id), in: first.thread), scene.direct("two", from: ann, to: bob))
            #expect(try await scene.unread(bob, in: first.thread) == 1)
            try await scene.write(scene.event(.left(bob, by: bob.id), in: first.thread))
            #expect(try await scene.membership(of: bob, in: first.thread) == nil)
            try await scene.write(scene.direct("three", from: ann, to: bob))
            #expect(try await scene.unread(bob, in: first.thread) == 1)
        },
    ]
}
