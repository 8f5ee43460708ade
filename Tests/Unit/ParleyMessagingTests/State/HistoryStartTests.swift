import ParleyAccounts
import ParleyMessaging
import ParleyModel
import ParleyTestContracts
import Testing

/// Rooms that do not show new members what precedes their joining, through the use cases of two processes.
@Suite struct HistoryStartTests {
    /// A room "Tea" of ann's that bob has not joined.
    private struct Room {
        let fixture: MessagingFixture
        let messaging: Messaging
        let ann: User
        let bob: User
        let id: ThreadID

        init(_ fixture: MessagingFixture) async throws {
            self.fixture = fixture
            (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            messaging = fixture.messaging()
            fixture.node.subscribe(to: [.user(bob.id)]) { _ in }
            let entrance = try await messaging.join(roomTitled: "Tea", history: .sinceJoining, by: Caller(ann))
            id = entrance.membership.thread.id
        }

        @discardableResult
        func say(_ text: String, replyTo: Int64? = nil) async throws -> MessageID {
            let membership = try await messaging.membership(of: Caller(ann), in: id)
            var message = NewMessage(text)
            message.replyTo = replyTo
            return try #require(try await messaging.send(message, by: Caller(ann), as: membership).messageID)
        }

        /// The texts of a page that bob reads.
        func page(_ place: HistoryQuery.Place = .newest, limit: Int = 30) async throws -> HistoryPage {
            let thread = try await messaging.access(to: id, for: bob.principal)
            return try await messaging.history(HistoryQuery(place, limit: limit), in: thread)
        }

        func texts(_ place: HistoryQuery.Place = .newest, limit: Int = 30) async throws -> [String] {
            try await page(place, limit: limit).messages.compactMap { $0.message?.text }
        }
    }

    @Test("a message before the joining is never shown, one after it always, wherever the relay is")
    func race() async throws {
        try await MessagingFixture.run { fixture in
            let room = try await Room(fixture)
            try await room.say("secret one")
            try await fixture.persist()
            // The process is killed between its transaction and the relay.
            let change = try await fixture.store.setMember(
                room.bob, of: room.id, role: nil, by: room.bob.id, at: 1
            ) { _ in }
            let entry = try #require(change.outbox.first)
            try await room.say("secret two")
            #expect(try await room.texts() == [])
            try await fixture.persist()
            #expect(try await room.texts() == [])
            // The reply is repeated by another process.
            let entrance = try await fixture.messaging().join(roomTitled: "Tea", by: Caller(room.bob))
            let joined = try #require(entrance.receipt?.position)
            #expect(joined.seq == 4)
            let start = HistoryStart.joined(joined, entry: entry.id)
            if case .added(let membership, after: 3)? = fixture.told(room.bob).last {
                #expect(membership.start == start)
            } else {
                Issue.record("no membership was announced")
            }
            try await room.say("hello")
            #expect(try await room.texts() == [])
            try await fixture.persist()
            #expect(try await room.texts() == ["hello"])
            #expect(try await room.messaging.thread(room.id, of: Caller(room.bob)).membership.start == .stored(4))
            let page = try await room.page()
            #expect(!page.hasMoreBefore && !page.hasMoreAfter)
        }
    }

    @Test("leaving and returning, also by an owner's addition, moves the start forward; a role does not")
    func forward() async throws {
        try await MessagingFixture.run { fixture in
            let room = try await Room(fixture)
            func join() async throws { _ = try await room.messaging.join(roomTitled: "Tea", by: Caller(room.bob)) }
            func leave() async throws { _ = try await room.messaging.leave(room.id, by: Caller(room.bob)) }
            try await join()
            try await room.say("one")
            _ = try await room.messaging.setMember("bob", of: room.id, role: .moderator, by: Caller(room.ann))
            try await fixture.persist()
            #expect(try await room.texts() == ["one"])
            try await leave()
            try await room.say("two")
            try await join()
            try await room.say("three")
            try await fixture.persist()
            #expect(try await room.texts() == ["three"])
            try await room.messaging.setHistory(.all, of: room.id, by: Caller(room.ann))
            #expect(try await room.texts() == ["three"])
            try await leave()
            try await room.messaging.setHistory(.sinceJoining, of: room.id, by: Caller(room.ann))
            _ = try await room.messaging.setMember("bob", of: room.id, role: nil, by: Caller(room.ann))
            if case .added(let membership, let after)? = fixture.told(room.bob).last {
                #expect(membership.firstSeq == after + 1)
            } else {
                Issue.record("no membership was announced")
            }
            try await room.say("four")
            try await fixture.persist()
            #expect(try await room.texts() == ["four"])
            try await leave()
            try await room.messaging.setHistory(.all, of: room.id, by: Caller(room.ann))
            try await join()
            try await fixture.persist()
            #expect(try await room.texts() == ["one", "two", "three", "four"])
        }
    }

    @Test("only the owner and operators change the history")
    func rights() async throws {
        try await MessagingFixture.run { fixture in
            let room = try await Room(fixture)
            await #expect(throws: MessagingError.notAMember) {
                try await room.messaging.setHistory(.all, of: room.id, by: Caller(room.bob))
            }
            _ = try await room.messaging.setMember("bob", of: room.id, role: .moderator, by: Caller(room.ann))
            await #expect(throws: MessagingError(RightsViolation.notTheOwner)) {
                try await room.messaging.setHistory(.all, of: room.id, by: Caller(room.bob))
            }
            let info = try await room.messaging.thread(room.id, of: Caller(room.ann)).membership.thread
            #expect(try await room.messaging.history(of: info) == .sinceJoining)
            let boss = try await fixture.asOperator(room.bob)
            try await room.messaging.setHistory(.all, of: room.id, by: boss)
            #expect(try await room.messaging.history(of: info) == .all)
        }
    }

    @Test("every place of a page is answered as if the log began at the start")
    func places() async throws {
        try await MessagingFixture.run { fixture in
            let room = try await Room(fixture)
            for number in 1...3 { try await room.say("secret \(number)") }
            _ = try await room.messaging.join(roomTitled: "Tea", by: Caller(room.bob))
            fixture.clock.advance(milliseconds: 10_000)
            for number in 1...4 { try await room.say("\(number)") }
            try await fixture.persist()
            // The joining has seq 5, and the messages after it have 6 to 9.
            let pages: [(HistoryQuery.Place, Int, [String], Bool, Bool)] = [
                (.newest, 30, ["1", "2", "3", "4"], false, false), (.newest, 2, ["3", "4"], true, false),
                (.newest, 4, ["1", "2", "3", "4"], false, false), (.before(8), 30, ["1", "2"], false, true),
                (.before(8), 1, ["2"], true, true), (.before(5), 30, [], false, true),
                (.before(1), 30, [], false, true),
                (.after(0), 2, ["1", "2"], false, true), (.after(6), 2, ["2", "3"], true, true),
                (.after(9), 2, [], true, false), (.around(2), 4, ["1", "2"], false, true),
                (.around(8), 2, ["2", "3"], true, true), (.at(0), 30, [], false, true),
                (.at(fixture.clock.milliseconds - 5_000), 30, [], false, true),
                (.at(.max), 2, ["3", "4"], true, false),
            ]
            for (place, limit, texts, hasMoreBefore, hasMoreAfter) in pages {
                let page = try await room.page(place, limit: limit)
                #expect(page.messages.compactMap { $0.message?.text } == texts, "\(place) \(limit)")
                #expect(page.hasMoreBefore == hasMoreBefore, "before \(place) \(limit)")
                #expect(page.hasMoreAfter == hasMoreAfter, "after \(place) \(limit)")
            }
            let thread = try await room.messaging.access(to: room.id, for: room.bob.principal)
            let seconds = fixture.clock.milliseconds / 1000
            let classic: [(MessageQuery, [String], Bool)] = [
                (MessageQuery(limit: 30), ["4", "3", "2", "1"], true),
                (MessageQuery(limit: 4), ["4", "3", "2", "1"], true),
                (MessageQuery(limit: 2), ["4", "3"], false), (MessageQuery(beforeSeq: 5, limit: 2), [], true),
                (MessageQuery(beforeSeq: 7, limit: 30), ["1"], true),
                (MessageQuery(afterSeq: 0, limit: 2), ["2", "1"], false),
                (MessageQuery(before: seconds - 5, limit: 30), [], true),
                (MessageQuery(after: 0, limit: 3), ["3", "2", "1"], false),
            ]
            for (query, texts, isEnd) in classic {
                let page = try await room.messaging.messages(query, in: thread)
                #expect(page.messages.compactMap { $0.message?.text } == texts && page.isEnd == isEnd, "\(query)")
            }
            let log = try await room.messaging.events(after: 0, limit: 30, in: thread)
            #expect(log.events.map(\.position.seq) == Array(5...9) && !log.hasMore)
        }
    }

    @Test("earlier messages cannot be changed, and later changes of them say nothing")
    func changes() async throws {
        try await MessagingFixture.run { fixture in
            let room = try await Room(fixture)
            let secret = try await room.say("secret")
            _ = try await room.messaging.join(roomTitled: "Tea", by: Caller(room.bob))
            let membership = { try await room.messaging.membership(of: Caller(room.ann), in: room.id) }
            let ann = try await membership()
            _ = try await room.messaging.change(.edit(secret, text: "secret two"), by: Caller(room.ann), as: ann)
            let emoji = MessageChange.react(secret, emoji: "👍", isOn: true)
            _ = try await room.messaging.change(emoji, by: Caller(room.ann), as: ann)
            let hello = try await room.say("hello", replyTo: 2)
            _ = try await room.messaging.change(.edit(hello, text: "hello!"), by: Caller(room.ann), as: ann)
            let own = try await room.messaging.membership(of: Caller(room.bob), in: room.id)
            #expect(own.start?.isKnown == false)
            await #expect(throws: MessagingError.unavailable("your joining is not stored yet; try again")) {
                _ = try await room.messaging.change(emoji, by: Caller(room.bob), as: own)
            }
            try await fixture.persist()
            _ = try await room.messaging.setMember("bob", of: room.id, role: .moderator, by: Caller(room.ann))
            let moderator = try await room.messaging.membership(of: Caller(room.bob), in: room.id)
            for change in [emoji, .delete(secret)] {
                await #expect(throws: MessagingError.notFound("there is no such message in this thread")) {
                    _ = try await room.messaging.change(change, by: Caller(room.bob), as: moderator)
                }
            }
            let thread = try await room.messaging.access(to: room.id, for: room.bob.principal)
            let log = try await room.messaging.events(after: 0, limit: 30, in: thread).events
            #expect(log.map(\.position.seq) == Array(3...7))
            if case .edited(let edit) = log[1].body { #expect(edit.text.isEmpty) } else { Issue.record("no edit") }
            if case .reaction(let reaction) = log[2].body {
                #expect(reaction.emoji.isEmpty && !reaction.isOn)
            } else {
                Issue.record("no reaction")
            }
            #expect(log[3].message?.replyTo == 2)
            if case .edited(let edit) = log[4].body { #expect(edit.text == "hello!") } else { Issue.record("no edit") }
        }
    }
}

extension User {
    /// The user with a password.
    fileprivate var principal: Principal { .user(Identity(user: self, credential: .password)) }
}
