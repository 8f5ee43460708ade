import ParleyModel
import Testing

private let anyone: Authorization = { _ in }

extension StoreFact {
    /// Threads, members and profiles, and how changes of them appear in lists.
    static let threads: [StoreFact] = [
        StoreFact("a direct thread is created once, and its messages go to the same thread") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let id = ThreadInfo.directID(ann.id, bob.id)
            #expect(try await scene.store.openDirect(id, of: bob.id, with: ann.id, at: 7) == [ann.id, bob.id])
            #expect(try await scene.store.openDirect(id, of: ann.id, with: bob.id, at: 8) == [])
            #expect(try await scene.membership(of: ann, in: id)?.peer == bob)
            #expect(try await scene.store.inbox(of: bob.id).map(\.thread.title) == ["ann"])
            try await scene.write(scene.direct("hi", from: ann, to: bob))
            #expect(try await scene.unread(bob, in: id) == 1)
            // A user who left and opens it is a member again, with nothing unread.
            _ = try await scene.store.removeMember(bob, from: id, by: bob.id, at: 8, authorize: anyone)
            #expect(try await scene.store.openDirect(id, of: bob.id, with: ann.id, at: 9) == [bob.id])
            #expect(try await scene.unread(bob, in: id) == 0)
            let own = ThreadInfo.directID(ann.id, ann.id)
            #expect(try await scene.store.openDirect(own, of: ann.id, with: ann.id, at: 9) == [ann.id])
            #expect(try await scene.membership(of: ann, in: own)?.peer == ann)
        },
        StoreFact("who has left a direct thread comes back with a message, not when the other one opens it") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let id = ThreadInfo.directID(ann.id, bob.id)
            try await scene.write(scene.direct("hi", from: ann, to: bob))
            let left = try await scene.store.removeMember(bob, from: id, by: bob.id, at: 8, authorize: anyone)
            try await scene.store.complete(left.outbox)
            #expect(try await scene.store.openDirect(id, of: ann.id, with: bob.id, at: 9) == [])
            #expect(try await scene.membership(of: bob, in: id) == nil)
            try await scene.write(scene.direct("are you there?", from: ann, to: bob))
            #expect(try await scene.membership(of: bob, in: id)?.peer == ann)
            #expect(try await scene.unread(bob, in: id) == 1)
        },
        StoreFact("a direct thread with an unknown user is refused") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let ghost = UserID(trusted: "ghost")
            #expect(try await scene.store.eraseUser(bob.id, at: 1).value)
            for other in [ghost, bob.id] {
                let id = ThreadInfo.directID(ann.id, other)
                #expect(try await scene.store.openDirect(id, of: ann.id, with: other, at: 1) == nil)
                #expect(try await scene.store.threads([id]).isEmpty)
            }
        },
        StoreFact("a renamed room is found by its new title only") { scene in
            let ann = try await scene.user("ann")
            let (tea, milk) = (try await scene.room("tea", ann), try await scene.room("milk", ann))
            _ = try await scene.store.rename(tea, to: "coffee", by: ann.id, at: 5, authorize: anyone)
            #expect(
                try await scene.store.rooms(titled: ["tea", "coffee", "milk"]).mapValues(\.id) == [
                    "coffee": tea, "milk": milk,
                ])
            // The event about it changes nothing more.
            try await scene.write(scene.event(.renamed(title: "coffee", by: ann.id), in: tea))
            #expect(try await scene.store.threads([tea])[tea]?.title == "coffee")
        },
        StoreFact("members are listed with their roles and can be removed") { scene in
            let (ann, bob, cy) = (
                try await scene.user("ann"), try await scene.user("bob"), try await scene.user("cy")
            )
            let room = try await scene.room("tea", bob, ann, cy)
            let all = try await scene.store.members(of: room, after: nil, limit: 9)
            #expect(
                all == [
                    Member(user: ann, role: .member), Member(user: bob, role: .owner), Member(user: cy, role: .member),
                ])
            #expect(try await scene.store.members(of: room, after: ann.id, limit: 1).map(\.user) == [bob])
            _ = try await scene.store.setMember(
                cy, of: room, role: .moderator, by: bob.id, at: 5, authorize: anyone)
            _ = try await scene.store.removeMember(ann, from: room, by: bob.id, at: 6, authorize: anyone)
            #expect(
                try await scene.store.members(of: room, after: nil, limit: 9) == [
                    Member(user: bob, role: .owner), Member(user: cy, role: .moderator),
                ])
            #expect(try await scene.store.thread(room, of: ann.id) == nil)
            #expect(try await scene.store.thread(room, of: cy.id)?.membership.role == .moderator)
        },
        StoreFact("a single thread is shown as in the list") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann, bob)
            try await scene.write(scene.message("1", from: ann, in: room), scene.direct("2", from: ann, to: bob))
            for summary in try await scene.store.threads(of: bob.id, after: nil, limit: 9) {
                #expect(try await scene.store.thread(summary.membership.thread.id, of: bob.id) == summary)
            }
        },
        StoreFact("a deleted thread is gone with its content, and its title is free") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let (tea, milk) = (try await scene.room("tea", ann, bob), try await scene.room("milk", ann))
            let one = scene.message("secret", from: ann, in: tea, clientID: "c")
            try await scene.write(one, scene.react(one, "👍", by: bob), scene.edit(one, "secret 2", by: ann))
            try await scene.write(scene.batch((0..<4100).map { scene.message("\($0)", from: ann, in: tea) }))
            try await scene.write(scene.message("stays", from: ann, in: milk))
            let late = scene.message("late", from: ann, in: tea)
            let deleted = try await scene.store.deleteThread(tea, by: ann.id, authorize: anyone)
            #expect(deleted.value?.members == [ann.id, bob.id])
            try await scene.store.finishCleanups()
            #expect(try await scene.database.number("SELECT count(*) FROM messages") == 1)
            #expect(try await scene.store.threads([tea]).isEmpty)
            #expect(try await scene.store.head(of: tea) == nil)
            #expect(try await scene.store.events(in: tea, after: 0, limit: 9).events.isEmpty)
            #expect(try await scene.store.inbox(of: bob.id).isEmpty)
            #expect(try await scene.store.search("secret", of: ann.id, in: nil, limit: 9).messages.isEmpty)
            #expect(try await scene.store.export(of: ann.id, after: nil, limit: 9).messages.count == 1)
            #expect(try await scene.write(late) == [.dropped("the thread was deleted")])
            #expect(try await scene.texts(in: milk) == ["stays@1"])
            #expect(try await scene.store.room(titled: "tea", newID: ThreadID(trusted: "new"), at: 1).id.text == "new")
        },
        StoreFact("joinable rooms are those the user is not a member of") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            for title in ["tea", "teapot", "milk"] { _ = try await scene.room(title, ann) }
            _ = try await scene.room("tea", bob)
            func titles(_ prefix: String, _ user: User, _ limit: Int = 9) async throws -> [String] {
                try await scene.store.joinableRooms(prefix: prefix, for: user.id, limit: limit).map(\.title)
            }
            #expect(try await titles("", bob) == ["milk", "teapot"])
            #expect(try await titles("te", bob) == ["teapot"])
            #expect(try await titles("", bob, 1) == ["milk"])
            #expect(try await titles("", ann).isEmpty)
        },
        StoreFact("a profile is shown until it is replaced or its user is erased") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            #expect(try await scene.store.profiles(of: [ann.id, bob.id]).isEmpty)
            let profile = Profile(displayName: "Ann 😀", avatarURL: "https://example.org/a.png")
            #expect(try await scene.store.setProfile(profile, of: ann.id))
            #expect(try await scene.store.setProfile(Profile(displayName: "Bob"), of: bob.id))
            #expect(try await !scene.store.setProfile(profile, of: UserID(trusted: "ghost")))
            #expect(
                try await scene.store.profiles(of: [ann.id, bob.id, UserID(trusted: "ghost")])
                    == [ann.id: profile, bob.id: Profile(displayName: "Bob")])
            #expect(try await scene.store.setProfile(Profile(), of: bob.id))
            #expect(try await scene.store.eraseUser(ann.id, at: 1).value)
            #expect(try await scene.store.profiles(of: [ann.id, bob.id]).isEmpty)
            #expect(try await !scene.store.setProfile(profile, of: ann.id))
        },
        StoreFact("all sessions of a user but one are ended") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let tokens = (0..<3).map { TokenHash("\($0)") }
            for token in tokens {
                try await scene.store.createSession(AuthSession(tokenHash: token, user: ann, expires: .max))
            }
            let other = TokenHash("other")
            try await scene.store.createSession(AuthSession(tokenHash: other, user: bob, expires: .max))
            let ended = try await scene.store.setPassword("h", of: ann.id, keeping: tokens[1]).value
            #expect(Set(ended) == [tokens[0], tokens[2]])
            #expect(Set(try await scene.store.sessions(tokens + [other]).keys) == [tokens[1], other])
            #expect(try await scene.store.revokeAll(of: ann.id).value == [tokens[1]])
        },
    ]
}
