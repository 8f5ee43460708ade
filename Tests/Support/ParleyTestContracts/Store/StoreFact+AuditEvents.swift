import ParleyModel
import Testing

extension StoreFixture {
    /// All rows of the audit log in the stream, and the cursor after it.
    fileprivate func auditStream(
        after cursor: EventCursor = .start, _ query: EventQuery = EventQuery(kinds: [], rows: [.audit])
    ) async throws -> (entries: [FeedEvent], next: EventCursor) {
        var (entries, next) = ([FeedEvent](), cursor)
        while true {
            let page = try #require(try await store.events(after: next, query))
            #expect(page.entries.count <= query.limit)
            #expect(EventCursor(page.next.text) == page.next)
            entries += page.entries
            next = page.next
            if page.isEnd { return (entries, next) }
        }
    }
}

extension FeedEvent {
    fileprivate var reason: String? {
        if case .audit(let entry) = self { entry.note.reason } else { nil }
    }
}

extension StoreFact {
    private static let boss = AuditActor.operator(UserID(trusted: "u-boss"))

    private static func suspend(_ user: User, _ reason: String, in store: any StoreUnderTest) async throws {
        _ = try await store.suspend(
            user.id, Suspension(reason: reason), by: boss, at: try await store.databaseMilliseconds())
    }

    /// The rows of the audit log in the stream of stored events (`EventFeed`).
    static let auditEvents: [StoreFact] = [
        StoreFact("the stream has the rows of the audit log for readers that ask for them, and all others pass them") {
            fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            try await fixture.write(fixture.message("one", from: ann, in: room))
            try await suspend(bob, "spam", in: fixture.store)
            _ = try await fixture.store.rename(room, to: "milk", by: ann.id, at: 5, authorize: { _ in })
            let all = try await fixture.auditStream(after: .start, EventQuery(rows: [.audit]))
            let rows = try await fixture.store.auditEntries(AuditFilter(), before: nil, limit: 9)
            #expect(rows.count == 2)
            #expect(all.entries.compactMap(\.log).map(\.feedID) == ["\(room.text):\(fixture.epoch.text):1"])
            #expect(all.entries.filter { $0.log == nil } == rows.reversed().map { .audit($0) })
            #expect(Set(all.entries.map(\.feedID)).count == 3)
            for entry in all.entries {
                let id = AuditEntry.rowID(in: entry.feedID)
                #expect((id == nil) == (entry.log != nil))
                if let id { #expect(try await fixture.store.auditEntry(id).map { .audit($0) } == entry) }
            }
            let others = try await fixture.auditStream(after: .start, EventQuery())
            #expect(others.entries.map(\.message?.text) == ["one"])
            #expect(others.next == all.next)
            #expect(try await fixture.store.endOfEvents() == all.next)
            #expect(try await fixture.auditStream(after: all.next).entries.isEmpty)
        },
        StoreFact("filters choose rows of the audit log by thread, user concerned and actor") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann, bob)
            try await suspend(bob, "spam", in: fixture.store)
            _ = try await fixture.store.rename(room, to: "milk", by: ann.id, at: 5, authorize: { _ in })
            func actions(_ thread: ThreadID?, _ user: UserID?) async throws -> [AuditAction] {
                let query = EventQuery(kinds: [], rows: [.audit], thread: thread, user: user, limit: 1)
                return try await fixture.auditStream(after: .start, query).entries.compactMap { event in
                    if case .audit(let entry) = event { entry.note.action } else { nil }
                }
            }
            #expect(try await actions(nil, nil) == [.suspended, .renamed])
            #expect(try await actions(room, nil) == [.renamed])
            #expect(try await actions(nil, bob.id) == [.suspended])
            #expect(try await actions(nil, boss.user) == [.suspended])
            #expect(try await actions(nil, ann.id) == [.renamed])
            #expect(try await actions(room, bob.id).isEmpty)
        },
        StoreFact("pages of any size go through the audit log without a gap, and an erasure empties it") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.room("tea", ann)
            for number in 0..<40 {
                try await suspend(number % 2 == 0 ? ann : bob, "\(number)", in: fixture.store)
                if number % 5 == 0 { try await fixture.write(fixture.message("\(number)", from: ann, in: room)) }
            }
            for limit in [1, 7, 200] {
                let query = EventQuery(rows: [.audit], limit: limit)
                let entries = try await fixture.auditStream(after: .start, query).entries
                #expect(entries.compactMap(\.reason) == (0..<40).map { "\($0)" })
                #expect(entries.count == 48)
            }
            _ = try await fixture.store.eraseUser(ann.id, at: 3)
            let reasons = try await fixture.auditStream().entries.compactMap(\.reason)
            #expect(reasons == (0..<40).filter { $0 % 2 == 1 }.map { "\($0)" })
        },
        StoreFact("a cursor whose row has expired goes on with the rows that are left") { fixture in
            let ann = try await fixture.user("ann")
            try await suspend(ann, "1", in: fixture.store)
            let first = try await fixture.auditStream().next
            for number in 2...3 { try await suspend(ann, "\(number)", in: fixture.store) }
            let third = try await fixture.auditStream().next
            let foreign = EventCursor([RowLane.audit.number: EventCursor.Place(stamp: 7_000_000_000_000_000)])
            #expect(try await fixture.store.events(after: foreign, EventQuery()) == nil)
            // Rows of the same millisecond expire in no order.
            #expect(try await fixture.store.pruneAudit(before: .max, limit: 9) == 3)
            for cursor in [.start, first, third] {
                let rest = try await fixture.auditStream(after: cursor)
                #expect(rest.entries.isEmpty)
                // So the end of one reader is not behind that of another.
                #expect(rest.next == third)
            }
            #expect(try await fixture.store.endOfEvents() == third)
            #expect(try await fixture.store.events(after: foreign, EventQuery()) == nil)
            try await suspend(ann, "4", in: fixture.store)
            for cursor in [.start, first, third] {
                #expect(try await fixture.auditStream(after: cursor).entries.map(\.reason) == ["4"])
            }
        },
        StoreFact("a group that has not read a row of the audit log is behind") { fixture in
            let (store, ann) = (fixture.store, try await fixture.user("ann"))
            let reader = EventGroupReader(worker: "a")
            _ = try await store.leaseGroup("crm", to: reader, for: 600_000, beginningAt: .start)
            #expect(try await store.eventGroups().first?.unreadMilliseconds == nil)
            try await suspend(ann, "spam", in: store)
            #expect(try await store.eventGroups().first?.unreadMilliseconds != nil)
            let end = try await fixture.auditStream().next
            #expect(try await store.acknowledge(end, of: "crm", by: "a") == .accepted)
            #expect(try await store.eventGroups().first?.unreadMilliseconds == nil)
        },
        StoreFact("a reader beside concurrent writers of the audit log misses no row") { fixture in
            let stores = [fixture.store, try await fixture.database.open(), try await fixture.database.open()]
            var users: [User] = []
            for number in 0..<3 { users.append(try await fixture.user("user\(number)")) }
            let progress = AuditProgress(writers: users.count)
            let reasons = try await withThrowingTaskGroup { [users] group in
                for (number, user) in users.enumerated() {
                    group.addTask {
                        for count in 0..<10 {
                            try await suspend(user, "\(number) \(count)", in: stores[(number + count) % 3])
                        }
                        await progress.end()
                    }
                }
                var (reasons, cursor) = ([String](), EventCursor.start)
                while true {
                    let isOver = await progress.isOver
                    let query = EventQuery(kinds: [], rows: [.audit], limit: 4)
                    let page = try #require(try await stores[0].events(after: cursor, query))
                    reasons += page.entries.compactMap(\.reason)
                    cursor = page.next
                    if isOver, page.isEnd { break }
                }
                try await group.waitForAll()
                return reasons
            }
            #expect(reasons.count == 30)
            for number in 0..<3 {
                #expect(reasons.filter { $0.hasPrefix("\(number) ") } == (0..<10).map { "\(number) \($0)" })
            }
        },
    ]
}

/// The writers that have not finished.
private actor AuditProgress {
    private var writers: Int

    init(writers: Int) {
        self.writers = writers
    }

    var isOver: Bool { writers == 0 }

    func end() { writers -= 1 }
}
