package import CoreMetrics
package import Logging
import Metrics
package import ParleyMessaging
package import ParleyModel
import ServiceLifecycle
import Synchronization

/// Relays overdue outbox entries, every second: the unfinished work of processes that made changes. Any number of
/// processes may run this service.
///
/// The threads of each log host have their own task, so that an unavailable host does not delay the others.
///
/// The overdue counts of the hosts, for the gauges, are protected by a `Mutex`.
package final class OutboxRelayService: Service {
    /// The time that a change is left to the process that made it, in milliseconds of the store's clock.
    package static let age: Int64 = 1500
    /// Maximum number of outbox pages in one round; the next round continues after them.
    private static let pages = 10
    private static let pause = Duration.seconds(1)
    /// Time limit for one thread in a round.
    private static let timeout = Duration.seconds(5)

    private struct Waiting {
        var count = 0
        var age = 0.0
        var unreadable = 0
    }

    private let relay: OutboxRelay
    private let logger: Logger
    private let clock: WallClock
    private let sleep: @Sendable (Duration) async throws -> Void
    private let waiting = Mutex<[Int: Waiting]>([:])
    /// `parley_outbox_overdue`: the entries of the last round that are overdue or whose events are not stored.
    private let overdue: Gauge
    /// `parley_outbox_age_seconds`: known age of the oldest of them.
    private let age: Gauge
    /// `parley_outbox_unreadable`: entries of a later version among them; each blocks its thread.
    private let unreadable: Gauge
    /// `parley_outbox_relayed_total`: entries relayed or completed by this process.
    private let relayed: Counter

    /// - Parameter sleep: waits; throws when the task is cancelled.
    package init(
        relay: OutboxRelay, logger: Logger, metrics factory: any MetricsFactory = MetricsSystem.factory,
        clock: WallClock = .system,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.relay = relay
        self.logger = logger
        self.clock = clock
        self.sleep = sleep
        overdue = Gauge(label: "parley_outbox_overdue", factory: factory)
        age = Gauge(label: "parley_outbox_age_seconds", factory: factory)
        unreadable = Gauge(label: "parley_outbox_unreadable", factory: factory)
        relayed = Counter(label: "parley_outbox_relayed_total", factory: factory)
        record()
    }

    /// Relays until the shutdown, or until the task is cancelled.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                for host in 0..<relay.log.hostCount {
                    group.addTask { [self] in
                        var rounds = Rounds(host: host)
                        repeat { await round(&rounds) } while (try? await sleep(Self.pause)) != nil
                    }
                }
            }
        }
    }

    /// Runs one round for the threads of one host.
    package func round(_ rounds: inout Rounds) async {
        let isFromStart = rounds.place == 0
        var (now, oldest) = (Waiting(), Int64?.none)
        for _ in 0..<Self.pages {
            do throws(StoreError) {
                let found = try await relay.relayOverdue(
                    age: Self.age, of: rounds.host, after: rounds.place, timeout: Self.timeout)
                now.count += found.ids.count - found.done
                now.unreadable += found.unreadable
                if oldest == nil, found.done < found.ids.count { oldest = found.ids.first }
                if found.done > 0 { relayed.increment(by: found.done) }
                rounds.place = found.next ?? 0
            } catch {
                logger.debug("failed to read the outbox", metadata: ["error": "\(error)"])
                return
            }
            if rounds.place == 0 { break }
        }
        now.age = Double(rounds.age(of: oldest, at: clock.milliseconds, isFromStart: isFromStart)) / 1000
        let known = waiting.withLock { $0[rounds.host]?.unreadable ?? 0 }
        if now.unreadable > known {
            logger.warning(
                "outbox has entries of a later version, which block their threads",
                metadata: ["entries": "\(now.unreadable)"])
        }
        waiting.withLock { $0[rounds.host] = now }
        record()
    }

    private func record() {
        let all = waiting.withLock { Array($0.values) }
        overdue.record(all.reduce(0) { $0 + $1.count })
        age.record(all.map(\.age).max() ?? 0)
        unreadable.record(all.reduce(0) { $0 + $1.unreadable })
    }

    /// The state kept between rounds: where the next one begins, and since when the oldest entry is the same.
    package struct Rounds: Hashable, Sendable {
        package let host: Int
        /// The id of the entry after which the next round continues; 0 starts with the oldest.
        fileprivate(set) var place: Int64 = 0
        private var oldest: Int64?
        private var since: Int64 = 0

        package init(host: Int = 0) {
            self.host = host
        }

        /// - Parameters:
        ///   - id: the oldest entry now; `nil` if there is none.
        ///   - now: Unix milliseconds.
        ///   - isFromStart: whether the round has read the oldest entries; if not, the oldest is unchanged.
        /// - Returns: its minimum age in milliseconds; 0 if there is none.
        fileprivate mutating func age(of id: Int64?, at now: Int64, isFromStart: Bool) -> Int64 {
            if isFromStart, oldest != id { (oldest, since) = (id, now - OutboxRelayService.age) }
            return oldest == nil ? 0 : now - since
        }
    }
}
