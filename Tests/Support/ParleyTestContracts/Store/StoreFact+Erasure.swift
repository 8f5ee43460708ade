import ParleyModel
import Testing

extension StoreFact {
    /// The remains of an erased user.
    static let erasure: [StoreFact] = [
        StoreFact("an edit by an erased user is stored without text, and the log must redact it") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let (one, other) = (
                fixture.message("one", from: ann, in: room), fixture.message("two", from: bob, in: room)
            )
            try await fixture.write(one, other)
            // The erasure has begun, and has not reached the message yet.
            try await fixture.database.apply(.eraseUser(ann.id, at: 5))
            let keys = [one, other].compactMap { event in
                event.message.map { MessageKey(thread: room, message: $0.id) }
            }
            #expect(try await fixture.store.gone(among: keys) == Set(keys.prefix(1)))
            try await fixture.write(fixture.edit(one, "secret", by: ann))
            let log = try await fixture.store.events(in: room, after: 2, limit: 9).events
            #expect(log.count == 1 && !"\(log)".contains("secret"))
            #expect(try await fixture.outbox().map(\.content) == [.redactUser(ann.id)])
            // Only persisters relay it, so it is overdue at once.
            let overdue = try await fixture.store.overdueEntries(age: 3_600_000, after: 0, limit: 9)
            #expect(overdue.map(\.content) == [.redactUser(ann.id)])
        },
        StoreFact("nothing of an erased user can be read, and positions and counts stay") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let secret = Message(
                id: MessageID(trusted: "m1"), sender: ann, text: "secret", clientID: "c", parts: Samples.parts,
                replyTo: 1)
            let one = fixture.event(.message(secret), in: room)
            let direct = fixture.direct("secret too", from: ann, to: bob)
            try await fixture.write(
                fixture.joined(ann, in: room), one, fixture.edit(one, "secret still", by: ann),
                fixture.react(one, "👍", by: bob), fixture.message("mine", from: bob, in: room), direct,
                fixture.leaving(ann, room))
            let unread = try await fixture.store.inbox(of: bob.id).map(\.unreadCount)
            for _ in 0..<2 { #expect(try await fixture.store.eraseUser(ann.id, at: fixture.milliseconds).value) }
            // Before the rows are written, and after it.
            for isFinished in [false, true] {
                if isFinished { try await fixture.store.finishCleanups() }
                #expect(
                    try await fixture.database.count(.texts)
                        == (isFinished ? 1 : 3))
                #expect(try await fixture.database.count(.cleanups) == (isFinished ? 0 : 1))
                let log = try await fixture.store.events(in: room, after: 0, limit: 9).events
                let everything =
                    "\(log) \(try await fixture.store.history(in: room, HistoryQuery(limit: 9)))"
                    + "\(try await fixture.messages(in: direct.thread)) \(try await fixture.store.inbox(of: bob.id))"
                #expect(!everything.contains("secret"))
                #expect(!everything.contains("\"ann\""))
                #expect(log.map(\.position.seq) == Array(1...6))
                let gone = try await fixture.messages(in: room).first?.message
                #expect(gone?.sender == .erased(ann.id))
                #expect(gone?.status == MessageStatus(isErased: true))
                #expect(gone?.parts == [])
                #expect(try await fixture.store.inbox(of: bob.id).map(\.unreadCount) == unread)
                let peer = try await fixture.membership(of: bob, in: direct.thread)?.peer
                #expect(peer == .erased(ann.id))
                #expect(try await fixture.store.search("secret", of: bob.id, in: nil, limit: 9).messages.isEmpty)
                #expect(try await fixture.store.message(MessageID(trusted: "m1"), in: room)?.isGone == true)
            }
        },
        StoreFact("a cleanup has one claim at a time, and can be claimed again when that expires") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            try await fixture.write(fixture.message("secret", from: ann, in: room))
            #expect(try await fixture.store.claimCleanups(limit: 9).isEmpty)
            #expect(try await fixture.store.eraseUser(ann.id, at: 1).value)
            #expect(try await fixture.store.claimCleanups(limit: 0).isEmpty)
            let first = try await fixture.store.claimCleanups(limit: 9)
            #expect(first.map(\.subject) == [.user(ann.id)])
            #expect(try await fixture.store.claimCleanups(limit: 9).isEmpty)
            // The persister that held the claim has died, or was silent for too long.
            try await fixture.database.apply(.setCleanupsDue(5))
            for cleanup in first { try await fixture.store.finish(cleanup, forgetting: ForgottenSends()) }
            #expect(try await fixture.database.count(.texts) == 1)
            let second = try await fixture.store.claimCleanups(limit: 9)
            #expect(second.map(\.subject) == [.user(ann.id)])
            for cleanup in second { try await fixture.store.finish(cleanup, forgetting: ForgottenSends()) }
            #expect(try await fixture.database.count(.texts) == 0)
            #expect(try await fixture.database.count(.cleanups) == 0)
        },
        StoreFact("an erased user is unknown, and the name is free again") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            _ = try await fixture.store.setPassword("hash", of: ann.id, keeping: nil)
            let session = AuthSession(
                tokenHash: TokenHash(String(repeating: "ab", count: 32)), user: ann, expires: .max)
            try await fixture.store.createSession(session)
            #expect(try await fixture.store.eraseUser(ann.id, at: 1).value)
            #expect(try await fixture.store.users([ann.id]).isEmpty)
            #expect(try await fixture.store.users(named: ["ann", User.erased(ann.id).name]).isEmpty)
            #expect(try await fixture.store.users(prefix: "", limit: 9).isEmpty)
            #expect(try await fixture.store.credentials(named: "ann") == nil)
            #expect(try await fixture.store.credentials(named: User.erased(ann.id).name) == nil)
            #expect(try await fixture.store.sessions([session.tokenHash]).isEmpty)
            #expect(try await fixture.store.memberships(of: [ann.id])[ann.id, default: []].isEmpty)
            await #expect(throws: StoreError.taken) { try await fixture.store.createUser(ann, passwordHash: nil) }
            let other = User(id: UserID(trusted: "u-other"), name: "ann")
            try await fixture.store.createUser(other, passwordHash: nil)
            #expect(try await fixture.room("tea", other) == room)
            #expect(try await fixture.store.eraseUser(UserID(trusted: "nobody"), at: 1).value == false)
            // Repeated, and another user who has the name now is not affected.
            #expect(try await fixture.store.eraseUser(ann.id, at: 2).value)
            #expect(try await fixture.store.users([other.id]) == [other.id: other])
        },
        StoreFact("events of an erased user that are stored later have no text") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let one = fixture.message("one", from: ann, in: room)
            try await fixture.write(one)
            #expect(try await fixture.store.eraseUser(ann.id, at: 1).value)
            try await fixture.forgetOutbox()
            let direct = fixture.direct("secret", from: ann, to: bob)
            let batch = fixture.batch([
                fixture.edit(one, "secret", by: ann), fixture.message("secret", from: ann, in: room, clientID: "c"),
                fixture.joined(ann, in: room), fixture.react(one, "👍", by: bob), direct,
                fixture.event(.left(ann, by: bob.id), in: room), fixture.message("mine", from: bob, in: room),
            ])
            let outcomes = try await fixture.write(batch)
            #expect(!outcomes.contains { $0.isRejected })
            let log = try await fixture.store.events(in: room, after: 0, limit: 9).events
            #expect(log.count == 7)
            #expect(!"\(log) \(try await fixture.messages(in: direct.thread))".contains("secret"))
            #expect(!"\(log)".contains("\"ann\""))
            #expect(try await fixture.texts(in: room) == ["@1", "@3", "mine@7"])
            // The log has it still, and is to be rid of it.
            let told = try await fixture.store.outboxEntries(of: nil, limit: 99)
            let late = told.filter { $0.content == .redactUser(ann.id) }.map(\.thread)
            #expect(Set(late) == [room, direct.thread] && late.count == 2)
            #expect(try await fixture.membership(of: ann, in: room) == nil)
            #expect(try await fixture.membership(of: ann, in: direct.thread) == nil)
            #expect(try await fixture.unread(bob, in: room) == 0)
            #expect(try await fixture.store.write(batch).allSatisfy { if case .repeated = $0 { true } else { false } })
        },
        StoreFact("an erased user's reactions are gone, from messages and from the events about them") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let one = fixture.message("one", from: bob, in: room)
            try await fixture.write(
                one, fixture.react(one, "👍", by: bob), fixture.react(one, ":secret:", by: ann),
                fixture.react(one, "👍", by: ann), fixture.react(one, ":other-secret:", by: ann),
                fixture.react(one, ":other-secret:", by: ann, isOn: false))
            #expect(try await fixture.store.eraseUser(ann.id, at: 1).value)
            try await fixture.store.finishCleanups()
            let log = try await fixture.store.events(in: room, after: 0, limit: 9).events
            #expect(log.count == 6 && !"\(log)".contains("secret"))
            let reactions = {
                let page = try await fixture.store.history(in: room, HistoryQuery(limit: 9))
                return page.messages.first?.message?.status.reactions
            }
            #expect(try await reactions() == [ReactionCount(emoji: "👍", count: 1, users: [bob.id])])
            // Others of the log, and one that is stored later.
            #expect(try await fixture.outbox().map(\.content).contains(.redactUser(ann.id)))
            try await fixture.forgetOutbox()
            try await fixture.write(fixture.react(one, ":late-secret:", by: ann))
            #expect(try await fixture.outbox().map(\.content) == [.redactUser(ann.id)])
            #expect(
                try await fixture.database.count(.reactionEvents)
                    == 1)
            #expect(try await reactions()?.map(\.users) == [[bob.id]])
        },
        StoreFact("an erased user's client_ids are gone when the log has forgotten them, and texts even before") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let said = (0..<700).map {
                fixture.message("secret \($0)", from: $0 % 7 == 0 ? bob : ann, in: room, clientID: "c\($0)")
            }
            try await fixture.write(fixture.batch(said))
            // A later use of an id, and a deleted message.
            try await fixture.write(
                fixture.message("other", from: ann, in: room, clientID: "c1"), fixture.delete(said[2], by: ann))
            #expect(try await fixture.database.count(.tracesOfSends(ann.id)) >= 602)
            #expect(try await fixture.store.eraseUser(ann.id, at: 1).value)
            let log = ForgottenSends()
            log.setAway(true)
            await #expect(throws: StoreError.self) { try await fixture.store.finishCleanups(forgetting: log) }
            #expect(
                try await fixture.database.count(.textsOf(ann.id))
                    == 0)
            #expect(try await fixture.database.count(.tracesOfSends(ann.id)) >= 602)
            log.setAway(false)
            try await fixture.database.apply(.setCleanupsDue(5))
            try await fixture.store.finishCleanups(forgetting: log)
            #expect(log.clientIDs == Set(said.compactMap(\.message).filter { $0.sender == ann }.compactMap(\.clientID)))
            #expect(try await fixture.database.count(.tracesOfSends(ann.id)) == 0)
            #expect(
                try await fixture.database.count(.namedMessages) == 100)
            // Nor is one stored later.
            try await fixture.write(fixture.message("secret", from: ann, in: room, clientID: "late"))
            #expect(try await fixture.database.count(.tracesOfSends(ann.id)) == 0)
        },
        StoreFact("a deleted message of an erased user does not count as unread") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let said = (1...3).map { fixture.message("\($0)", from: ann, in: room) }
            try await fixture.write(fixture.batch(said))
            try await fixture.write(fixture.delete(said[0], by: ann))
            #expect(try await fixture.store.eraseUser(ann.id, at: 1).value)
            #expect(try await fixture.unread(bob, in: room) == 2)
            try await fixture.write(fixture.delete(said[1], by: bob))
            #expect(try await fixture.unread(bob, in: room) == 1)
            let statuses = try await fixture.messages(in: room).map { [$0.message?.isDeleted, $0.message?.isErased] }
            #expect(statuses == [[true, true], [true, true], [false, true]])
        },
        StoreFact("many messages are erased, with and without a client_id") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let said = (0..<1300).map { number in
                fixture.message(
                    "secret \(number)", from: number % 13 == 0 ? bob : ann, in: room,
                    clientID: number % 2 == 0 ? "c\(number)" : nil)
            }
            try await fixture.write(fixture.batch(said))
            try await fixture.forgetOutbox()
            #expect(try await fixture.store.eraseUser(ann.id, at: 1).value)
            try await fixture.store.finishCleanups()
            #expect(try await fixture.database.count(.texts) == 100)
            // One entry per thread, however many steps it took.
            #expect(try await fixture.outbox().count == 2)
            let left = try await fixture.messages(in: room)
            #expect(left.count == said.count)
            #expect(left.count { $0.message?.isErased == false } == 100)
            #expect(left.allSatisfy { $0.message?.isErased == ($0.message?.text == "") })
        },
    ]
}
