import ParleyModel
import Testing

extension StoreFact {
    /// Events that change messages.
    static let changes: [StoreFact] = [
        StoreFact("every kind of event is read back, with the current state of messages and edits") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann)
            let id = MessageID(trusted: "m1")
            let first = Message(
                id: id, sender: ann, text: "hi", clientID: "c", parts: Samples.parts, replyTo: 1 << 40)
            let about = (id: id, seq: Int64(1))
            let events = [
                fixture.event(.message(first), in: room),
                fixture.event(.joined(bob, by: ann.id), in: room),
                fixture.event(.edited(.init(messageID: id, messageSeq: 1, text: "Zoë 😀", by: ann.id)), in: room),
                fixture.event(.reaction(.init(about, bob, "👩‍👩‍👧", true)), in: room),
                fixture.event(.reaction(.init(about, bob, "👍", false)), in: room),
                fixture.event(.role(bob.id, .readOnly, by: ann.id), in: room),
                fixture.event(.renamed(title: "Café \"x\"", by: ann.id), in: room),
                fixture.event(.left(bob, by: ann.id), in: room),
            ]
            let outcomes = try await fixture.write(fixture.batch(events))
            #expect(outcomes == events.map { .stored(seq: $0.position.seq) })
            var expected = events.map(\.stored)
            expected[0].body = .message(
                Message(
                    id: id, sender: ann, text: "Zoë 😀", clientID: "c", parts: Samples.parts, replyTo: 1 << 40,
                    status: MessageStatus(
                        editedMilliseconds: events[2].milliseconds,
                        reactions: [ReactionCount(emoji: "👩‍👩‍👧", count: 1, users: [bob.id])])))
            let log = try await fixture.store.events(in: room, after: 0, limit: 100)
            #expect(log.events == expected)
            let sent = try await fixture.send(events[0])
            #expect(sent?.receipt.position == events[0].position)
            #expect(sent?.isSame == true)
            let message = try await fixture.messages(in: room).first?.message
            #expect(message?.parts == Samples.parts)
            #expect(message?.replyTo == 1 << 40)
        },
        StoreFact("an edit replaces the text, in the log too") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let one = fixture.message("one", from: ann, in: room, clientID: "c")
            let edit = fixture.edit(one, "two", by: ann)
            // Of several in one batch and in several batches, the last one counts.
            let (again, last) = (fixture.edit(one, "three", by: ann), fixture.edit(one, "four", by: ann))
            try await fixture.write(one, edit)
            try await fixture.write(again, last)
            #expect(try await fixture.texts(in: room) == ["four@1"])
            let history = try await fixture.store.history(in: room, HistoryQuery(limit: 5)).messages.first
            #expect(history?.message?.text == "four")
            #expect(history?.message?.status.editedMilliseconds == last.milliseconds)
            #expect(try await fixture.store.inbox(of: bob.id).first?.lastMessage?.message?.text == "four")
            let log = try await fixture.store.events(in: room, after: 0, limit: 9).events
            #expect(log.map(\.position) == [one, edit, again, last].map(\.position))
            #expect(log.first == history)
            let texts = log.compactMap { if case .edited(let edit) = $0.body { edit.text } else { nil } }
            #expect(texts == ["four", "four", "four"])
            // A repeated send is compared with the original text.
            #expect(try await fixture.send(one)?.isSame == true)
            #expect(
                try await fixture.send(fixture.message("four", from: ann, in: room, clientID: "c"))?.isSame == false)
            #expect(try await fixture.unread(bob, in: room) == 1)
        },
        StoreFact("a deleted message keeps its position, and its text is removed everywhere") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let secret = Message(
                id: MessageID(trusted: "m1"), sender: ann, text: "secret", clientID: "c", parts: Samples.parts)
            let one = fixture.event(.message(secret), in: room)
            let edit = fixture.edit(one, "more secret", by: ann)
            let react = fixture.react(one, "👍", by: bob)
            try await fixture.write(one, edit, react)
            try await fixture.write(
                fixture.delete(one, by: bob), fixture.edit(one, "too late", by: ann), fixture.react(one, "👎", by: bob),
                fixture.delete(one, by: ann), fixture.message("two", from: bob, in: room))
            #expect(try await fixture.texts(in: room) == ["@1", "two@8"])
            let page = try await fixture.store.history(in: room, HistoryQuery(limit: 5))
            let gone = page.messages.first?.message
            #expect(gone?.status == MessageStatus(isDeleted: true))
            #expect(gone?.parts == [])
            #expect(page.head?.messageCount == 2)
            let log = try await fixture.store.events(in: room, after: 0, limit: 9).events
            #expect(log.map(\.position.seq) == Array(1...8))
            let texts = log.compactMap { event in
                if case .edited(let edit) = event.body { edit.text } else { event.message?.text }
            }
            #expect(texts == ["", "", "", "two"])
            #expect(log[0].message?.isDeleted == true)
            #expect(try await fixture.send(one)?.receipt.position == one.position)
            #expect(try await fixture.store.message(MessageID(trusted: "m1"), in: room)?.isGone == true)
            // Writing them again changes nothing.
            #expect(
                try await fixture.store.write(fixture.batch([edit, react])) == [.repeated(seq: 2), .repeated(seq: 3)])
            #expect(try await fixture.store.history(in: room, HistoryQuery(limit: 5)) == page)
        },
        StoreFact("deleted and erased messages are found among many") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let (tea, milk) = (try await fixture.room("tea", ann, bob), try await fixture.room("milk", ann, bob))
            let said = [fixture.message("1", from: bob, in: tea), fixture.message("2", from: bob, in: milk)]
            let erased = fixture.message("3", from: ann, in: tea)
            let stays = fixture.message("4", from: bob, in: milk)
            try await fixture.write(fixture.batch(said + [erased, stays]))
            try await fixture.write(fixture.delete(said[0], by: bob), fixture.delete(said[1], by: bob))
            #expect(try await fixture.store.eraseUser(ann.id, at: 1).value)
            try await fixture.store.finishCleanups()
            func key(_ event: LogEvent, in thread: ThreadID? = nil) throws -> MessageKey {
                MessageKey(thread: thread ?? event.thread, message: try #require(event.message).id)
            }
            let gone = try (said + [erased]).map { try key($0) }
            // Neither existing messages, nor those of other threads, nor unknown ones.
            let others = [
                try key(stays), try key(said[0], in: milk),
                MessageKey(thread: ThreadID(trusted: "nowhere"), message: MessageID(trusted: "m-1")),
            ]
            #expect(try await fixture.store.gone(among: gone + others) == Set(gone))
            let unknown = (0..<MessageKey.maximumCount - 1).map {
                MessageKey(thread: tea, message: MessageID(trusted: "x\($0)"))
            }
            #expect(try await fixture.store.gone(among: unknown + [gone[1]]) == [gone[1]])
            #expect(try await fixture.store.gone(among: []).isEmpty)
        },
        StoreFact("a deleted message does not count as unread, wherever the cursor is") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let said = (1...6).map { fixture.message("\($0)", from: ann, in: room) }
            try await fixture.write(fixture.batch(said))
            try await fixture.write(fixture.delete(said[1], by: ann), fixture.delete(said[4], by: ann))
            #expect(try await fixture.unread(bob, in: room) == 4)
            for (seq, unread) in [(1, 3), (2, 3), (3, 2), (4, 1), (5, 1), (6, 0), (8, 0), (0, 4)] as [(Int64, Int64)] {
                try await fixture.store.markRead(room, by: bob.id, through: seq)
                #expect(try await fixture.unread(bob, in: room) == unread, "read up to \(seq)")
            }
            // A second deletion has no effect, and read messages are not counted.
            try await fixture.store.markRead(room, by: bob.id, through: 3)
            try await fixture.write(fixture.delete(said[1], by: bob), fixture.delete(said[5], by: ann))
            #expect(try await fixture.unread(bob, in: room) == 1)
            #expect(try await fixture.unread(ann, in: room) == 0)
            #expect(try await fixture.store.threads(of: bob.id, after: nil, limit: 1).first?.unreadCount == 1)
        },
        StoreFact("only current reactions are counted") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let (one, two) = (fixture.message("one", from: ann, in: room), fixture.message("two", from: ann, in: room))
            try await fixture.write(one, two)
            try await fixture.write(
                fixture.react(one, "👍", by: ann), fixture.react(one, "👍", by: bob), fixture.react(one, "👍", by: bob),
                fixture.react(one, ":x:", by: bob), fixture.react(two, ":x:", by: bob),
                fixture.react(two, ":x:", by: bob, isOn: false), fixture.react(two, "never", by: bob, isOn: false))
            func reactions() async throws -> [[ReactionCount]] {
                try await fixture.store.history(in: room, HistoryQuery(limit: 9)).messages.map {
                    $0.message?.status.reactions ?? []
                }
            }
            let cross = ReactionCount(emoji: ":x:", count: 1, users: [bob.id])
            #expect(
                try await reactions() == [[cross, ReactionCount(emoji: "👍", count: 2, users: [ann.id, bob.id])], []])
            try await fixture.write(
                fixture.react(one, "👍", by: ann, isOn: false), fixture.react(one, ":x:", by: bob, isOn: false),
                fixture.react(one, ":x:", by: bob))
            #expect(try await reactions() == [[cross, ReactionCount(emoji: "👍", count: 1, users: [bob.id])], []])
        },
        StoreFact("all reacting users are counted and some are named") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let one = fixture.message("one", from: ann, in: room)
            let fans = (0..<(ReactionCount.maximumUsers + 10)).map {
                User(id: UserID(trusted: "fan-\($0 + 100)"), name: "fan \($0)")
            }
            try await fixture.write(fixture.batch([one] + fans.reversed().map { fixture.react(one, "👍", by: $0) }))
            let reactions = try await fixture.store.history(in: room, HistoryQuery(limit: 9)).messages[0].message?
                .status
                .reactions
            let named = fans.prefix(ReactionCount.maximumUsers).map(\.id)
            #expect(reactions == [ReactionCount(emoji: "👍", count: Int64(fans.count), users: named)])
        },
        StoreFact("an event about an unknown message is rejected, and the rest of the batch is stored") { fixture in
            let ann = try await fixture.user("ann")
            let (room, other) = (try await fixture.room("tea", ann), try await fixture.room("milk", ann))
            let one = fixture.message("one", from: ann, in: room)
            try await fixture.write(one)
            let (id, seq) = (one.message?.id ?? MessageID(trusted: ""), Int64(1))
            let nonsense = [
                fixture.event(.edited(.init(messageID: id, messageSeq: seq, text: "x", by: ann.id)), in: other),
                fixture.event(.deleted(.init(messageID: id, messageSeq: seq, by: ann.id)), in: other),
                fixture.event(.reaction(.init((MessageID(trusted: "none"), seq), ann, "👍", true)), in: room),
                fixture.event(.reaction(.init((id, seq), ann, "no emoji", true)), in: room),
                fixture.event(.reaction(.init((id, seq), ann, "", true)), in: room),
                fixture.event(.edited(.init(messageID: id, messageSeq: seq, text: "\0", by: ann.id)), in: room),
            ]
            let outcomes = try await fixture.write(
                fixture.batch(nonsense + [fixture.message("two", from: ann, in: room)]))
            #expect(outcomes.dropLast().allSatisfy { $0.isRejected })
            #expect(outcomes.last == .stored(seq: 6))
            #expect(try await fixture.texts(in: room) == ["one@1", "two@6"])
            #expect(try await fixture.database.rejects().count == nonsense.count)
        },
        StoreFact("a message and its changes may be in one batch") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let (one, two) = (fixture.message("one", from: ann, in: room), fixture.message("two", from: ann, in: room))
            let direct = fixture.direct("psst", from: ann, to: bob)
            let batch = fixture.batch([
                one, two, direct, fixture.edit(one, "uno", by: ann), fixture.react(one, "👍", by: bob),
                fixture.delete(two, by: ann), fixture.edit(direct, "pssst", by: ann),
            ])
            let outcomes = try await fixture.write(batch)
            #expect(outcomes == [1, 2, 1, 3, 4, 5, 2].map { .stored(seq: $0) })
            #expect(try await fixture.texts(in: room) == ["uno@1", "@2"])
            #expect(try await fixture.texts(in: direct.thread) == ["pssst@1"])
            #expect(try await fixture.unread(bob, in: room) == 1)
        },
        StoreFact("a late event does not undo a newer one") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let one = fixture.message("one", from: ann, in: room)
            let late = [
                fixture.edit(one, "old", by: ann), fixture.react(one, "👍", by: bob), fixture.react(one, "🎉", by: bob),
            ]
            try await fixture.write(
                one, fixture.edit(one, "new", by: ann), fixture.react(one, "👍", by: bob, isOn: false))
            let outcomes = try await fixture.write(fixture.batch(late))
            #expect(outcomes == late.map { .stored(seq: $0.position.seq) })
            #expect(try await fixture.texts(in: room) == ["new@1"])
            let message = try await fixture.store.history(in: room, HistoryQuery(limit: 1)).messages.first?.message
            #expect(message?.status.reactions.map(\.emoji) == ["🎉"])
        },
        StoreFact("a message is found by its id") { fixture in
            let ann = try await fixture.user("ann")
            let (room, other) = (try await fixture.room("tea", ann), try await fixture.room("milk", ann))
            let id = MessageID(trusted: "m1")
            try await fixture.write(
                fixture.joined(ann, in: room), fixture.message("one", from: ann, in: room, id: "m1"))
            let place = try await fixture.store.message(id, in: room)
            #expect(place == MessagePlace(seq: 2, sender: ann.id, isGone: false))
            #expect(try await fixture.store.message(id, in: other) == nil)
            #expect(try await fixture.store.message(MessageID(trusted: "M1"), in: room) == nil)
        },
    ]
}

extension Reaction {
    fileprivate init(_ message: (id: MessageID, seq: Int64), _ user: User, _ emoji: String, _ isOn: Bool) {
        self.init(messageID: message.id, messageSeq: message.seq, user: user.id, emoji: emoji, isOn: isOn)
    }
}
