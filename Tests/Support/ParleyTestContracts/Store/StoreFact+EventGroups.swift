import ParleyModel
import Testing

extension EventGroups {
    /// Asks for a lease for a worker, whose answer has the token `token`.
    fileprivate func lease(
        _ name: String, to worker: String, _ token: String = "one", for milliseconds: Int64 = 600_000,
        beginningAt cursor: EventCursor = .start
    ) async throws -> EventGroupLease {
        let reader = EventGroupReader(worker: worker, token: "\(worker) \(token)")
        return try await leaseGroup(name, to: reader, for: milliseconds, beginningAt: cursor)
    }

    /// The time of the oldest unread events of the only group.
    fileprivate func unread() async throws -> Int64? { try await eventGroups().first?.unreadMilliseconds }

    /// Extends or ends the lease of such an answer.
    fileprivate func extend(
        _ name: String, by worker: String, _ token: String = "one", for milliseconds: Int64
    ) async throws -> Bool {
        let reader = EventGroupReader(worker: worker, token: "\(worker) \(token)")
        return try await extendLease(of: name, by: reader, for: milliseconds)
    }
}

extension StoreFact {
    /// Groups of readers of the stream of events (`EventGroups`).
    static let eventGroups: [StoreFact] = [
        StoreFact("a group has one worker at a time, and the next one begins where it has acknowledged") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            try await fixture.write(fixture.message("1", from: ann, in: room))
            let first = try await fixture.stream().next
            try await fixture.write(fixture.message("2", from: ann, in: room))
            let second = try await fixture.stream().next
            let store = fixture.store
            #expect(try await store.lease("crm", to: "a") == .granted(.start))
            #expect(try await store.lease("crm", to: "b") == .refused(worker: "a"))
            #expect(try await store.acknowledge(first, of: "crm", by: "a") == .accepted)
            #expect(try await store.acknowledge(second, of: "crm", by: "b") == .refused(worker: "a"))
            #expect(try await store.acknowledge(second, of: "none", by: "a") == .unknown)
            // Its own worker comes back at any time; a lease of no time has ended.
            #expect(try await store.lease("crm", to: "a", for: 0) == .granted(first))
            #expect(try await store.lease("crm", to: "b") == .granted(first))
            #expect(try await store.lease("crm", to: "a") == .refused(worker: "b"))
            #expect(try await store.acknowledge(second, of: "crm", by: "a") == .refused(worker: "b"))
            #expect(try await store.acknowledge(second, of: "crm", by: "b") == .accepted)
            #expect(try await store.lease("crm", to: "b") == .granted(second))
        },
        StoreFact("an acknowledgement moves a group forward only, and the same one may come again") { fixture in
            let store = fixture.store
            let places = [
                EventCursor([0: EventCursor.Place(stamp: 7, count: 2)]), EventCursor([0: EventCursor.Place(stamp: 7)]),
                EventCursor([0: EventCursor.Place(stamp: 8), 1: EventCursor.Place(stamp: 5)]),
            ]
            _ = try await store.lease("crm", to: "a")
            for place in [places[0], places[1], places[1], places[2]] {
                #expect(try await store.acknowledge(place, of: "crm", by: "a") == .accepted)
            }
            // Ahead in one lane, and behind in the other.
            let mixed = EventCursor([0: EventCursor.Place(stamp: 9), 1: EventCursor.Place(stamp: 4)])
            for place in [places[1], places[0], .start, mixed, EventCursor([0: EventCursor.Place(stamp: 9)])] {
                #expect(try await store.acknowledge(place, of: "crm", by: "a") == .behind)
            }
            #expect(try await store.eventGroups().map(\.cursor) == [places[2]])
            // A worker that does not read does not learn it.
            #expect(try await store.acknowledge(.start, of: "crm", by: "b") == .refused(worker: "a"))
        },
        StoreFact("a group is listed with the age of the oldest events that it has not acknowledged") { fixture in
            let ann = try await fixture.user("ann")
            let room = try await fixture.room("tea", ann)
            let store = fixture.store
            _ = try await store.lease("crm", to: "a")
            #expect(try await store.unread() == nil)
            try await fixture.write(
                fixture.message("1", from: ann, in: room), fixture.message("2", from: ann, in: room))
            let first = try #require(try await store.events(after: .start, EventQuery(limit: 1))).next
            let end = try await fixture.stream().next
            let oldest = try #require(try await store.unread())
            #expect(oldest > 0)
            // A batch that was read in part is unread.
            #expect(try await store.acknowledge(first, of: "crm", by: "a") == .accepted)
            #expect(try await store.unread() == oldest)
            #expect(try await store.acknowledge(end, of: "crm", by: "a") == .accepted)
            #expect(try await store.unread() == nil)
            try await fixture.write(fixture.message("3", from: ann, in: room))
            let newer = try #require(try await store.unread())
            #expect(newer >= oldest)
        },
        StoreFact("groups are listed by name, and forgotten when they are deleted") { fixture in
            let store = fixture.store
            let cursor = EventCursor([0: EventCursor.Place(stamp: 7, count: 2)])
            _ = try await store.lease("b", to: "x", beginningAt: cursor)
            _ = try await store.lease("a", to: "y")
            #expect(try await store.acknowledge(cursor, of: "a", by: "y") == .accepted)
            let groups = try await store.eventGroups()
            #expect(groups.map(\.name) == ["a", "b"])
            #expect(groups.map(\.reader) == ["y", "x"])
            #expect(groups.map(\.cursor) == [cursor, cursor])
            #expect(groups.map { $0.acknowledgedMilliseconds != nil } == [true, false])
            #expect(groups.allSatisfy { $0.untilMilliseconds > 0 })
            #expect(try await store.deleteEventGroup("a"))
            #expect(try await !store.deleteEventGroup("a"))
            #expect(try await store.eventGroups().map(\.name) == ["b"])
            #expect(try await !store.extend("a", by: "y", for: 1))
            #expect(try await store.lease("a", to: "z", for: 1) == .granted(.start))
        },
        StoreFact("a lease is extended and ended by its reader only, and a moved group has none") { fixture in
            let store = fixture.store
            let cursor = EventCursor([0: EventCursor.Place(stamp: 7, count: 2)])
            _ = try await store.lease("crm", to: "a", for: 0)
            #expect(try await store.extend("crm", by: "a", for: 600_000))
            #expect(try await store.lease("crm", to: "b") == .refused(worker: "a"))
            #expect(try await !store.extend("crm", by: "b", for: 0))
            #expect(try await !store.extend("none", by: "a", for: 0))
            #expect(try await store.extend("crm", by: "a", for: 0))
            #expect(try await store.lease("crm", to: "b") == .granted(.start))
            #expect(try await store.moveEventGroup("crm", to: cursor))
            #expect(try await !store.moveEventGroup("none", to: cursor))
            #expect(try await !store.extend("crm", by: "b", for: 600_000))
            #expect(try await store.acknowledge(cursor, of: "crm", by: "b") == .refused(worker: ""))
            #expect(try await store.eventGroups().map(\.reader) == [""])
            #expect(try await store.lease("crm", to: "a") == .granted(cursor))
        },
        StoreFact("the newest answer to a worker has the lease, and the end of an older one does not end it") {
            fixture in
            let store = fixture.store
            _ = try await store.lease("crm", to: "a", "one")
            #expect(try await store.lease("crm", to: "a", "two") == .granted(.start))
            #expect(try await !store.extend("crm", by: "a", "one", for: 600_000))
            #expect(try await !store.extend("crm", by: "a", "one", for: 0))
            #expect(try await store.lease("crm", to: "b") == .refused(worker: "a"))
            // The worker may still acknowledge events of the older answer.
            let cursor = EventCursor([0: EventCursor.Place(stamp: 7)])
            #expect(try await store.acknowledge(cursor, of: "crm", by: "a") == .accepted)
            #expect(try await store.extend("crm", by: "a", "two", for: 0))
            #expect(try await store.lease("crm", to: "b") == .granted(cursor))
        },
        StoreFact("no more groups than the maximum are made") { fixture in
            let store = fixture.store
            for number in 0..<EventGroup.maximumCount { _ = try await store.lease("group\(number)", to: "a") }
            #expect(try await store.lease("more", to: "a") == .full)
            #expect(try await store.lease("group3", to: "a") == .granted(.start))
            #expect(try await store.deleteEventGroup("group3"))
            #expect(try await store.lease("more", to: "a") == .granted(.start))
        },
        StoreFact("no more groups than the maximum are made by several processes at once") { fixture in
            let stores = [fixture.store, try await fixture.database.open()]
            let others = EventGroup.maximumCount - 2
            for number in 0..<others { _ = try await stores[0].lease("group\(number)", to: "a") }
            let made = try await withThrowingTaskGroup { group in
                for number in 0..<10 {
                    group.addTask { try await stores[number % 2].lease("new\(number)", to: "a") }
                }
                return try await group.reduce(into: 0) { count, lease in if lease == .granted(.start) { count += 1 } }
            }
            #expect(made == 2)
            #expect(try await stores[0].eventGroups().count == EventGroup.maximumCount)
        },
        StoreFact("of several processes that ask for a lease at once, one gets it") { fixture in
            let stores = [fixture.store, try await fixture.database.open()]
            let winners = try await withThrowingTaskGroup { group in
                for number in 0..<10 {
                    group.addTask { try await stores[number % 2].lease("crm", to: "\(number)") }
                }
                return try await group.reduce(into: 0) { count, lease in if lease == .granted(.start) { count += 1 } }
            }
            #expect(winners == 1)
        },
    ]
}
