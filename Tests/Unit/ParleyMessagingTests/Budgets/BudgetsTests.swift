import ParleyMemory
import ParleyMessaging
import ParleyModel
import Synchronization
import Testing

/// A store that is unavailable or never replies.
private struct FailingRates: RateStore {
    let isSilent: Bool

    func take(_ tokens: Int, of key: RateKey, at rate: TokenRate) async throws(SharedStoreError) -> Int64 {
        throw .unavailable("away")
    }

    func take(
        _ tokens: Int, of key: RateKey, at rate: TokenRate,
        completion: @escaping @Sendable (Result<Int64, SharedStoreError>) -> Void
    ) {
        if !isSilent { completion(.failure(.unavailable("away"))) }
    }

    func count(
        _ failures: Int, of key: RateKey, within milliseconds: Int64
    ) async throws(SharedStoreError) -> FailureWindow? {
        throw .unavailable("away")
    }
}

@Suite("User budgets")
struct BudgetsTests {
    private static let alice = UserID(trusted: "alice-id")
    private static let bob = UserID(trusted: "bob-id")
    /// Those that all nodes share, because their events are published to others; otherwise each node counts for itself.
    private static let shared: Set<BudgetKind> = [.sends, .reads, .typing]

    /// How often `kind` is granted at this instant.
    private func taken(_ kind: BudgetKind, of budgets: UserBudgets, at now: Int64, upTo limit: Int = 1000) -> Int {
        (0..<limit).first { _ in budgets.take(kind, at: now) != .granted } ?? limit
    }

    @Test(
        "a local budget grants its burst, then its rate, and says when to retry",
        arguments: Set(BudgetKind.allCases).subtracting(shared))
    func local(kind: BudgetKind) {
        let limits = Limits()
        let budget = limits.budget(of: kind)
        let budgets = Budgets(.forTests(limits)).retain(Self.alice)
        #expect(taken(kind, of: budgets, at: 0) == budget.burst)
        guard case .wait(let wait) = budgets.take(kind, at: 0) else {
            Issue.record("over the budget")
            return
        }
        #expect((1...1_000_000 / Int64(budget.perSecond) + 1).contains(wait))
        #expect(budgets.take(kind, at: wait - 1) != .granted)
        #expect(budgets.take(kind, at: wait) == .granted)
        #expect(taken(kind, of: budgets, at: 100_000_000) == budget.burst)
        // Other users and kinds are not affected.
        for other in BudgetKind.allCases where other != kind && !Self.shared.contains(other) {
            #expect(budgets.take(other, at: 0) == .granted)
        }
    }

    @Test("a used-up budget is not refilled by another socket")
    func reconnects() {
        let time = Mutex<Int64>(0)
        let budgets = Budgets(.forTests(uptime: { time.withLock { $0 } }))
        let burst = Limits().budget(of: .history).burst
        #expect(taken(.history, of: budgets.retain(Self.alice), at: 0) == burst)
        budgets.release(Self.alice)
        #expect(budgets.count == 1)
        #expect(taken(.history, of: budgets.retain(Self.alice), at: 0) == 0)
        time.withLock { $0 = 10_000_000 }
        budgets.release(Self.alice)
        #expect(budgets.count == 0)
    }

    @Test(
        "nor is a shared budget, whether the store is silent or unavailable",
        arguments: shared, [true, false])
    func reconnectsShared(kind: BudgetKind, isAway: Bool) {
        let time = Mutex<Int64>(0)
        let budgets = Budgets(.forTests(rates: FailingRates(isSilent: !isAway), uptime: { time.withLock { $0 } }))
        func granted() -> Int {
            let mine = budgets.retain(Self.alice)
            return (0..<200).count { _ in mine.take(kind, at: 0) == .granted }
        }
        let first = granted()
        #expect(isAway ? first == Limits().budget(of: kind).burst : first > 0)
        for _ in 0..<3 {
            budgets.release(Self.alice)
            #expect(budgets.count == 1)
            #expect(granted() == 0)
        }
        // A request without a reply is forgotten too.
        time.withLock { $0 = 10_000_000 }
        budgets.release(Self.alice)
        #expect(budgets.count == 0)
    }

    @Test("a store in memory grants at once")
    func immediate() {
        let budgets = Budgets(.forTests(rates: MemoryRateStore(clock: WallClock { 1_000_000 })))
        let (burst, granted) = (Limits().sendsBurst, taken(.sends, of: budgets.retain(Self.alice), at: 0))
        // The remainder of less than a lease is granted a moment later.
        #expect(granted <= burst && granted > burst - burst / 16)
    }

    @Test("a user without sockets is dropped once the budgets are full, even without REST requests")
    func forgotten() {
        let time = Mutex<Int64>(0)
        let budgets = Budgets(.forTests(uptime: { time.withLock { $0 } }))
        for number in 0..<1024 {
            let user = UserID(trusted: "u\(number)")
            #expect(budgets.retain(user).take(.pings, at: 0) == .granted)
            budgets.release(user)
        }
        #expect(budgets.count == 1024)
        time.withLock { $0 = 10_000_000 }
        _ = budgets.retain(Self.alice)
        #expect(budgets.count == 1)
    }

    @Test("requests and sockets share the budgets; one user's flood does not affect another")
    func requests() async throws {
        let rates = MemoryRateStore(clock: WallClock { 1_000_000 })
        let reached = Mutex<[ReachedLimit]>([])
        let budgets = Budgets(
            BudgetSettings(
                limits: Limits(), rates: rates, uptime: { 0 }, submit: { _ in false },
                limitReached: { limit in reached.withLock { $0.append(limit) } }))
        for kind in [BudgetKind.sends, .reads, .history] {
            var granted = 0
            while granted < 1000 {
                do {
                    try await budgets.charge(Self.alice, kind)
                    granted += 1
                } catch {
                    guard case .rateLimited(let wait) = error else {
                        Issue.record("\(error)")
                        return
                    }
                    #expect((1...51).contains(wait))
                    break
                }
            }
            #expect(granted == Limits().budget(of: kind).burst)
            try await budgets.charge(Self.bob, kind)
        }
        #expect(reached.withLock { $0 } == [.sends, .reads, .history])
        #expect(budgets.retain(Self.alice).take(.history, at: 0) != .granted)
    }

    @Test("a user has no more actions in progress than the maximum, and others have theirs", arguments: [true, false])
    func atOnce(endsItself: Bool) throws {
        let budgets = Budgets(.forTests())
        for kind in [BudgetKind.lists, .searches] {
            let most = try #require(Limits().atOnce(of: kind))
            var running = try (0..<most).map { _ in try budgets.begin(kind, by: Self.alice) }
            for _ in 0..<3 {
                #expect(throws: MessagingError.rateLimited(afterMilliseconds: 1000)) {
                    try budgets.begin(kind, by: Self.alice)
                }
            }
            let other = try budgets.begin(kind, by: Self.bob)
            #expect(other != nil)
            // An action ends when it is told to, or when nobody keeps it any more; only once.
            if endsItself {
                running[0]?.end()
                running[0]?.end()
            } else {
                running.removeFirst()
            }
            let next = try budgets.begin(kind, by: Self.alice)
            #expect(throws: MessagingError.self) { try budgets.begin(kind, by: Self.alice) }
            withExtendedLifetime((running, other, next)) {}
        }
    }

    @Test("a kind without a maximum is not counted, and a used-up budget leaves nothing in progress")
    func uncounted() throws {
        var limits = Limits()
        limits.searches = Budget(perSecond: 1, burst: 1)
        limits.listsAtOnce = 0
        let budgets = Budgets(.forTests(limits))
        #expect(try budgets.begin(.history, by: Self.alice) == nil)
        #expect(try budgets.begin(.lists, by: Self.alice) == nil)
        try budgets.begin(.searches, by: Self.alice)?.end()
        // Each is refused for its rate, none for those in progress.
        for _ in 0..<5 {
            #expect(throws: MessagingError.rateLimited(afterMilliseconds: 1000)) {
                try budgets.begin(.searches, by: Self.alice)
            }
        }
        #expect(!budgets.retain(Self.alice).isIdle(at: 0))
        #expect(budgets.retain(Self.alice).isIdle(at: 1_000_001))
    }

    @Test("a user with an action in progress is not forgotten")
    func keptWhileRunning() throws {
        let time = Mutex<Int64>(0)
        let budgets = Budgets(.forTests(uptime: { time.withLock { $0 } }))
        _ = budgets.retain(Self.alice)
        let use = try budgets.begin(.searches, by: Self.alice)
        time.withLock { $0 = 100_000_000 }
        budgets.release(Self.alice)
        #expect(budgets.count == 1)
        use?.end()
        _ = budgets.retain(Self.alice)
        budgets.release(Self.alice)
        #expect(budgets.count == 0)
    }

    @Test("without a rate there is no limit")
    func unlimited() async throws {
        var limits = Limits()
        limits.sendsPerSecond = 0
        limits.history = Budget(perSecond: 0, burst: 1)
        let budgets = Budgets(.forTests(limits, rates: MemoryRateStore(clock: WallClock { 1_000_000 })))
        for _ in 0..<500 {
            try await budgets.charge(Self.alice)
            try await budgets.charge(Self.alice, .history)
        }
        #expect(taken(.sends, of: budgets.retain(Self.alice), at: 0) == 1000)
    }
}
