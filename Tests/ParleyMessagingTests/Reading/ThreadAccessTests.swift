import ParleyAccounts
import ParleyMemory
import ParleyMessaging
import ParleyModel
import ParleySQLite
import ParleyTestSupport
import Synchronization
import Testing

@Suite struct ThreadAccessTests {
    @Test("a user's access to many threads takes one query for all memberships")
    func many() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let changes = fixture.changes()
            var joined: [ThreadID] = []
            for title in ["Tea", "Milk", "Bread"] {
                joined.append(try await changes.join(ann, roomTitled: title).membership.thread.id)
            }
            let other = try await changes.join(bob, roomTitled: "Cake").membership.thread.id
            let unknown = ThreadID(trusted: "unknown")
            // Each query but the first of its kind waits for its turn.
            let pauses = Mutex(0)
            let messaging = Messaging(
                MessagingPorts(
                    log: fixture.memory, bus: fixture.bus, store: fixture.store, accounts: fixture.store,
                    directory: BatchedDirectory(
                        fixture.store, clock: fixture.clock.wall, pause: { _ in pauses.withLock { $0 += 1 } }),
                    readMarks: IgnoredReadMarks()),
                budgets: Budgets(.forTests()), changes: changes, clock: fixture.clock.wall)
            let access = try await messaging.access(of: ann.id, to: joined)
            for thread in joined {
                guard case .member(let membership)? = access[thread] else {
                    Issue.record("not a member of \(thread)")
                    continue
                }
                #expect(membership.thread.id == thread)
            }
            #expect(pauses.withLock { $0 } == 0)
            let others = try await messaging.access(of: ann.id, to: [other, unknown])
            #expect(others == [other: .nonMember, unknown: .unknown])
        }
    }
}
