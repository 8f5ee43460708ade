import ParleyModel
import Testing

extension StoreFact {
    /// The meaning of a `clientID` that is used more than once.
    static let sends: [StoreFact] = [
        StoreFact("another text under a used clientID keeps its row, and the first keeps the clientID") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let one = fixture.message("one", from: ann, in: room, clientID: "c")
            let two = fixture.message("two", from: ann, in: room, clientID: "c")
            try await fixture.write(one)
            #expect(try await fixture.write(two) == [.stored(seq: 2)])
            #expect(try await fixture.messages(in: room) == [one.stored, two.stored])
            #expect(try await fixture.unread(bob, in: room) == 2)
            #expect(try await fixture.database.rejects().isEmpty)
            #expect(try await fixture.send(one)?.receipt.position == one.position)
            // In one batch, and once more.
            let batch = fixture.batch([
                fixture.message("three", from: ann, in: room, clientID: "d"),
                fixture.message("four", from: ann, in: room, clientID: "d"),
                fixture.message("five", from: ann, in: room, clientID: "d"),
            ])
            #expect(try await fixture.store.write(batch) == [3, 4, 5].map { .stored(seq: $0) })
            try await fixture.write(fixture.message("after", from: ann, in: room))
            #expect(try await fixture.store.write(batch) == [3, 4, 5].map { .repeated(seq: $0) })
            #expect(try await fixture.texts(in: room).count == 6)
        },
        StoreFact("a clientID used in another thread keeps its row too") { fixture in
            let ann = try await fixture.user("ann")
            let (tea, milk) = (try await fixture.room("tea", ann), try await fixture.room("milk", ann))
            let outcomes = try await fixture.write(
                fixture.message("one", from: ann, in: tea, clientID: "c"),
                fixture.message("one", from: ann, in: milk, clientID: "c"),
                fixture.message("three", from: ann, in: milk))
            #expect(outcomes == [.stored(seq: 1), .stored(seq: 1), .stored(seq: 2)])
            #expect(try await fixture.texts(in: milk) == ["one@1", "three@2"])
            #expect(try await fixture.messages(in: milk).first?.message?.clientID == "c")
            let sent = try await fixture.send(fixture.message("one", from: ann, in: milk, clientID: "c"))
            #expect(sent?.receipt.thread == tea)
        },
        StoreFact("repeated content is not stored again, and its seq stays empty") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            try await fixture.write(fixture.message("one", from: ann, in: room, clientID: "c"))
            let again = fixture.batch([fixture.message("one", from: ann, in: room, clientID: "c")])
            #expect(try await fixture.store.write(again) == [.repeated(seq: 1)])
            #expect(try await fixture.store.write(again) == [.repeated(seq: 1)])
            #expect(try await fixture.store.head(of: room)?.position.seq == 2)
            #expect(try await fixture.unread(bob, in: room) == 1)
            // A log that has lost its end assigns seq 2 once more.
            fixture.epoch = Epoch("epoch2")
            #expect(try await fixture.write(fixture.message("new", from: bob, in: room, seq: 2)) == [.stored(seq: 3)])
            #expect(try await fixture.texts(in: room) == ["one@1", "new@3"])
            #expect(try await fixture.database.count(.repeats) == 1)
            #expect(try await fixture.store.write(again) == [.repeated(seq: 1)])
        },
        StoreFact("positions of events and of repeats are known as stored") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let first = fixture.message("one", from: ann, in: room, clientID: "c")
            let again = fixture.message("one", from: ann, in: room, clientID: "c")
            let joined = fixture.joined(ann, in: room)
            let far = fixture.message("far", from: ann, in: room, seq: 5000)
            try await fixture.write(first, again, joined, far)
            let there = [first, again, joined, far].map(\.position)
            #expect(there.map(\.seq) == [1, 2, 3, 5000])
            let others = [
                Position(epoch: fixture.epoch, seq: 4), Position(epoch: fixture.epoch, seq: 5001),
                Position(epoch: Epoch("another"), seq: 1), Position(epoch: Epoch("another"), seq: 2),
            ]
            #expect(try await fixture.store.stored(there + others, in: room) == Set(there))
            #expect(try await fixture.store.stored([], in: room).isEmpty)
            #expect(try await fixture.store.stored(there, in: ThreadID(trusted: "nowhere")).isEmpty)
        },
        StoreFact("a repeat of a later use is a repeat of itself") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            try await fixture.write(
                fixture.message("one", from: ann, in: room, clientID: "c"),
                fixture.message("two", from: ann, in: room, clientID: "c"))
            let again = fixture.message("two", from: ann, in: room, clientID: "c")
            #expect(try await fixture.write(again) == [.repeated(seq: 2)])
            #expect(try await fixture.texts(in: room) == ["one@1", "two@2"])
        },
        StoreFact("a deleted or edited message is recognised by its original content") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let said = Message(
                id: MessageID(trusted: "m-said"), sender: ann, text: "e\u{301}", clientID: "c", parts: Samples.parts,
                replyTo: 1)
            let one = fixture.event(.message(said), in: room)
            let two = fixture.message("two", from: ann, in: room, clientID: "d")
            try await fixture.write(one, two, fixture.edit(one, "other", by: ann), fixture.edit(two, "other", by: ann))
            func ask(_ text: String, _ replyTo: Int64? = 1) async throws -> Bool? {
                let message = Message(
                    id: MessageID(trusted: "m-again"), sender: ann, text: text, clientID: "c", parts: Samples.parts,
                    replyTo: replyTo)
                let responses = try await fixture.store.sends([SendQuery(thread: room, message: message)])
                return responses[0]?.isSame
            }
            for isDeleted in [false, true] {
                if isDeleted { try await fixture.write(fixture.delete(one, by: ann), fixture.delete(two, by: ann)) }
                #expect(try await ask("e\u{301}") == true)
                #expect(try await ask("\u{e9}") == false)
                #expect(try await ask("other") == false)
                #expect(try await ask("") == false)
                #expect(try await ask("e\u{301}", 2) == false)
            }
            // Only a digest is left, and a repeat does not restore the text.
            let again = fixture.message("two", from: ann, in: room, clientID: "d")
            #expect(try await fixture.write(again) == [.repeated(seq: 2)])
            let other = fixture.message("another", from: ann, in: room, clientID: "d")
            #expect(try await fixture.write(other) == [.stored(seq: 8)])
            #expect(try await fixture.texts(in: room) == ["@1", "@2", "another@8"])
        },
        StoreFact("sends are looked up together, and each gets its first use") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let (tea, milk) = (try await fixture.room("tea", ann, bob), try await fixture.room("milk", ann))
            let one = fixture.message("one", from: ann, in: tea, clientID: "c")
            try await fixture.write(one, fixture.message("two", from: ann, in: tea, clientID: "c"))
            func query(_ text: String, _ user: User, _ thread: ThreadID, _ clientID: String?) -> SendQuery {
                let id = MessageID(trusted: "m-asked")
                return SendQuery(
                    thread: thread, message: Message(id: id, sender: user, text: text, clientID: clientID))
            }
            let responses = try await fixture.store.sends([
                query("one", ann, tea, "c"), query("two", ann, tea, "c"), query("one", ann, milk, "c"),
                query("one", bob, tea, "c"), query("one", ann, tea, nil), query("one", ann, tea, "C"),
                query("one", ann, tea, "c\0"),
            ])
            #expect(responses.map { $0?.isSame } == [true, false, false, nil, nil, nil, nil])
            let receipt = Receipt(
                thread: tea, position: one.position, milliseconds: one.milliseconds, messageID: one.message?.id,
                isRepeat: true)
            #expect(responses[0]?.receipt == receipt)
            #expect(responses[1]?.receipt == receipt)
            #expect(try await fixture.store.sends([]) == [])
        },
        StoreFact("later uses are in their sender's export once") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            try await fixture.write(
                fixture.message("1", from: ann, in: room, clientID: "b"), fixture.message("2", from: ann, in: room),
                fixture.message("3", from: ann, in: room, clientID: "b"),
                fixture.message("4", from: ann, in: room, clientID: "a"),
                fixture.message("5", from: ann, in: room, clientID: "b"), fixture.message("6", from: ann, in: room))
            for limit in 1...7 {
                var (texts, next): ([String], ExportPlace?) = ([], nil)
                repeat {
                    let page = try await fixture.store.export(of: ann.id, after: next, limit: limit)
                    texts += page.messages.compactMap(\.message?.text)
                    next = page.next
                } while next != nil && texts.count < 20
                // Those that own their client_id come first, in an order of the store's own.
                #expect(Set(texts.prefix(2)) == ["1", "4"])
                #expect(texts.dropFirst(2) == ["2", "3", "5", "6"])
            }
        },
        StoreFact("a client_id or a title too long for an index is rejected, and the rest of the batch is stored") {
            fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let long = String(repeating: "x", count: 1001)
            let outcomes = try await fixture.write(
                fixture.message("one", from: ann, in: room, clientID: long),
                fixture.event(.renamed(title: long, by: ann.id), in: room),
                fixture.message("two", from: ann, in: room, clientID: String(long.dropLast())))
            #expect(outcomes.map(\.isRejected) == [true, true, false])
        },
    ]

    /// Redaction of rejected entries.
    static let redaction: [StoreFact] = [
        StoreFact("a rejected text is removed with its message, its author or its thread") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let nowhere = ThreadID(trusted: "nowhere")
            func texts() async throws -> Int {
                try await fixture.database.rejects().count {
                    String(decoding: $0.bytes, as: UTF8.self).contains("secret")
                }
            }
            let lost = fixture.message("secret\0", from: bob, in: room)
            try await fixture.write(
                lost, fixture.message("secret", from: ann, in: nowhere),
                fixture.message("secret", from: bob, in: nowhere))
            #expect(try await texts() == 3)
            try await fixture.write(fixture.delete(lost, by: bob))
            #expect(try await texts() == 2)
            #expect(try await fixture.store.eraseUser(ann.id, at: 1).value)
            try await fixture.store.finishCleanups()
            #expect(try await texts() == 1)
            // An entry that arrives only now is not kept at all.
            try await fixture.write(
                fixture.message("secret", from: ann, in: nowhere),
                fixture.edit(fixture.message("", from: ann, in: nowhere), "secret", by: ann))
            #expect(try await texts() == 1)
            #expect(try await fixture.database.rejects().count == 6)
        },
        StoreFact("nothing is kept of what an erased user has caused and the store rejects later") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let one = fixture.message("one", from: bob, in: room)
            try await fixture.write(one)
            #expect(try await fixture.store.eraseUser(ann.id, at: 1).value)
            try await fixture.store.finishCleanups()
            let events = [
                fixture.message("", from: ann, in: room), fixture.edit(one, "", by: ann), fixture.delete(one, by: ann),
                fixture.react(one, "👍", by: ann), fixture.joined(ann, in: room),
                fixture.event(.joined(bob, by: ann.id), in: room), fixture.event(.left(bob, by: ann.id), in: room),
                fixture.event(.renamed(title: "Garden", by: ann.id), in: room),
                fixture.event(.role(bob.id, .moderator, by: ann.id), in: room),
            ]
            // One transaction for each: what one event brings along does not help another.
            for event in events {
                try await fixture.write(fixture.batch(contents: [.refused(event, reason: "why")]))
            }
            let kept = try await fixture.database.rejects().map { String(decoding: $0.bytes, as: UTF8.self) }
            #expect(kept == events.map { _ in "" })
        },
    ]
}
