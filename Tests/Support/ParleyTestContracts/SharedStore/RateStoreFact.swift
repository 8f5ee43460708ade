package import ParleyModel
import ParleyTestSupport
import Testing

/// The contract of `RateStore`. Each fact gets a state of its own, with one store per node.
package enum RateStoreFact: String, CaseIterable, Sendable {
    case aBurstIsTakenAndNoMore
    case tokensComeBack
    case takingIsAllOrNothing
    case keysAreIndependent
    case aRequestAboveTheBurstTakesTheBurst
    case concurrentTakersShareOneBucket
    case failuresAreCountedOverAllNodes
    case aWindowCloses
    case readingOpensNoWindow
    case concurrentFailuresAreAllCounted

    /// - Parameter stores: one per node; at least one.
    package func check(_ stores: [any RateStore]) async throws {
        let (first, last) = (stores[0], stores[stores.count - 1])
        let (ann, bob) = (RateKey.sends(UserID(trusted: "ann")), RateKey.sends(UserID(trusted: "bob")))
        // A token an hour: a taken one does not come back within a test.
        let slow = TokenRate(interval: 3_600_000_000, burst: 10)
        switch self {
        case .aBurstIsTakenAndNoMore:
            for number in 0..<10 {
                try #require(try await stores[number % stores.count].take(1, of: ann, at: slow) == 0, "\(number)")
            }
            let wait = try await last.take(1, of: ann, at: slow)
            try #require((3_500_000_000...3_600_000_000).contains(wait), "an hour to wait, not \(wait) µs")
            try #require(try await first.take(1, of: ann, at: slow) > 0, "asking costs nothing")
        case .tokensComeBack:
            let rate = TokenRate(interval: 300_000, burst: 2)
            try #require(try await first.take(2, of: ann, at: rate) == 0)
            let requested = ContinuousClock.now
            let wait = try await last.take(1, of: ann, at: rate)
            try #require((0...300_000).contains(wait), "\(wait) µs to wait")
            let isBack = try await eventually { try await last.take(1, of: ann, at: rate) == 0 }
            try #require(isBack, "a token comes")
            try #require(ContinuousClock.now - requested >= .microseconds(wait - 1000), "and not before its time")
        case .takingIsAllOrNothing:
            try #require(try await first.take(7, of: ann, at: slow) == 0)
            try #require(try await last.take(4, of: ann, at: slow) > 0, "there are three left")
            try #require(try await last.take(3, of: ann, at: slow) == 0)
        case .keysAreIndependent:
            try #require(try await first.take(10, of: ann, at: slow) == 0)
            for key in [bob, .loginAccount("ann"), .loginAddress("ann")] {
                try #require(try await last.take(10, of: key, at: slow) == 0, "\(key)")
            }
        case .aRequestAboveTheBurstTakesTheBurst:
            try #require(try await first.take(1000, of: ann, at: slow) == 0)
            try #require(try await first.take(1, of: ann, at: slow) > 0, "all is taken")
        case .concurrentTakersShareOneBucket:
            let taken = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<200 {
                    let store = stores[number % stores.count]
                    group.addTask {
                        try await store.take(1, of: ann, at: TokenRate(interval: 3_600_000_000, burst: 40)) == 0
                            ? 1 : 0
                    }
                }
                return try await group.reduce(0, +)
            }
            try #require(taken == 40, "tokens taken")
        case .failuresAreCountedOverAllNodes:
            let key = RateKey.loginAccount("Zoë")
            for number in 1...6 {
                let window = try await stores[number % stores.count].count(1, of: key, within: 60_000)
                try #require(window?.failures == number)
            }
            let window = try await last.count(0, of: key, within: 60_000)
            try #require(window?.failures == 6)
            try #require((1...60_000).contains(window?.remaining ?? 0), "\(String(describing: window))")
            try #require(try await first.count(0, of: .loginAccount("zoe"), within: 60_000) == nil)
        case .aWindowCloses:
            _ = try await first.count(3, of: ann, within: 100)
            let isClosed = try await eventually { try await last.count(0, of: ann, within: 100) == nil }
            try #require(isClosed, "the window closes")
            try #require(try await last.count(1, of: ann, within: 60_000)?.failures == 1, "a new window")
        case .readingOpensNoWindow:
            for _ in 0..<3 { try #require(try await first.count(0, of: ann, within: 60_000) == nil) }
        case .concurrentFailuresAreAllCounted:
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    let store = stores[number % stores.count]
                    group.addTask { _ = try await store.count(1, of: ann, within: 60_000) }
                }
                try await group.waitForAll()
            }
            try #require(try await last.count(0, of: ann, within: 60_000)?.failures == 200)
        }
    }
}

/// A store whose async `take` goes through the one with a completion, so that the contract holds for both.
package struct CompletingRates: RateStore {
    private let store: any RateStore

    package init(_ store: any RateStore) {
        self.store = store
    }

    package func take(_ tokens: Int, of key: RateKey, at rate: TokenRate) async throws(SharedStoreError) -> Int64 {
        let result = await withCheckedContinuation { continuation in
            store.take(tokens, of: key, at: rate) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    package func take(
        _ tokens: Int, of key: RateKey, at rate: TokenRate,
        completion: @escaping @Sendable (Result<Int64, SharedStoreError>) -> Void
    ) {
        store.take(tokens, of: key, at: rate, completion: completion)
    }

    package func count(
        _ failures: Int, of key: RateKey, within milliseconds: Int64
    ) async throws(SharedStoreError) -> FailureWindow? {
        try await store.count(failures, of: key, within: milliseconds)
    }
}
