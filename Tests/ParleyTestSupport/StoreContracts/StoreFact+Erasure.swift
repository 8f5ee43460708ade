import ParleyModel
import Testing

extension StoreFact {
    /// The remains of an erased user.
    static let erasure: [StoreFact] = [
        StoreFact("an edit by an erased user is stored without text, and the log must redact it") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann, bob)
            let (one, other) = (
                scene.message("one", from: ann, in: room), scene.message("two", from: bob, in: room)
            )
            try await scene.write(one, other)
            // The erasure has begun, and has not reached the message yet.
            try await scene.database.execute("UPDATE users SET erased_ms = 5 WHERE id = 'u-ann'")
            let keys = [one, other].compactMap { event in
                event.message.map { MessageKey(thread: room, message: $0.id) }
            }
            #expect(try await scene.store.gone(among: keys) == Set(keys.prefix(1)))
            try await scene.write(scene.edit(one, "secret", by: ann))
            let log = try await scene.store.events(in: room, after: 2, limit: 9).events
            #expect(log.count == 1 && !"\(log)".contains("secret"))
            #expect(try await scene.outbox().map(\.content) == [.redactUser(ann.id)])
        },
        StoreFact("nothing of an erased user can be read, and positions and counts stay") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann, bob)
            let secret = Message(
                id: MessageID(trusted: "m1"), sender: ann, text: "secret", clientID: "c", parts: Samples.parts,
                replyTo: 1)
            let one = scene.event(.message(secret), in: room)
            let direct = scene.direct("secret too", from: ann, to: bob)
            try await scene.write(
                scene.joined(ann, in: room), one, scene.edit(one, "secret still", by: ann),
                scene.react(one, "👍", by: bob), scene.message("mine", from: bob, in: room), direct,
                scene.leaving(ann, room))
            let unread = try await scene.store.inbox(of: bob.id).map(\.unreadCount)
            for _ in 0..<2 { #expect(try await scene.store.eraseUser(ann.id, at: scene.milliseconds).value) }
            // Before the rows are written, and after it.
            for isFinished in [false, true] {
                if isFinished { try await scene.store.finishCleanups() }
                #expect(
                    try await scene.database.number("SELECT count(*) FROM messages WHERE text <> ''")
                        == (isFinished ? 1 : 3))
                #expect(try await scene.database.number("SELECT count(*) FROM cleanups") == (isFinished ? 0 : 1))
                let log = try await scene.store.events(in: room, after: 0, limit: 9).events
                let everything =
                    "\(log) \(try await scene.store.history(in: room, HistoryQuery(limit: 9)))"
                    + "\(try await scene.messages(in: direct.thread)) \(try await scene.store.inbox(of: bob.id))"
                #expect(!everything.contains("secret"))
                #expect(!everything.contains("\"ann\""))
                #expect(log.map(\.position.seq) == Array(1...6))
                let gone = try await scene.messages(in: room).first?.message
                #expect(gone?.sender == .erased(ann.id))
                #expect(gone?.status == MessageStatus(isErased: true))
                #expect(gone?.parts == [])
                #expect(try await scene.store.inbox(of: bob.id).map(\.unreadCount) == unread)
                let peer = try await scene.membership(of: bob, in: direct.thread)?.peer
                #expect(peer == .erased(ann.id))
                #expect(try await scene.store.search("secret", of: bob.id, in: nil, limit: 9).messages.isEmpty)
                #expect(try await scene.store.message(MessageID(trusted: "m1"), in: room)?.isGone == true)
            }
        },
        StoreFact("a cleanup has one claim at a time, and can be claimed again when that expires") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann, bob)
            try await scene.write(scene.message("secret", from: ann, in: room))
            #expect(try await scene.store.claimCleanups(limit: 9).isEmpty)
            #expect(try await scene.store.eraseUser(ann.id, at: 1).value)
            #expect(try await scene.store.claimCleanups(limit: 0).isEmpty)
            let first = try await scene.store.claimCleanups(limit: 9)
            #expect(first.map(\.subject) == [.user(ann.id)])
            #expect(try await scene.store.claimCleanups(limit: 9).isEmpty)
            // The persister that held the claim has died, or was silent for too long.
            try await scene.database.execute("UPDATE cleanups SET due_ms = 5")
            for cleanup in first { try await scene.store.finish(cleanup, forgetting: ForgottenSends()) }
            #expect(try await scene.database.number("SELECT count(*) FROM messages WHERE text <> ''") == 1)
            let second = try await scene.store.claimCleanups(limit: 9)
            #expect(second.map(\.subject) == [.user(ann.id)])
            for cleanup in second { try await scene.store.finish(cleanup, forgetting: ForgottenSends()) }
            #expect(try await scene.database.number("SELECT count(*) FROM messages WHERE text <> ''") == 0)
            #expect(try await scene.database.number("SELECT count(*) FROM cleanups") == 0)
        },
        StoreFact("an erased user is unknown, and the name is free again") { scene in
            let ann = try await scene.user("ann")
            let room = try await scene.room("tea", ann)
            _ = try await scene.store.setPassword("hash", of: ann.id, keeping: nil)
            let session = AuthSession(
                tokenHash: TokenHash(String(repeating: "ab", count: 32)), user: ann, expires: .max)
            try await scene.store.createSession(session)
            #expect(try await scene.store.eraseUser(ann.id, at: 1).value)
            #expect(try await scene.store.users([ann.id]).isEmpty)
            #expect(try await scene.store.users(named: ["ann", User.erased(ann.id).name]).isEmpty)
            #expect(try await scene.store.users(prefix: "", limit: 9).isEmpty)
            #expect(try await scene.store.credentials(named: "ann") == nil)
            #expect(try await scene.store.credentials(named: User.erased(ann.id).name) == nil)
            #expect(try await scene.store.sessions([session.tokenHash]).isEmpty)
            #expect(try await scene.store.memberships(of: [ann.id])[ann.id, default: []].isEmpty)
            await #expect(throws: StoreError.taken) { try await scene.store.createUser(ann, passwordHash: nil) }
            let other = User(id: UserID(trusted: "u-other"), name: "ann")
            try await scene.store.createUser(other, passwordHash: nil)
            #expect(try await scene.room("tea", other) == room)
            #expect(try await scene.store.eraseUser(UserID(trusted: "nobody"), at: 1).value == false)
            // Repeated, and another user who has the name now is not affected.
            #expect(try await scene.store.eraseUser(ann.id, at: 2).value)
            #expect(try await scene.store.users([other.id]) == [other.id: other])
        },
        StoreFact("events of an erased user that are stored later have no text") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann, bob)
            let one = scene.message("one", from: ann, in: room)
            try await scene.write(one)
            #expect(try await scene.store.eraseUser(ann.id, at: 1).value)
            try await scene.forgetOutbox()
            let direct = scene.direct("secret", from: ann, to: bob)
            let batch = scene.batch([
                scene.edit(one, "secret", by: ann), scene.message("secret", from: ann, in: room, clientID: "c"),
                scene.joined(ann, in: room), scene.react(one, "👍", by: bob), direct,
                scene.event(.left(ann, by: bob.id), in: room), scene.message("mine", from: bob, in: room),
            ])
            let outcomes = try await scene.write(batch)
            #expect(!outcomes.contains { $0.isRejected })
            let log = try await scene.store.events(in: room, after: 0, limit: 9).events
            #expect(log.count == 7)
            #expect(!"\(log) \(try await scene.messages(in: direct.thread))".contains("secret"))
            #expect(!"\(log)".contains("\"ann\""))
            #expect(try await scene.texts(in: room) == ["@1", "@3", "mine@7"])
            // The log has it still, and is to be rid of it.
            let told = try await scene.store.outboxEntries(of: nil, limit: 99)
            let late = told.filter { $0.content == .redactUser(ann.id) }.map(\.thread)
            #expect(Set(late) == [room, direct.thread] && late.count == 2)
            #expect(try await scene.membership(of: ann, in: room) == nil)
            #expect(try await scene.membership(of: ann, in: direct.thread) == nil)
            #expect(try await scene.unread(bob, in: room) == 0)
            #expect(try await scene.store.write(batch).allSatisfy { if case .repeated = $0 { true } else { false } })
        },
        StoreFact("an erased user's reactions are gone, from messages and from the events about them") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann, bob)
            let one = scene.message("one", from: bob, in: room)
            try await scene.write(
                one, scene.react(one, "👍", by: bob), scene.react(one, ":secret:", by: ann),
                scene.react(one, "👍", by: ann), scene.react(one, ":other-secret:", by: ann),
                scene.react(one, ":other-secret:", by: ann, isOn: false))
            #expect(try await scene.store.eraseUser(ann.id, at: 1).value)
            try await scene.store.finishCleanups()
            let log = try await scene.store.events(in: room, after: 0, limit: 9).events
            #expect(log.count == 6 && !"\(log)".contains("secret"))
            let reactions = {
                let page = try await scene.store.history(in: room, HistoryQuery(limit: 9))
                return page.messages.first?.message?.status.reactions
            }
            #expect(try await reactions() == [ReactionCount(emoji: "👍", count: 1, users: [bob.id])])
            // Others of the log, and one that is stored later.
            #expect(try await scene.outbox().map(\.content).contains(.redactUser(ann.id)))
            try await scene.forgetOutbox()
            try await scene.write(scene.react(one, ":late-secret:", by: ann))
            #expect(try await scene.outbox().map(\.content) == [.redactUser(ann.id)])
            #expect(
                try await scene.database.number("SELECT count(*) FROM events WHERE kind = 'reaction' AND text <> ''")
                    == 1)
            #expect(try await reactions()?.map(\.users) == [[bob.id]])
        },
        StoreFact("an erased user's client_ids are gone when the log has forgotten them, and texts even before") {
            scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann, bob)
            let said = (0..<700).map {
                scene.message("secret \($0)", from: $0 % 7 == 0 ? bob : ann, in: room, clientID: "c\($0)")
            }
            try await scene.write(scene.batch(said))
            // A later use of an id, and a deleted message.
            try await scene.write(
                scene.message("other", from: ann, in: room, clientID: "c1"), scene.delete(said[2], by: ann))
            let count = """
                SELECT (SELECT count(*) FROM messages WHERE sender_id = 'u-ann'
                    AND (client_id IS NOT NULL OR later_client_id IS NOT NULL OR content_digest IS NOT NULL))
                    + (SELECT count(*) FROM later_sends)
                """
            #expect(try await scene.database.number(count) >= 602)
            #expect(try await scene.store.eraseUser(ann.id, at: 1).value)
            let log = ForgottenSends()
            log.setAway(true)
            await #expect(throws: StoreError.self) { try await scene.store.finishCleanups(forgetting: log) }
            #expect(
                try await scene.database.number(
                    "SELECT count(*) FROM messages WHERE sender_id = 'u-ann' AND text <> ''")
                    == 0)
            #expect(try await scene.database.number(count) >= 602)
            log.setAway(false)
            try await scene.database.execute("UPDATE cleanups SET due_ms = 5")
            try await scene.store.finishCleanups(forgetting: log)
            #expect(log.clientIDs == Set(said.compactMap(\.message).filter { $0.sender == ann }.compactMap(\.clientID)))
            #expect(try await scene.database.number(count) == 0)
            #expect(
                try await scene.database.number("SELECT count(*) FROM messages WHERE client_id IS NOT NULL") == 100)
            // Nor is one stored later.
            try await scene.write(scene.message("secret", from: ann, in: room, clientID: "late"))
            #expect(try await scene.database.number(count) == 0)
        },
        StoreFact("a deleted message of an erased user does not count as unread") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann, bob)
            let said = (1...3).map { scene.message("\($0)", from: ann, in: room) }
            try await scene.write(scene.batch(said))
            try await scene.write(scene.delete(said[0], by: ann))
            #expect(try await scene.store.eraseUser(ann.id, at: 1).value)
            #expect(try await scene.unread(bob, in: room) == 2)
            try await scene.write(scene.delete(said[1], by: bob))
            #expect(try await scene.unread(bob, in: room) == 1)
            let statuses = try await scene.messages(in: room).map { [$0.message?.isDeleted, $0.message?.isErased] }
            #expect(statuses == [[true, true], [true, true], [false, true]])
        },
        StoreFact("many messages are erased, with and without a client_id") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let room = try await scene.room("tea", ann, bob)
            let said = (0..<1300).map { number in
                scene.message(
                    "secret \(number)", from: number % 13 == 0 ? bob : ann, in: room,
                    clientID: number % 2 == 0 ? "c\(number)" : nil)
            }
            try await scene.write(scene.batch(said))
            try await scene.forgetOutbox()
            #expect(try await scene.store.eraseUser(ann.id, at: 1).value)
            try await scene.store.finishCleanups()
            #expect(try await scene.database.number("SELECT count(*) FROM messages WHERE text <> ''") == 100)
            // One entry per thread, however many steps it took.
            #expect(try await scene.outbox().count == 2)
            let left = try await scene.messages(in: room)
            #expect(left.count == said.count)
            #expect(left.count { $0.message?.isErased == false } == 100)
            #expect(left.allSatisfy { $0.message?.isErased == ($0.message?.text == "") })
        },
    ]
}
