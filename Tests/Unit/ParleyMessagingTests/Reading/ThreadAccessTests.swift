import ParleyAccounts
import ParleyMemory
import ParleyMessaging
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Synchronization
import Testing

@Suite struct ThreadAccessTests {
    @Test("a user's access to many threads takes one query for all memberships")
    func many() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let messaging = fixture.messaging()
            var joined: [ThreadID] = []
            for title in ["Tea", "Milk", "Bread"] {
                joined.append(try await messaging.join(roomTitled: title, by: Caller(ann)).membership.thread.id)
            }
            let other = try await messaging.join(roomTitled: "Cake", by: Caller(bob)).membership.thread.id
            let unknown = ThreadID(trusted: "unknown")
            // Each query but the first of its kind waits for its turn.
            let pauses = Mutex(0)
            let reader = fixture.messaging(
                directory: BatchedDirectory(
                    fixture.store, clock: fixture.clock.wall, pause: { _ in pauses.withLock { $0 += 1 } }))
            let access = try await reader.access(of: ann.id, to: joined)
            for thread in joined {
                guard case .member(let membership)? = access[thread] else {
                    Issue.record("not a member of \(thread)")
                    continue
                }
                #expect(membership.thread.id == thread)
            }
            #expect(pauses.withLock { $0 } == 0)
            let others = try await reader.access(of: ann.id, to: [other, unknown])
            #expect(others == [other: .nonMember, unknown: .unknown])
        }
    }

    @Test("threads that the user is not a member of are looked up together")
    func manyUnknown() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            // Each query but the first waits for its turn, while further look-ups join it.
            let pauses = Mutex(0)
            let reader = fixture.messaging(
                directory: BatchedDirectory(
                    fixture.store, clock: fixture.clock.wall,
                    pause: { _ in
                        pauses.withLock { $0 += 1 }
                        for _ in 0..<1000 { await Task.yield() }
                    }))
            let threads = (0..<200).map { ThreadID(trusted: "unknown.\($0)") }
            let access = try await reader.access(of: ann.id, to: threads)
            #expect(access.count == 200 && access.values.allSatisfy { $0 == .unknown })
            // One after another, they would take 199 turns.
            #expect(pauses.withLock { $0 } < 50)
        }
    }

    @Test("a direct thread of others does not exist; one's own, which one has left, does")
    func direct() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob, cat) = (
                try await fixture.user("ann"), try await fixture.user("bob"), try await fixture.user("cat")
            )
            let messaging = fixture.messaging()
            let thread = try await messaging.openDirect(with: "bob", by: Caller(ann)).thread
            let none = ThreadInfo.directID(bob.id, bob.id)
            let room = try await messaging.join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
            #expect(
                try await messaging.access(of: cat.id, to: [thread, none, room])
                    == [thread: .unknown, none: .unknown, room: .nonMember])
            #expect(try await messaging.access(of: cat.id, to: thread) == .unknown)
            for id in [thread, none] {
                let caller = Caller(cat)
                let noThread = MessagingError.notFound("no such thread")
                await #expect(throws: noThread) { try await messaging.leave(id, by: caller) }
                await #expect(throws: noThread) { try await messaging.rename(id, to: "Milk", by: caller) }
                await #expect(throws: noThread) { try await messaging.deleteThread(id, by: caller) }
                for name: UserReference in ["ann", "cat", "nobody"] {
                    await #expect(throws: noThread) {
                        try await messaging.setMember(name, of: id, role: nil, by: caller)
                    }
                    await #expect(throws: noThread) { try await messaging.removeMember(name, from: id, by: caller) }
                }
            }
            _ = try await messaging.leave(thread, by: Caller(bob))
            #expect(try await messaging.access(of: bob.id, to: thread) == .nonMember)
            // A repeat after a lost reply.
            _ = try await messaging.leave(thread, by: Caller(bob))
        }
    }
}
