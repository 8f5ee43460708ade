import ParleyModel
import Testing

private let anyone: Authorization = { _ in }

extension StoreFact {
    /// Events that are stored while the outbox has a pending entry about the same subject.
    static let pending: [StoreFact] = [
        StoreFact("a user who left a direct thread is not added again by an earlier message") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let first = scene.direct("first", from: ann, to: bob)
            let thread = first.thread
            try await scene.write(first)
            let before = scene.direct("before", from: bob, to: ann)
            let between = scene.direct("between", from: bob, to: ann)
            let change = try await scene.store.removeMember(
                ann, from: thread, by: ann.id, at: 5, authorize: anyone)
            let left = scene.event(.left(ann, by: ann.id), in: thread, outboxID: change.outbox.first?.id)
            // In a batch without the `left`, and in one with it.
            try await scene.write(before)
            #expect(try await scene.membership(of: ann, in: thread) == nil)
            try await scene.write(between, left)
            #expect(try await scene.membership(of: ann, in: thread) == nil)
            #expect(try await scene.membership(of: bob, in: thread) != nil)
            try await scene.write(scene.direct("after", from: bob, to: ann))
            #expect(try await scene.membership(of: ann, in: thread) != nil)
            #expect(try await scene.outbox().isEmpty)
        },
        StoreFact("a message after the departure adds the user again, in the same batch too") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let first = scene.direct("first", from: ann, to: bob)
            let thread = first.thread
            try await scene.write(first)
            for isRelayed in [true, false] {
                let before = scene.direct("before", from: bob, to: ann)
                var id: Int64?
                if isRelayed {
                    id =
                        try await scene.store.removeMember(
                            ann, from: thread, by: ann.id, at: 5, authorize: anyone
                        ).outbox.first?.id
                }
                try await scene.write(
                    before, scene.event(.left(ann, by: ann.id), in: thread, outboxID: id),
                    scene.direct("after", from: bob, to: ann))
                #expect(try await scene.membership(of: ann, in: thread) != nil)
            }
        },
        StoreFact("a join or departure of an older version gives way to a pending change in the outbox") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            for isTogether in [false, true] {
                let room = try await scene.room("tea-\(isTogether)", ann)
                let store = scene.store
                let added = try await store.setMember(
                    bob, of: room, role: .moderator, by: ann.id, at: 5, authorize: anyone)
                let removed = try await store.removeMember(bob, from: room, by: ann.id, at: 6, authorize: anyone)
                // The older version has inserted its row after that.
                _ = try await scene.room("tea-\(isTogether)", bob)
                let join = scene.joined(bob, in: room)
                var events = (added.outbox + removed.outbox).compactMap { entry in
                    scene.event(of: entry)
                }
                if isTogether {
                    try await scene.store.write(scene.batch([join] + events)).forEach { #expect($0.isStored) }
                } else {
                    try await scene.write(join)
                    #expect(try await scene.membership(of: bob, in: room) == nil)
                    try await scene.store.write(scene.batch(events)).forEach { #expect($0.isStored) }
                }
                #expect(try await scene.membership(of: bob, in: room) == nil)
                // The reverse case.
                let again = try await store.setMember(
                    bob, of: room, role: .moderator, by: ann.id, at: 7, authorize: anyone)
                let leave = scene.event(.left(bob, by: bob.id), in: room)
                let role = scene.event(.role(bob.id, .readOnly, by: ann.id), in: room)
                events = again.outbox.compactMap { scene.event(of: $0) }
                if isTogether {
                    try await scene.write(scene.batch([leave, role] + events))
                } else {
                    try await scene.write(leave, role)
                    #expect(try await scene.membership(of: bob, in: room)?.role == .moderator)
                    try await scene.write(scene.batch(events))
                }
                #expect(try await scene.membership(of: bob, in: room)?.role == .moderator)
                // A later event in the log takes effect again.
                try await scene.write(scene.event(.left(bob, by: bob.id), in: room))
                #expect(try await scene.membership(of: bob, in: room) == nil)
                #expect(try await scene.outbox().isEmpty)
            }
        },
        StoreFact("a title of an older version gives way to a pending title in the outbox") { scene in
            let ann = try await scene.user("ann")
            let (tea, milk) = (try await scene.room("tea", ann), try await scene.room("milk", ann))
            let change = try await scene.store.rename(tea, to: "coffee", by: ann.id, at: 5, authorize: anyone)
            try await scene.database.execute("UPDATE threads SET title = 'juice' WHERE id = '\(tea)'")
            try await scene.write(scene.event(.renamed(title: "juice", by: ann.id), in: tea))
            #expect(try await scene.membership(of: ann, in: tea)?.thread.title == "coffee")
            try await scene.write(scene.batch(change.outbox.compactMap { scene.event(of: $0) }))
            #expect(try await scene.membership(of: ann, in: tea)?.thread.title == "coffee")
            // Another room has taken it meanwhile.
            _ = try await scene.store.rename(tea, to: "water", by: ann.id, at: 6, authorize: anyone)
            try await scene.database.execute("UPDATE threads SET title = 'juice' WHERE id = '\(tea)'")
            try await scene.database.execute("UPDATE threads SET title = 'water' WHERE id = '\(milk)'")
            let renamed = scene.event(.renamed(title: "juice", by: ann.id), in: tea)
            #expect(try await scene.write(renamed) == [.stored(seq: 3)])
            #expect(try await scene.membership(of: ann, in: tea)?.thread.title == "juice")
        },
    ]
}

extension StoreFixture {
    /// The event of an outbox entry as it is relayed; `nil` for an entry without one.
    func event(of entry: OutboxEntry) -> LogEvent? {
        guard case .append(let body) = entry.content else { return nil }
        return event(body, in: entry.thread, outboxID: entry.id)
    }
}
