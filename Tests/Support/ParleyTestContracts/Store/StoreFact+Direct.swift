import ParleyModel
import Testing

extension StoreFact {
    /// Threads between two users.
    static let directThreads: [StoreFact] = [
        StoreFact("the first direct message creates the thread and both memberships") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let event = fixture.direct("hi", from: ann, to: bob)
            #expect(try await fixture.write(event) == [.stored(seq: 1)])
            let thread = ThreadInfo.directID(ann.id, bob.id)
            for (me, other, unread) in [(ann, bob, Int64(0)), (bob, ann, 1)] {
                let seen = ThreadInfo(id: thread, kind: .direct, title: other.name)
                let entry = InboxEntry(thread: seen, lastMessage: event.stored, unreadCount: unread)
                #expect(try await fixture.store.inbox(of: me.id) == [entry])
                let membership = Membership(thread: seen, role: .member, peer: other)
                #expect(try await fixture.store.memberships(of: [me.id]) == [me.id: [membership]])
                let place = MemberPlace(user: me.id, thread: thread)
                #expect(try await fixture.store.memberships(at: [place]) == [place: membership])
            }
            #expect(try await fixture.store.threads([thread])[thread]?.title == "")
        },
        StoreFact("both users can continue a direct thread") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let thread = ThreadInfo.directID(ann.id, bob.id)
            try await fixture.write(fixture.direct("1", from: ann, to: bob), fixture.direct("2", from: ann, to: bob))
            #expect(try await fixture.unread(bob, in: thread) == 2)
            // As sent by a classic socket: without a recipient.
            try await fixture.write(
                fixture.message("3", from: bob, in: thread), fixture.direct("4", from: bob, to: ann))
            #expect(try await fixture.texts(in: thread) == ["1@1", "2@2", "3@3", "4@4"])
            #expect(try await fixture.unread(ann, in: thread) == 2)
            #expect(try await fixture.unread(bob, in: thread) == 0)
        },
        StoreFact("a user may send direct messages to themselves") { fixture in
            let ann = try await fixture.user("ann")
            try await fixture.write(
                fixture.direct("note", from: ann, to: ann), fixture.direct("more", from: ann, to: ann))
            let inbox = try await fixture.store.inbox(of: ann.id)
            #expect(inbox.map(\.thread.title) == ["ann"])
            #expect(inbox.map(\.unreadCount) == [0])
            #expect(try await fixture.store.memberships(of: [ann.id])[ann.id]?.map(\.peer) == [ann])
        },
        StoreFact("a direct message to or from an unknown user is rejected and leaves nothing") { fixture in
            let ann = try await fixture.user("ann")
            let ghost = User(id: UserID(trusted: "u-ghost"), name: "ghost")
            let outcomes = try await fixture.write(
                fixture.direct("boo", from: ann, to: ghost), fixture.direct("boo", from: ghost, to: ann),
                fixture.direct("boo", from: ghost, to: ghost))
            #expect(outcomes.map(\.isRejected) == [true, true, true])
            #expect(try await fixture.store.inbox(of: ann.id).isEmpty)
            #expect(try await fixture.store.threads([ThreadInfo.directID(ann.id, ghost.id)]).isEmpty)
        },
        StoreFact("a direct message outside the pair's thread is rejected") { fixture in
            let (ann, bob, cat) = (
                try await fixture.user("ann"), try await fixture.user("bob"), try await fixture.user("cat")
            )
            let room = try await fixture.room("tea", ann)
            try await fixture.write(fixture.direct("ours", from: ann, to: bob))
            let pair = ThreadInfo.directID(ann.id, bob.id)
            let outcomes = try await fixture.write(
                fixture.message("in a room", from: ann, in: room, to: bob),
                fixture.message("in theirs", from: cat, in: pair, to: bob),
                fixture.message("in a new one", from: ann, in: ThreadID(trusted: "direct.0"), to: bob))
            #expect(outcomes.map(\.isRejected) == [true, true, true])
            #expect(try await fixture.texts(in: pair) == ["ours@1"])
            #expect(try await fixture.store.memberships(of: [cat.id])[cat.id, default: []].isEmpty)
        },
        StoreFact("a rejected first message creates no thread") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann)
            let thread = ThreadInfo.directID(ann.id, bob.id)
            let outcomes = try await fixture.write(
                fixture.message("one", from: ann, in: room),
                fixture.message("two\0", from: ann, in: thread, to: bob))
            #expect(outcomes.map(\.isRejected) == [false, true])
            #expect(try await fixture.store.threads([thread]).isEmpty)
            #expect(try await fixture.store.inbox(of: bob.id).isEmpty)
            #expect(try await fixture.write(fixture.direct("three", from: ann, to: bob)) == [.stored(seq: 2)])
            #expect(try await fixture.unread(bob, in: thread) == 1)
        },
    ]
}
