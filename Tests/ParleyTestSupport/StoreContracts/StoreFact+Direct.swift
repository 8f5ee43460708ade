import ParleyModel
import Testing

extension StoreFact {
    /// Threads between two users.
    static let directThreads: [StoreFact] = [
        StoreFact("the first direct message creates the thread and both memberships") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let event = scene.direct("hi", from: ann, to: bob)
            #expect(try await scene.write(event) == [.stored(seq: 1)])
            let thread = ThreadInfo.directID(ann.id, bob.id)
            for (me, other, unread) in [(ann, bob, Int64(0)), (bob, ann, 1)] {
                let seen = ThreadInfo(id: thread, kind: .direct, title: other.name)
                let entry = InboxEntry(thread: seen, lastMessage: event.stored, unreadCount: unread)
                #expect(try await scene.store.inbox(of: me.id) == [entry])
                let membership = Membership(thread: seen, role: .member, peer: other)
                #expect(try await scene.store.memberships(of: [me.id]) == [me.id: [membership]])
                let place = MemberPlace(user: me.id, thread: thread)
                #expect(try await scene.store.memberships(at: [place]) == [place: membership])
            }
            #expect(try await scene.store.threads([thread])[thread]?.title == "")
        },
        StoreFact("both users can continue a direct thread") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let thread = ThreadInfo.directID(ann.id, bob.id)
            try await scene.write(scene.direct("1", from: ann, to: bob), scene.direct("2", from: ann, to: bob))
            #expect(try await scene.unread(bob, in: thread) == 2)
            // As sent by a classic socket: without a recipient.
            try await scene.write(scene.message("3", from: bob, in: thread), scene.direct("4", from: bob, to: ann))
            #expect(try await scene.texts(in: thread) == ["1@1", "2@2", "3@3", "4@4"])
            #expect(try await scene.unread(ann, in: thread) == 2)
            #expect(try await scene.unread(bob, in: thread) == 0)
        },
        StoreFact("a user may send direct messages to themselves") { scene in
            let ann = try await scene.user("ann")
            try await scene.write(scene.direct("note", from: ann, to: ann), scene.direct("more", from: ann, to: ann))
            let inbox = try await scene.store.inbox(of: ann.id)
            #expect(inbox.map(\.thread.title) == ["ann"])
            #expect(inbox.map(\.unreadCount) == [0])
            #expect(try await scene.store.memberships(of: [ann.id])[ann.id]?.map(\.peer) == [ann])
        },
        StoreFact("a direct message to or from an unknown user is rejected and leaves nothing") { scene in
            let ann = try await scene.user("ann")
            let ghost = User(id: UserID(trusted: "u-ghost"), name: "ghost")
            let outcomes = try await scene.write(
                scene.direct("boo", from: ann, to: ghost), scene.direct("boo", from: ghost, to: ann),
                scene.direct("boo", from: ghost, to: ghost))
            #expect(outcomes.map(\.isRejected) == [true, true, true])
            #expect(try await scene.store.inbox(of: ann.id).isEmpty)
            #expect(try await scene.store.threads([ThreadInfo.directID(ann.id, ghost.id)]).isEmpty)
        },
        StoreFact("a direct message outside the pair's thread is rejected") { scene in
            let (ann, bob, cat) = (
                try await scene.user("ann"), try await scene.user("bob"), try await scene.user("cat")
            )
            let room = try await scene.room("tea", ann)
            try await scene.write(scene.direct("ours", from: ann, to: bob))
            let pair = ThreadInfo.directID(ann.id, bob.id)
            let outcomes = try await scene.write(
                scene.message("in a room", from: ann, in: room, to: bob),
                scene.message("in theirs", from: cat, in: pair, to: bob),
                scene.message("in a new one", from: ann, in: ThreadID(trusted: "direct.0"), to: bob))
            #expect(outcomes.map(\.isRejected) == [true, true, true])
            #expect(try await scene.texts(in: pair) == ["ours@1"])
            #expect(try await scene.store.memberships(of: [cat.id])[cat.id, default: []].isEmpty)
        },
        StoreFact("a rejected first message creates no thread") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann)
            let thread = ThreadInfo.directID(ann.id, bob.id)
            let outcomes = try await scene.write(
                scene.message("one", from: ann, in: room),
                scene.message("two\0", from: ann, in: thread, to: bob))
            #expect(outcomes.map(\.isRejected) == [false, true])
            #expect(try await scene.store.threads([thread]).isEmpty)
            #expect(try await scene.store.inbox(of: bob.id).isEmpty)
            #expect(try await scene.write(scene.direct("three", from: ann, to: bob)) == [.stored(seq: 2)])
            #expect(try await scene.unread(bob, in: thread) == 1)
        },
    ]
}
