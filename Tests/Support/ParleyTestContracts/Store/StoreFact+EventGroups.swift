import ParleyModel
import Testing

extension StoreFact {
    /// Groups of readers of the stream of events (`EventGroups`).
    static let eventGroups: [StoreFact] = [
        StoreFact("a group has one reader at a time, and the next one begins where it has acknowledged") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            try await fixture.write(fixture.message("1", from: ann, in: room))
            let first = try await fixture.stream().next
            try await fixture.write(fixture.message("2", from: ann, in: room))
            let second = try await fixture.stream().next
            let store = fixture.store
            #expect(try await store.leaseGroup("crm", to: "a", for: 600_000, beginningAt: .start) == .start)
            #expect(try await store.leaseGroup("crm", to: "b", for: 600_000, beginningAt: .start) == nil)
            #expect(try await store.acknowledge(first, of: "crm", by: "a"))
            #expect(try await !store.acknowledge(second, of: "crm", by: "b"))
            #expect(try await !store.acknowledge(second, of: "none", by: "a"))
            // Its own reader comes back at any time; a lease of no time has ended.
            #expect(try await store.leaseGroup("crm", to: "a", for: 0, beginningAt: .start) == first)
            #expect(try await store.leaseGroup("crm", to: "b", for: 600_000, beginningAt: .start) == first)
            #expect(try await store.leaseGroup("crm", to: "a", for: 600_000, beginningAt: .start) == nil)
            #expect(try await !store.acknowledge(second, of: "crm", by: "a"))
            #expect(try await store.acknowledge(second, of: "crm", by: "b"))
            #expect(try await store.leaseGroup("crm", to: "b", for: 600_000, beginningAt: .start) == second)
        },
        StoreFact("groups are listed by name, and forgotten when they are deleted") { fixture in
            let store = fixture.store
            let cursor = EventCursor([0: EventCursor.Place(stamp: 7, count: 2)])
            _ = try await store.leaseGroup("b", to: "x", for: 60_000, beginningAt: cursor)
            _ = try await store.leaseGroup("a", to: "y", for: 60_000, beginningAt: .start)
            #expect(try await store.acknowledge(cursor, of: "a", by: "y"))
            let groups = try await store.eventGroups()
            #expect(groups.map(\.name) == ["a", "b"])
            #expect(groups.map(\.reader) == ["y", "x"])
            #expect(groups.map(\.cursor) == [cursor, cursor])
            #expect(groups.map { $0.acknowledgedMilliseconds != nil } == [true, false])
            #expect(groups.allSatisfy { $0.untilMilliseconds > 0 })
            #expect(try await store.deleteEventGroup("a"))
            #expect(try await !store.deleteEventGroup("a"))
            #expect(try await store.eventGroups().map(\.name) == ["b"])
            #expect(try await store.leaseGroup("a", to: "z", for: 1, beginningAt: .start) == .start)
        },
        StoreFact("a lease is extended and ended by its reader only, and a moved group has none") { fixture in
            let store = fixture.store
            let cursor = EventCursor([0: EventCursor.Place(stamp: 7, count: 2)])
            _ = try await store.leaseGroup("crm", to: "a", for: 0, beginningAt: .start)
            #expect(try await store.extendLease(of: "crm", by: "a", for: 600_000))
            #expect(try await store.leaseGroup("crm", to: "b", for: 600_000, beginningAt: .start) == nil)
            #expect(try await !store.extendLease(of: "crm", by: "b", for: 0))
            #expect(try await !store.extendLease(of: "none", by: "a", for: 0))
            #expect(try await store.extendLease(of: "crm", by: "a", for: 0))
            #expect(try await store.leaseGroup("crm", to: "b", for: 600_000, beginningAt: .start) == .start)
            #expect(try await store.moveEventGroup("crm", to: cursor))
            #expect(try await !store.moveEventGroup("none", to: cursor))
            #expect(try await !store.extendLease(of: "crm", by: "b", for: 600_000))
            #expect(try await !store.acknowledge(.start, of: "crm", by: "b"))
            #expect(try await store.leaseGroup("crm", to: "a", for: 600_000, beginningAt: .start) == cursor)
        },
        StoreFact("no more groups than the maximum are made") { fixture in
            let store = fixture.store
            for number in 0..<EventGroup.maximumCount {
                _ = try await store.leaseGroup("group\(number)", to: "a", for: 600_000, beginningAt: .start)
            }
            #expect(try await store.leaseGroup("more", to: "a", for: 600_000, beginningAt: .start) == nil)
            #expect(try await store.leaseGroup("group3", to: "a", for: 600_000, beginningAt: .start) == .start)
            #expect(try await store.deleteEventGroup("group3"))
            #expect(try await store.leaseGroup("more", to: "a", for: 600_000, beginningAt: .start) == .start)
        },
        StoreFact("of several processes that ask for a lease at once, one gets it") { fixture in
            let stores = [fixture.store, try await fixture.database.open()]
            let winners = try await withThrowingTaskGroup { group in
                for number in 0..<10 {
                    group.addTask {
                        try await stores[number % 2].leaseGroup(
                            "crm", to: "\(number)", for: 600_000, beginningAt: .start)
                    }
                }
                return try await group.reduce(into: 0) { count, cursor in if cursor != nil { count += 1 } }
            }
            #expect(winners == 1)
        },
    ]
}
