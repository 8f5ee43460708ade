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
            let before = scene.direct("before", from: bob, to: ann)
            let left = try await scene.leaving(ann, thread)
            try await scene.write(before, left, scene.direct("after", from: bob, to: ann))
            #expect(try await scene.membership(of: ann, in: thread) != nil)
        },
        StoreFact("a user who left twice is not added by a message before the second departure") { scene in
            let (ann, bob) = (try await scene.user("ann"), try await scene.user("bob"))
            let first = scene.direct("first", from: ann, to: bob)
            let thread = first.thread
            try await scene.write(first)
            let left = try await scene.leaving(ann, thread)
            let between = scene.direct("between", from: bob, to: ann)
            // The log has it before the message, the store after it.
            try await scene.write(left, between)
            let again = try await scene.leaving(ann, thread)
            try await scene.write(scene.direct("late", from: bob, to: ann))
            #expect(try await scene.membership(of: ann, in: thread) == nil)
            try await scene.write(again)
            #expect(try await scene.outbox().isEmpty)
        },
    ]
}
