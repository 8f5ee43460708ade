import ParleyMemory
import ParleyMessaging
import ParleyModel
import Synchronization
import Testing

@Suite("Moving read cursors")
struct ReadMarkerTests {
    private static let (room, other) = (ThreadID(trusted: "room"), ThreadID(trusted: "other"))
    private static let alice = UserID(trusted: "alice-id")

    private final class Fixture: Sendable {
        let log: FakeLog
        let bus = FakeBus()
        let marks = FakeMarks()
        let marker: ReadMarker
        let budgets: UserBudgets

        init(
            _ ends: [ThreadID: Int64], _ limits: Limits = Limits(), rates: (any RateStore)? = nil,
            clock: WallClock = WallClock { 7000 }
        ) {
            log = FakeLog(ends)
            let began = ContinuousClock.now
            let settings = BudgetSettings.forTests(limits, rates: rates) {
                Int64((ContinuousClock.now - began) / .microseconds(1))
            }
            marker = ReadMarker(
                log: log, marks: marks, bus: bus, clock: clock, settings: settings)
            budgets = Budgets(settings).retain(alice)
        }

        func mark(_ thread: ThreadID, _ seq: Int64?, notifiesMembers: Bool = true) async -> Result<Void, MessagingError>
        {
            await withCheckedContinuation { continuation in
                marker.markRead(thread, through: seq, budgets, notifiesMembers: notifiesMembers) {
                    continuation.resume(returning: $0)
                }
            }
        }
    }

    @Test(
        "a mark is never stored or published beyond the end of the log",
        arguments: [(3, 3), (10, 10), (11, 10), (Int64.max, 10), (nil, 10)] as [(Int64?, Int64)])
    func clamps(seq: Int64?, kept: Int64) async throws {
        let fixture = Fixture([Self.room: 10])
        try await fixture.mark(Self.room, seq).get()
        #expect(fixture.marks.marks == [ReadMark(thread: Self.room, user: Self.alice, seq: kept, milliseconds: 7000)])
        #expect(fixture.bus.notices == [.read(Self.alice, seq: kept, date: 7)])
    }

    @Test("an unpublished mark moves to the end of what is stored, even without the log")
    func untold() async throws {
        let fixture = Fixture([Self.room: -1])
        try await fixture.mark(Self.room, nil, notifiesMembers: false).get()
        #expect(fixture.marks.marks.map(\.seq) == [nil])
        #expect(fixture.bus.notices.isEmpty)
    }

    @Test("a mark that waits for its budget keeps the time at which it was made")
    func dated() async throws {
        let time = Mutex<Int64>(7000)
        var limits = Limits()
        limits.reads = Budget(perSecond: 100, burst: 1)
        // The shared store is called even for the first mark.
        let fixture = Fixture(
            [Self.room: 10], limits, rates: MemoryRateStore(), clock: WallClock { time.withLock { $0 } })
        try await withCheckedThrowingContinuation { continuation in
            fixture.marker.markRead(Self.room, through: 5, fixture.budgets) { continuation.resume(with: $0) }
            time.withLock { $0 = 9000 }
        }
        #expect(fixture.marks.marks == [ReadMark(thread: Self.room, user: Self.alice, seq: 5, milliseconds: 7000)])
    }

    @Test("a mark in a thread without events has no effect")
    func empty() async throws {
        let fixture = Fixture([:])
        try await fixture.mark(Self.room, 5).get()
        #expect(fixture.marks.marks.map(\.seq) == [0])
    }

    @Test("a mark fails if its thread's log host is unavailable; others succeed")
    func away() async {
        let fixture = Fixture([Self.room: -1, Self.other: 5])
        async let lost = fixture.mark(Self.room, 1)
        async let kept = fixture.mark(Self.other, 1)
        guard case .failure(.unavailable) = await lost else {
            Issue.record("kept though the log is away")
            return
        }
        guard case .success = await kept else {
            Issue.record("not kept")
            return
        }
        #expect(fixture.marks.marks.map(\.thread) == [Self.other])
    }

    @Test("few marks of a burst are published, including the last, and each gets an answer")
    func burst() async throws {
        let fixture = Fixture([Self.room: 5000], rates: MemoryRateStore())
        let replies = await withTaskGroup(of: Bool.self) { group in
            let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
            for seq in Int64(1)...3000 {
                fixture.marker.markRead(Self.room, through: seq, fixture.budgets) { result in
                    continuation.yield((try? result.get()) != nil)
                }
            }
            group.addTask {
                var count = 0
                for await isKept in stream {
                    if !isKept { return false }
                    count += 1
                    if count == 3000 { return true }
                }
                return false
            }
            return await group.next() ?? false
        }
        #expect(replies)
        #expect(fixture.bus.notices.count <= 100)
        #expect(fixture.bus.notices.last == .read(Self.alice, seq: 3000, date: 7))
        #expect(fixture.marks.marks.last?.seq == 3000)
    }

    @Test("marks in too many threads exceed the budget, and say when to retry")
    func threads() async {
        var limits = Limits()
        limits.reads = Budget(perSecond: 1, burst: 2)
        let fixture = Fixture([:], limits, rates: MemoryRateStore())
        let refused = Mutex<[Int64]>([])
        for number in 0..<10 {
            fixture.marker.markRead(ThreadID(trusted: "t\(number)"), through: nil, fixture.budgets) { result in
                if case .failure(.rateLimited(let wait)) = result { refused.withLock { $0.append(wait) } }
            }
        }
        #expect(refused.withLock { $0.count } >= 6)
        #expect(refused.withLock { $0.allSatisfy { $0 == 2000 } })
    }
}
