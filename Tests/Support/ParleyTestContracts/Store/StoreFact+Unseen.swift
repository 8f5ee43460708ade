import ParleyModel
import Testing

extension StoreFixture {
    /// A decision about a message, made at the time at which it was sent.
    fileprivate func unseen(_ event: LogEvent, by user: User, unread: Int64 = 1, isQuiet: Bool = false) -> UnseenMessage
    {
        UnseenMessage(
            id: UnseenMessage.ID(user: user.id, thread: event.thread, position: event.position),
            milliseconds: event.milliseconds, unread: unread, unreadTotal: unread + 1, isMention: isQuiet,
            isQuiet: isQuiet)
    }

    /// The rows of unseen messages in the stream, and the cursor after it.
    fileprivate func unseenStream(
        after cursor: EventCursor = .start, _ query: EventQuery = EventQuery(kinds: [], rows: [.unseen])
    ) async throws -> (entries: [FeedEvent], next: EventCursor) {
        var (entries, next) = ([FeedEvent](), cursor)
        while true {
            let page = try #require(try await store.events(after: next, query))
            entries += page.entries
            next = page.next
            if page.isEnd { return (entries, next) }
        }
    }
}

extension StoreFact {
    /// The messages that their recipients have not seen, in the stream of stored events (`UnseenLog`).
    static let unseen: [StoreFact] = [
        StoreFact("a message that is unseen is an event once, for readers that ask for it, and all others pass it") {
            fixture in
            let (ann, bob, eve) = (
                try await fixture.user("ann"), try await fixture.user("bob"), try await fixture.user("eve")
            )
            let room = try await fixture.room("tea", ann, bob, eve)
            let messages = (1...3).map { fixture.message("\($0)", from: ann, in: room) }
            for message in messages { try await fixture.write(message) }
            let rows = [fixture.unseen(messages[1], by: bob), fixture.unseen(messages[1], by: eve, isQuiet: true)]
            #expect(try await fixture.store.addUnseen(rows) == Set(rows.map(\.id)))
            // What was decided before is known, also about an earlier message.
            #expect(try await fixture.store.addUnseen(rows).isEmpty)
            #expect(try await fixture.store.addUnseen([fixture.unseen(messages[0], by: bob)]).isEmpty)
            let later = fixture.unseen(messages[2], by: bob, unread: 2)
            #expect(try await fixture.store.addUnseen([rows[0], later]) == [later.id])
            let stream = try await fixture.unseenStream()
            #expect(Set(stream.entries) == Set((rows + [later]).map { .unseen($0) }))
            #expect(stream.entries.last == .unseen(later))
            for row in rows { #expect(try await fixture.store.unseenMessage(row.id) == row) }
            let others = try await fixture.unseenStream(after: .start, EventQuery(rows: [.audit]))
            #expect(others.entries.allSatisfy { $0.lane != .unseen } && others.next == stream.next)
            #expect(try await fixture.store.endOfEvents() == stream.next)
            #expect(try await fixture.unseenStream(after: stream.next).entries.isEmpty)
        },
        StoreFact("filters choose unseen messages by thread and recipient") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let (tea, milk) = (
                try await fixture.room("tea", ann, bob), try await fixture.room("milk", ann, bob)
            )
            let messages = [fixture.message("1", from: ann, in: tea), fixture.message("2", from: ann, in: milk)]
            for message in messages { try await fixture.write(message) }
            let rows = messages.map { fixture.unseen($0, by: bob) }
            for row in rows { #expect(try await fixture.store.addUnseen([row]) == [row.id]) }
            var query = EventQuery(kinds: [], rows: [.unseen], user: bob.id, limit: 1)
            #expect(try await fixture.unseenStream(after: .start, query).entries == rows.map { .unseen($0) })
            query.thread = milk
            #expect(try await fixture.unseenStream(after: .start, query).entries == [.unseen(rows[1])])
            query.user = ann.id
            #expect(try await fixture.unseenStream(after: .start, query).entries.isEmpty)
        },
        StoreFact("an unseen message that is deleted, or whose author is erased, is no event, and cursors stay") {
            fixture in
            let (ann, bob, eve) = (
                try await fixture.user("ann"), try await fixture.user("bob"), try await fixture.user("eve")
            )
            let room = try await fixture.room("tea", ann, bob, eve)
            let messages = [ann, ann, eve].map { fixture.message("text", from: $0, in: room) }
            for message in messages { try await fixture.write(message) }
            for message in messages { _ = try await fixture.store.addUnseen([fixture.unseen(message, by: bob)]) }
            let end = try await fixture.unseenStream().next
            try await fixture.write(fixture.delete(messages[0], by: ann))
            #expect(
                try await fixture.unseenStream().entries == messages[1...].map { .unseen(fixture.unseen($0, by: bob)) })
            #expect(try await fixture.store.unseenMessage(fixture.unseen(messages[0], by: bob).id) == nil)
            _ = try await fixture.store.eraseUser(bob.id, at: 3)
            #expect(try await fixture.unseenStream().entries.isEmpty)
            #expect(try await fixture.unseenStream(after: end).entries.isEmpty)
            let late = try await fixture.store.addUnseen([fixture.unseen(messages[2], by: bob)])
            #expect(late.isEmpty)
            _ = try await fixture.store.suspend(
                eve.id, Suspension(reason: ""), by: .command, at: try await fixture.store.databaseMilliseconds())
            #expect(try await fixture.store.addUnseen([fixture.unseen(messages[1], by: eve)]).isEmpty)
        },
        StoreFact("old unseen messages are deleted, and a cursor whose row has expired continues") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let messages = (1...4).map { fixture.message("\($0)", from: ann, in: room) }
            for message in messages { try await fixture.write(message) }
            let rows = messages.map { fixture.unseen($0, by: bob) }
            var cursors: [EventCursor] = []
            for row in rows.prefix(3) {
                _ = try await fixture.store.addUnseen([row])
                cursors.append(try await fixture.unseenStream().next)
            }
            #expect(try await fixture.store.pruneUnseen(before: rows[2].milliseconds, limit: 1) == 1)
            #expect(try await fixture.store.pruneUnseen(before: rows[2].milliseconds, limit: 9) == 1)
            #expect(try await fixture.unseenStream(after: cursors[0]).entries == [.unseen(rows[2])])
            #expect(try await fixture.store.pruneUnseen(before: .max, limit: 9) == 1)
            for cursor in cursors {
                let rest = try await fixture.unseenStream(after: cursor)
                #expect(rest.entries.isEmpty && rest.next == cursors[2])
            }
            _ = try await fixture.store.addUnseen([rows[3]])
            for cursor in cursors {
                #expect(try await fixture.unseenStream(after: cursor).entries == [.unseen(rows[3])])
            }
            let foreign = EventCursor([RowLane.unseen.number: EventCursor.Place(stamp: 7_000_000_000_000_000)])
            #expect(try await fixture.store.events(after: foreign, EventQuery()) == nil)
        },
        StoreFact("a reader beside concurrent writers of unseen messages misses none, and each is written once") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            let messages = (1...20).map { fixture.message("\($0)", from: ann, in: room) }
            for message in messages { try await fixture.write(message) }
            let rows = messages.map { fixture.unseen($0, by: bob) }
            let stores = [fixture.store, try await fixture.database.open()]
            let added = try await withThrowingTaskGroup { group in
                for store in stores {
                    group.addTask {
                        var added = 0
                        for row in rows { added += try await store.addUnseen([row]).count }
                        return added
                    }
                }
                return try await group.reduce(0, +)
            }
            let seen = try await fixture.unseenStream().entries.map(\.feedID)
            #expect(added == seen.count && Set(seen).count == seen.count)
            #expect(rows.last.map { seen.contains($0.id.feedID) } == true)
        },
    ]
}
