import ParleyModel
import Testing

private let anyone: Authorization = { _ in }

extension StoreFact {
    /// Events that are stored while the outbox has a pending entry about the same subject.
    static let pending: [StoreFact] = [
        StoreFact("a user who left a direct thread is not added again by an earlier message") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let first = fixture.direct("first", from: ann, to: bob)
            let thread = first.thread
            try await fixture.write(first)
            let before = fixture.direct("before", from: bob, to: ann)
            let between = fixture.direct("between", from: bob, to: ann)
            let change = try await fixture.store.removeMember(
                ann, from: thread, by: ann.id, at: 5, authorize: anyone)
            let left = fixture.event(.left(ann, by: ann.id), in: thread, outboxID: change.outbox.first?.id)
            // In a batch without the `left`, and in one with it.
            try await fixture.write(before)
            #expect(try await fixture.membership(of: ann, in: thread) == nil)
            try await fixture.write(between, left)
            #expect(try await fixture.membership(of: ann, in: thread) == nil)
            #expect(try await fixture.membership(of: bob, in: thread) != nil)
            try await fixture.write(fixture.direct("after", from: bob, to: ann))
            #expect(try await fixture.membership(of: ann, in: thread) != nil)
            #expect(try await fixture.outbox().isEmpty)
        },
        StoreFact("a message after the departure adds the user again, in the same batch too") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let first = fixture.direct("first", from: ann, to: bob)
            let thread = first.thread
            try await fixture.write(first)
            let before = fixture.direct("before", from: bob, to: ann)
            let left = try await fixture.leaving(ann, thread)
            try await fixture.write(before, left, fixture.direct("after", from: bob, to: ann))
            #expect(try await fixture.membership(of: ann, in: thread) != nil)
        },
        StoreFact("a user who left twice is not added by a message before the second departure") { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let first = fixture.direct("first", from: ann, to: bob)
            let thread = first.thread
            try await fixture.write(first)
            let left = try await fixture.leaving(ann, thread)
            let between = fixture.direct("between", from: bob, to: ann)
            // The log has it before the message, the store after it.
            try await fixture.write(left, between)
            let again = try await fixture.leaving(ann, thread)
            try await fixture.write(fixture.direct("late", from: bob, to: ann))
            #expect(try await fixture.membership(of: ann, in: thread) == nil)
            try await fixture.write(again)
            #expect(try await fixture.outbox().isEmpty)
        },
    ]
}
