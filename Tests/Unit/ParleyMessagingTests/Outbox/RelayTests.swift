import ParleyMemory
import ParleyMessaging
import ParleyModel
import ParleySQLite
import ParleyTestContracts
import ParleyTestSupport
import Synchronization
import Testing

@Suite struct RelayTests {
    @Test("a join repeated after a lost reply gets the same position without a second event")
    func repeats() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            let log = SwitchedLog(fixture.memory)
            let messaging = fixture.messaging(log: log)
            log.isAway = true
            await #expect(throws: MessagingError.self) { try await messaging.join(roomTitled: "Tea", by: Caller(ann)) }
            // The user is a member nevertheless.
            #expect(try await fixture.store.memberships(of: [ann.id])[ann.id]?.count == 1)
            log.isAway = false
            let first = try await messaging.join(roomTitled: "Tea", by: Caller(ann))
            let place = try #require(first.receipt)
            #expect(place.position.seq == 1 && !place.isRepeat && !first.isNew)
            // This process has answered already, so it reports no change; another process does not know that.
            #expect(try await messaging.join(roomTitled: "Tea", by: Caller(ann)).receipt == nil)
            #expect(try await fixture.messaging().join(roomTitled: "Tea", by: Caller(ann)).receipt == place)
            try await fixture.recover()
            let again = try await fixture.messaging().join(roomTitled: "Tea", by: Caller(ann))
            #expect(again.receipt == nil && !again.isNew)
            #expect(try await fixture.events(in: place.thread).count == 1)
        }
    }

    @Test("so does a leave; a leave without a membership changes nothing")
    func leaves() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let log = SwitchedLog(fixture.memory)
            let messaging = fixture.messaging(log: log)
            let room = try await messaging.join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
            #expect(try await messaging.leave(room, by: Caller(bob)) == nil)
            log.isAway = true
            await #expect(throws: MessagingError.self) { try await messaging.leave(room, by: Caller(ann)) }
            #expect(try await fixture.store.memberships(of: [ann.id])[ann.id, default: []].isEmpty)
            log.isAway = false
            let place = try #require(try await messaging.leave(room, by: Caller(ann)))
            #expect(place.position.seq == 2)
            try await fixture.recover()
            #expect(try await messaging.leave(room, by: Caller(ann)) == nil)
            await #expect(throws: MessagingError.notFound("no such thread")) {
                try await messaging.leave(ThreadID(trusted: "nowhere"), by: Caller(ann))
            }
        }
    }

    @Test("a relay begins with what others have left, in the order of the changes")
    func order() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            let log = SwitchedLog(fixture.memory)
            let (left, right) = (fixture.messaging(log: log), fixture.messaging())
            let room = try await left.join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
            log.isAway = true
            try await left.rename(room, to: "Milk", by: Caller(ann))
            try await left.rename(room, to: "Coffee", by: Caller(ann))
            try await right.rename(room, to: "Water", by: Caller(ann))
            try await fixture.persist()
            let titles = try await fixture.events(in: room).compactMap { event in
                if case .renamed(let title, _) = event.body { title } else { nil }
            }
            #expect(titles == ["Milk", "Coffee", "Water"])
        }
    }

    @Test("a change after a full page of entries waits until those before it are stored")
    func behindAPage() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            let room = ThreadID(trusted: "tea")
            var last: [OutboxEntry] = []
            _ = try await fixture.store.join(ann, roomTitled: "0", newID: room, at: fixture.clock.milliseconds)
            for number in 1...OutboxRelay.pageLength {
                last = try await (fixture.store as any StateStore).rename(
                    room, to: "\(number)", by: ann.id, at: fixture.clock.milliseconds, authorize: { _ in }
                ).outbox
            }
            await #expect(throws: MessagingError.self) {
                try await fixture.relay().relay(last, of: room, within: .seconds(60))
            }
            try await fixture.persist()
            _ = try await fixture.relay().relay(last, of: room, within: .seconds(60))
            try await fixture.persist()
            let titles = try await fixture.store.events(in: room, after: 0, limit: 2000).events.compactMap { event in
                if case .renamed(let title, _) = event.body { title } else { nil }
            }
            #expect(titles == (1...OutboxRelay.pageLength).map { "\($0)" })
        }
    }

    @Test("concurrent joins of one room append one event each, with few reads of the outbox")
    func many() async throws {
        try await MessagingFixture.run { fixture in
            var users: [User] = []
            for number in 0..<200 { users.append(try await fixture.user("u\(number)")) }
            let log = SwitchedLog(fixture.memory)
            let messaging = fixture.messaging(log: log)
            let places = try await withThrowingTaskGroup(of: Int64?.self) { group in
                for user in users {
                    group.addTask {
                        try await messaging.join(roomTitled: "Tea", by: Caller(user)).receipt?.position.seq
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(places == Set((1...200).map { Optional(Int64($0)) }))
            #expect(log.count == 200)
        }
    }

    @Test("a log that never answers makes a join unavailable in time")
    func silence() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            let log = SwitchedLog(fixture.memory)
            log.isSilent = true
            let relay = OutboxRelay(
                outbox: fixture.store, history: fixture.store, log: log, clock: fixture.clock.wall,
                logger: fixture.logger,
                sleep: { _ in })
            let change = try await fixture.store.join(
                ann, roomTitled: "Tea", newID: ThreadID(trusted: "tea"), at: fixture.clock.milliseconds)
            #expect(change.outbox.count == 1)
            await #expect(throws: MessagingError.self) {
                try await relay.relay(change.outbox, of: ThreadID(trusted: "tea"), within: .seconds(5))
            }
        }
    }

    @Test("any process relays and completes overdue entries, but not young ones")
    func overdue() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            let room = ThreadID(trusted: "tea")
            _ = try await fixture.store.join(ann, roomTitled: "Tea", newID: room, at: fixture.clock.milliseconds)
            let relay = fixture.relay()
            func look() async throws -> OutboxRelay.Overdue {
                try await relay.relayOverdue(age: 1500, timeout: .seconds(5))
            }
            #expect(try await look().ids.isEmpty)
            fixture.clock.milliseconds += 2000
            let found = try await look()
            #expect(found.ids.count == 1 && found.done == 1)
            // The log has it; it is completed only once it is stored.
            #expect(try await look().done == 0)
            try await fixture.persist()
            #expect(try await look().ids.count == (try await fixture.outbox().count))
            #expect(try await fixture.outbox().isEmpty)
            #expect(try await fixture.events(in: room).count == 1)
        }
    }

    @Test("an entry whose event the log has lost is relayed again")
    func lost() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            let room = ThreadID(trusted: "tea")
            _ = try await fixture.store.join(ann, roomTitled: "Tea", newID: room, at: fixture.clock.milliseconds)
            fixture.clock.milliseconds += 2000
            let log = SwitchedLog(fixture.memory)
            let relay = fixture.relay(log: log)
            #expect(try await relay.relayOverdue(age: 1500, timeout: .seconds(5)).done == 1)
            #expect(try await relay.relayOverdue(age: 1500, timeout: .seconds(5)).done == 0)
            #expect(log.count == 1)
            // An empty log takes its place.
            let other = MemoryLog(
                bus: MemoryBroker(), history: fixture.store, clock: fixture.clock.wall,
                settings: MemoryLogSettings(acceptance: .immediately))
            log.replace(with: other)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await other.run() }
                defer { group.cancelAll() }
                // The next change of the thread comes after what is lost.
                let bob = try await fixture.user("bob")
                let next = try await fixture.store.join(
                    bob, roomTitled: "Tea", newID: room, at: fixture.clock.milliseconds)
                _ = try await relay.relay(next.outbox, of: room, within: .seconds(5))
                let joined = try await other.events(in: room, after: 0, limit: 10).events.compactMap { event in
                    if case .joined(let user, _) = event.body { user.id } else { nil }
                }
                #expect(joined == [ann.id, bob.id])
            }
        }
    }

    @Test("an entry is not complete because another event has got the seq of its event, which the log has lost")
    func seqGivenAgain() async throws {
        try await MessagingFixture.run { fixture in
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let room = try await fixture.messaging().join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
            try await fixture.persist()
            _ = try await fixture.store.join(
                bob, roomTitled: "Tea", newID: ThreadID(trusted: "tea"), at: fixture.clock.milliseconds)
            let log = SwitchedLog(fixture.memory)
            let relay = fixture.relay(log: log)
            log.losesNext = true
            fixture.clock.milliseconds += 2000
            _ = try await relay.relayOverdue(age: 1500, timeout: .seconds(5))
            for text in ["two", "three"] {
                let message = Message(id: MessageID(UUIDv7(fixture.clock.wall)), sender: ann, text: text)
                _ = try await fixture.memory.append(EventDraft(thread: room, body: .message(message)))
            }
            try await fixture.persist()
            fixture.clock.milliseconds += 2000
            _ = try await relay.relayOverdue(age: 1500, timeout: .seconds(5))
            try await fixture.persist()
            let joined = try await fixture.events(in: room).count { if case .joined = $0.body { true } else { false } }
            #expect(joined == 2)
            #expect(try await fixture.outbox().isEmpty)
        }
    }

    @Test("a thread that was made again while another process forgot it is not forgotten")
    func madeAgain() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            let room = ThreadID(trusted: "tea")
            _ = try await fixture.store.join(ann, roomTitled: "Tea", newID: room, at: fixture.clock.milliseconds)
            let log = SwitchedLog(fixture.memory)
            log.isAway = true
            try await fixture.messaging(log: log).deleteThread(room, by: Caller(ann))
            fixture.clock.milliseconds += 2000
            // It reads the entry, and the other process is faster.
            let slow = InterruptedOutbox(store: fixture.store) {
                _ = try? await fixture.relay().relayOverdue(age: 1500, timeout: .seconds(5))
                _ = try? await fixture.messaging().createRoom(titled: "Tea", id: "tea", by: .commandLine)
                _ = try? await fixture.messaging().setMember(ann, of: room, role: .owner, by: .commandLine)
            }
            _ = try? await fixture.relay(slow).relayOverdue(age: 1500, timeout: .seconds(5))
            #expect(slow.isInterrupted)
            #expect(try await !fixture.memory.events(in: room, after: 0, limit: 10).events.isEmpty)
        }
    }

    @Test("an unreadable entry of a later version blocks only its own thread")
    func unreadable() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            let (tea, milk) = (ThreadID(trusted: "tea"), ThreadID(trusted: "milk"))
            let odd = fixture.relay(UnreadableOutbox(store: fixture.store, odd: tea))
            for (title, room) in [("Tea", tea), ("Milk", milk)] {
                _ = try await fixture.store.join(ann, roomTitled: title, newID: room, at: fixture.clock.milliseconds)
            }
            fixture.clock.milliseconds += 2000
            let found = try await odd.relayOverdue(age: 1500, timeout: .seconds(5))
            #expect(found.ids.count == 2 && found.done == 1 && found.unreadable == 1)
            #expect(try await fixture.memory.events(in: milk, after: 0, limit: 10).events.count == 1)
            #expect(try await fixture.memory.events(in: tea, after: 0, limit: 10).events.isEmpty)
            // A node of the later version.
            #expect(try await fixture.relay().relayOverdue(age: 1500, timeout: .seconds(5)).unreadable == 0)
            #expect(try await fixture.memory.events(in: tea, after: 0, limit: 10).events.count == 1)
        }
    }

    @Test("a join and a leave are charged before anything is changed")
    func charges() async throws {
        try await MessagingFixture.run { fixture in
            let ann = try await fixture.user("ann")
            let rejection = MessagingError.rateLimited(afterMilliseconds: 7)
            let messaging = fixture.messaging(budgets: .forTests(rates: SwitchedRates(wait: 7000)))
            await #expect(throws: rejection) { try await messaging.join(roomTitled: "Tea", by: Caller(ann)) }
            #expect(try await fixture.store.rooms(titled: ["Tea"]).isEmpty)
            let room = try await fixture.messaging().join(roomTitled: "Tea", by: Caller(ann)).membership.thread.id
            await #expect(throws: rejection) { try await messaging.leave(room, by: Caller(ann)) }
            #expect(try await fixture.store.memberships(of: [ann.id])[ann.id]?.count == 1)
        }
    }
}

/// An outbox in which one thread has an entry that this version cannot read.
private struct UnreadableOutbox: ParleyModel.Outbox {
    let store: SQLiteStore
    let odd: ThreadID

    private func read(_ entries: [OutboxEntry]) -> [OutboxEntry] {
        entries.map { entry in
            entry.thread == odd
                ? OutboxEntry(id: entry.id, thread: odd, content: .unreadable(kind: "news")) : entry
        }
    }

    func outboxEntries(of thread: ThreadID?, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        read(try await store.outboxEntries(of: thread, limit: limit))
    }

    func overdueEntries(age: Int64, after place: Int64, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        read(try await store.overdueEntries(age: age, after: place, limit: limit))
    }

    func complete(_ entries: [OutboxEntry]) async throws(StoreError) { try await store.complete(entries) }

    func completeForgotten(_ entry: OutboxEntry, epochs: [Epoch]) async throws(StoreError) {
        try await store.completeForgotten(entry, epochs: epochs)
    }
}

/// An outbox in which something happens after the first reading of a thread's entries.
private final class InterruptedOutbox: ParleyModel.Outbox {
    private let store: SQLiteStore
    private let interruption: Mutex<(@Sendable () async -> Void)?>

    init(store: SQLiteStore, _ interruption: @escaping @Sendable () async -> Void) {
        self.store = store
        self.interruption = Mutex(interruption)
    }

    var isInterrupted: Bool { interruption.withLock { $0 == nil } }

    func outboxEntries(of thread: ThreadID?, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        let entries = try await store.outboxEntries(of: thread, limit: limit)
        let interrupt = interruption.withLock { interruption in
            defer { interruption = nil }
            return interruption
        }
        await interrupt?()
        return entries
    }

    func overdueEntries(age: Int64, after place: Int64, limit: Int) async throws(StoreError) -> [OutboxEntry] {
        try await store.overdueEntries(age: age, after: place, limit: limit)
    }

    func complete(_ entries: [OutboxEntry]) async throws(StoreError) { try await store.complete(entries) }

    func completeForgotten(_ entry: OutboxEntry, epochs: [Epoch]) async throws(StoreError) {
        try await store.completeForgotten(entry, epochs: epochs)
    }
}
