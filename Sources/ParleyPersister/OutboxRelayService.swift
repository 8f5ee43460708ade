package import CoreMetrics
package import Logging
import Metrics
package import ParleyMessaging
package import ParleyModel
import ServiceLifecycle

/// Does what those who made changes have left undone, every second and for ever: relays the outbox, and goes on with
/// erasures and deletions that broke off. Any number of processes may do so at the same time.
package struct OutboxRelayService: Service {
    /// How long a change is left to whoever made it, in milliseconds.
    package static let age: Int64 = 1500
    /// The same for an erasure or a deletion, of which much may have to go.
    private static let cleanupAge: Int64 = 30_000
    /// The most entries of a round.
    package static let limit = 1000
    private static let pause = Duration.seconds(1)
    /// Every so many rounds the cleanups are looked at.
    private static let cleanupRounds = 5
    /// How long a thread may take in a round.
    private static let patience = Duration.seconds(5)

    private let relay: OutboxRelay
    private let state: any StateStore
    private let logger: Logger
    private let clock: WallClock
    private let sleep: @Sendable (Duration) async throws -> Void
    /// `parley_outbox_overdue`: entries that whoever made the change has not relayed or that are not stored, at most
    /// `limit`.
    private let overdue: Gauge
    /// `parley_outbox_age_seconds`: how long the oldest of them is known to wait.
    private let age: Gauge
    /// `parley_outbox_relayed_total`: entries that were relayed or completed here.
    private let relayed: Counter

    /// - Parameter sleep: waits; throws when the task is cancelled.
    package init(
        relay: OutboxRelay, state: any StateStore, logger: Logger,
        metrics factory: any MetricsFactory = MetricsSystem.factory,
        clock: WallClock = .system,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.relay = relay
        self.state = state
        self.logger = logger
        self.clock = clock
        self.sleep = sleep
        overdue = Gauge(label: "parley_outbox_overdue", factory: factory)
        age = Gauge(label: "parley_outbox_age_seconds", factory: factory)
        relayed = Counter(label: "parley_outbox_relayed_total", factory: factory)
        overdue.record(0)
        age.record(0)
    }

    /// Relays until the shutdown, or until the task is cancelled.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var rounds = Rounds()
            repeat { await round(&rounds) } while (try? await sleep(Self.pause)) != nil
        }
    }

    /// One round.
    package func round(_ rounds: inout Rounds) async {
        let now = clock.milliseconds
        do throws(StoreError) {
            let found = try await relay.relayOverdue(
                before: now - Self.age, limit: Self.limit, patience: Self.patience)
            overdue.record(found.ids.count - found.done)
            age.record(Double(rounds.age(of: found.done < found.ids.count ? found.ids.first : nil, at: now)) / 1000)
            if found.done > 0 { relayed.increment(by: found.done) }
            if rounds.next().isMultiple(of: Self.cleanupRounds) {
                try await state.finishCleanups(begunBefore: now - Self.cleanupAge)
            }
        } catch {
            logger.debug("the outbox could not be read", metadata: ["error": "\(error)"])
        }
    }

    /// What is remembered from round to round: how many there were, and since when the oldest entry is the same.
    package struct Rounds: Hashable, Sendable {
        private var count = 0
        private var oldest: Int64?
        private var since: Int64 = 0

        package init() {}

        mutating func next() -> Int {
            count += 1
            return count
        }

        /// - Parameters:
        ///   - id: the oldest entry now; `nil`: there is none.
        ///   - now: Unix milliseconds.
        /// - Returns: how old it is at least, in milliseconds; 0 if there is none.
        mutating func age(of id: Int64?, at now: Int64) -> Int64 {
            guard let id else {
                oldest = nil
                return 0
            }
            if oldest != id { (oldest, since) = (id, now - OutboxRelayService.age) }
            return now - since
        }
    }
}
