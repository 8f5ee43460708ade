import ParleyModel
import Testing

private let anyone: Authorization = { _ in }

extension StoreFact {
    /// Threads, members and profiles, and how changes of them appear in lists.
    static let threads: [StoreFact] = [
        StoreFact("a direct thread is created once, and its messages go to the same thread") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let id = ThreadInfo.directID(ann.id, bob.id)
            #expect(try await fixture.store.openDirect(id, of: bob.id, with: ann.id, at: 7) == [ann.id, bob.id])
            #expect(try await fixture.store.openDirect(id, of: ann.id, with: bob.id, at: 8) == [])
            #expect(try await fixture.membership(of: ann, in: id)?.peer == bob)
            #expect(try await fixture.store.inbox(of: bob.id).map(\.thread.title) == ["ann"])
            try await fixture.write(fixture.direct("hi", from: ann, to: bob))
            #expect(try await fixture.unread(bob, in: id) == 1)
            // A user who left and opens it is a member again, with nothing unread.
            _ = try await fixture.store.removeMember(bob, from: id, by: bob.id, at: 8, authorize: anyone)
            #expect(try await fixture.store.openDirect(id, of: bob.id, with: ann.id, at: 9) == [bob.id])
            #expect(try await fixture.unread(bob, in: id) == 0)
            let own = ThreadInfo.directID(ann.id, ann.id)
            #expect(try await fixture.store.openDirect(own, of: ann.id, with: ann.id, at: 9) == [ann.id])
            #expect(try await fixture.membership(of: ann, in: own)?.peer == ann)
        },
        StoreFact("who has left a direct thread comes back with a message, not when the other one opens it") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let id = ThreadInfo.directID(ann.id, bob.id)
            try await fixture.write(fixture.direct("hi", from: ann, to: bob))
            let left = try await fixture.store.removeMember(bob, from: id, by: bob.id, at: 8, authorize: anyone)
            try await fixture.store.complete(left.outbox)
            #expect(try await fixture.store.openDirect(id, of: ann.id, with: bob.id, at: 9) == [])
            #expect(try await fixture.membership(of: bob, in: id) == nil)
            try await fixture.write(fixture.direct("are you there?", from: ann, to: bob))
            #expect(try await fixture.membership(of: bob, in: id)?.peer == ann)
            #expect(try await fixture.unread(bob, in: id) == 1)
        },
        StoreFact("a direct thread with an unknown user is refused") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let ghost = UserID(trusted: "ghost")
            #expect(try await fixture.store.eraseUser(bob.id, at: 1).value)
            for other in [ghost, bob.id] {
                let id = ThreadInfo.directID(ann.id, other)
                #expect(try await fixture.store.openDirect(id, of: ann.id, with: other, at: 1) == nil)
                #expect(try await fixture.store.threads([id]).isEmpty)
            }
        },
        StoreFact("a renamed room is found by its new title only") { fixture in
            let ann = try await fixture.user("ann")
            let (tea, milk) = (try await fixture.room("tea", ann), try await fixture.room("milk", ann))
            _ = try await fixture.store.rename(tea, to: "coffee", by: ann.id, at: 5, authorize: anyone)
            #expect(
                try await fixture.store.rooms(titled: ["tea", "coffee", "milk"]).mapValues(\.id) == [
                    "coffee": tea, "milk": milk,
                ])
            // The event about it changes nothing more.
            try await fixture.write(fixture.event(.renamed(title: "coffee", by: ann.id), in: tea))
            #expect(try await fixture.store.threads([tea])[tea]?.title == "coffee")
        },
        StoreFact("members are listed with their roles and can be removed") { fixture in
            let (ann, bob, cy) = (
                try await fixture.user("ann"), try await fixture.user("bob"), try await fixture.user("cy")
            )
            let room = try await fixture.room("tea", bob, ann, cy)
            let all = try await fixture.store.members(of: room, after: nil, limit: 9)
            #expect(
                all == [
                    Member(user: ann, role: .member, readSeq: 0), Member(user: bob, role: .owner, readSeq: 0),
                    Member(user: cy, role: .member, readSeq: 0),
                ])
            #expect(try await fixture.store.members(of: room, after: ann.id, limit: 1).map(\.user) == [bob])
            _ = try await fixture.store.setMember(
                cy, of: room, role: .moderator, by: bob.id, at: 5, authorize: anyone)
            _ = try await fixture.store.removeMember(ann, from: room, by: bob.id, at: 6, authorize: anyone)
            #expect(
                try await fixture.store.members(of: room, after: nil, limit: 9) == [
                    Member(user: bob, role: .owner, readSeq: 0), Member(user: cy, role: .moderator, readSeq: 0),
                ])
            #expect(try await fixture.store.thread(room, of: ann.id) == nil)
            #expect(try await fixture.store.thread(room, of: cy.id)?.membership.role == .moderator)
        },
        StoreFact("members are listed with their profiles, and with how much they have read since when") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            try await fixture.write(
                fixture.message("1", from: ann, in: room), fixture.message("2", from: ann, in: room))
            try await fixture.store.markRead(room, by: bob.id, through: 1, at: 7000)
            let profile = Profile(displayName: "Bob the Builder", avatarURL: "https://a.example/b.png")
            #expect(try await fixture.store.setProfile(profile, of: bob.id))
            let members = try await fixture.store.members(of: room, after: nil, limit: 9)
            #expect(members.map(\.user) == [ann, bob])
            #expect(members.map(\.profile) == [Profile(), profile])
            #expect(members.map(\.readSeq) == [2, 1])
            #expect(members.last?.readMilliseconds == 7000)
        },
        StoreFact("a message is shown with the present display name of its sender") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            try await fixture.write(fixture.message("hello", from: ann, in: room))
            func names() async throws -> [String?] {
                let page = try await fixture.store.messages(in: room, MessageQuery(limit: 9))
                let events = try await fixture.store.events(in: room, after: 0, limit: 9)
                let summary = try await fixture.store.thread(room, of: bob.id)
                let inbox = try await fixture.store.inbox(of: bob.id)
                let last = [summary?.lastMessage, inbox.first?.lastMessage].compactMap(\.self)
                let all = (page.messages + events.events + last).compactMap(\.message)
                #expect(all.allSatisfy { $0.sender.id == ann.id && ($0.isErased || $0.sender.name == "ann") })
                return all.map(\.senderDisplayName)
            }
            #expect(try await names() == [nil, nil, nil, nil])
            for name in ["Ann", "Anna"] {
                _ = try await fixture.store.setProfile(Profile(displayName: name), of: ann.id)
                #expect(try await names() == [name, name, name, name])
            }
            _ = try await fixture.store.setProfile(Profile(displayName: "ann"), of: ann.id)
            #expect(try await names() == [nil, nil, nil, nil])
            _ = try await fixture.store.setProfile(Profile(displayName: "Ann"), of: ann.id)
            _ = try await fixture.store.eraseUser(ann.id, at: 2)
            #expect(try await names() == [nil, nil, nil, nil])
        },
        StoreFact("a single thread is shown as in the list") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            try await fixture.write(fixture.message("1", from: ann, in: room), fixture.direct("2", from: ann, to: bob))
            for summary in try await fixture.store.threads(of: bob.id, after: nil, limit: 9) {
                #expect(try await fixture.store.thread(summary.membership.thread.id, of: bob.id) == summary)
            }
        },
        StoreFact("a deleted thread is gone with its content, and its title is free") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let (tea, milk) = (try await fixture.room("tea", ann, bob), try await fixture.room("milk", ann))
            let one = fixture.message("secret", from: ann, in: tea, clientID: "c")
            try await fixture.write(one, fixture.react(one, "👍", by: bob), fixture.edit(one, "secret 2", by: ann))
            try await fixture.write(fixture.batch((0..<4100).map { fixture.message("\($0)", from: ann, in: tea) }))
            try await fixture.write(fixture.message("stays", from: ann, in: milk))
            let late = fixture.message("late", from: ann, in: tea)
            let deleted = try await fixture.store.deleteThread(tea, by: ann.id, authorize: anyone)
            #expect(deleted.value?.members == [ann.id, bob.id])
            try await fixture.store.finishCleanups()
            #expect(try await fixture.database.count(.messages) == 1)
            #expect(try await fixture.store.threads([tea]).isEmpty)
            #expect(try await fixture.store.head(of: tea) == nil)
            #expect(try await fixture.store.events(in: tea, after: 0, limit: 9).events.isEmpty)
            #expect(try await fixture.store.inbox(of: bob.id).isEmpty)
            #expect(try await fixture.store.search("secret", of: ann.id, in: nil, limit: 9).messages.isEmpty)
            #expect(try await fixture.store.export(of: ann.id, after: nil, limit: 9).messages.count == 1)
            #expect(try await fixture.write(late) == [.dropped("the thread was deleted")])
            #expect(try await fixture.texts(in: milk) == ["stays@1"])
            #expect(
                try await fixture.store.room(titled: "tea", newID: ThreadID(trusted: "new"), at: 1).id.text == "new")
        },
        StoreFact("joinable rooms are those the user is not a member of") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            for title in ["tea", "teapot", "milk"] { _ = try await fixture.room(title, ann) }
            _ = try await fixture.room("tea", bob)
            func titles(_ prefix: String, _ user: User, _ limit: Int = 9) async throws -> [String] {
                try await fixture.store.joinableRooms(prefix: prefix, for: user.id, at: 9, limit: limit).map(\.title)
            }
            #expect(try await titles("", bob) == ["milk", "teapot"])
            #expect(try await titles("te", bob) == ["teapot"])
            #expect(try await titles("", bob, 1) == ["milk"])
            #expect(try await titles("", ann).isEmpty)
        },
        StoreFact("a profile is shown until it is replaced or its user is erased") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            #expect(try await fixture.store.profiles(of: [ann.id, bob.id]).isEmpty)
            let profile = Profile(displayName: "Ann 😀", avatarURL: "https://example.org/a.png")
            #expect(try await fixture.store.setProfile(profile, of: ann.id))
            #expect(try await fixture.store.setProfile(Profile(displayName: "Bob"), of: bob.id))
            #expect(try await !fixture.store.setProfile(profile, of: UserID(trusted: "ghost")))
            #expect(
                try await fixture.store.profiles(of: [ann.id, bob.id, UserID(trusted: "ghost")])
                    == [ann.id: profile, bob.id: Profile(displayName: "Bob")])
            #expect(try await fixture.store.setProfile(Profile(), of: bob.id))
            #expect(try await fixture.store.eraseUser(ann.id, at: 1).value)
            #expect(try await fixture.store.profiles(of: [ann.id, bob.id]).isEmpty)
            #expect(try await !fixture.store.setProfile(profile, of: ann.id))
        },
        StoreFact("all sessions of a user but one are ended") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let tokens = (0..<3).map { TokenHash("\($0)") }
            for token in tokens {
                try await fixture.store.createSession(AuthSession(tokenHash: token, user: ann, expires: .max))
            }
            let other = TokenHash("other")
            try await fixture.store.createSession(AuthSession(tokenHash: other, user: bob, expires: .max))
            let ended = try await fixture.store.setPassword("h", of: ann.id, keeping: tokens[1]).value
            #expect(Set(ended) == [tokens[0], tokens[2]])
            #expect(Set(try await fixture.store.sessions(tokens + [other]).keys) == [tokens[1], other])
            #expect(try await fixture.store.revokeAll(of: ann.id).value == [tokens[1]])
        },
    ]
}
