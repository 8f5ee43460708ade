import Foundation
import ParleyBots
import ParleyTestServers
import ParleyTestSupport
import Testing

/// A Django project with parley-django, on a cluster whose processes and servers are killed, and which is killed itself.
/// `PARLEY_FAULT_SEED` repeats the kills of a run, and `PARLEY_FAULTS` and `PARLEY_EVENTS` set their number and that of
/// the messages at least: 20 and 500, and 200 and 10,000 in the soak.
@Suite("A Django project loses no event", .serialized, .timeLimit(.minutes(isSoak ? 60 : 10)))
struct EventKillTests {
    private enum Victim: String, CaseIterable {
        case gateway, persister, redis, database, endpoint, follower
    }

    private static let environment = ProcessInfo.processInfo.environment
    private static let seed =
        environment["PARLEY_FAULT_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...999_999)
    private static let kills = environment["PARLEY_FAULTS"].flatMap { Int($0) } ?? (isSoak ? 200 : 20)
    private static let events = environment["PARLEY_EVENTS"].flatMap { Int($0) } ?? (isSoak ? 10_000 : 500)

    @Test("by webhook and by group, each event comes at least once, in order, as the history has it")
    func kills() async throws {
        print("PARLEY_FAULT_SEED=\(Self.seed) PARLEY_FAULTS=\(Self.kills) PARLEY_EVENTS=\(Self.events)")
        let networks = ["PARLEY_WEBHOOKS_ALLOWED_NETWORKS": "127.0.0.0/8"]
        let cluster = try await Cluster.start(
            gateways: 2, environment: FaultRun.unlimited.merging(networks) { $1 })
        let site = try await EventSite.start(on: cluster)
        try await FaultRun.run(Self.plan, on: cluster, endsEarly: true) { flow in
            var random = SeededGenerator(Self.seed)
            var editor = try await EventEditor.make(on: cluster)
            // The first work of both, so that the kills meet some.
            try await flow.acked(20)
            for number in 1...Self.kills {
                try await Task.sleep(for: .milliseconds(Int.random(in: 50...800, using: &random)))
                try await Self.strike(number, cluster, site, &random)
                if number.isMultiple(of: 2) { try await editor.write() }
            }
            try await flow.acked(inAll: Self.events, within: .seconds(isSoak ? 1_200 : 60))
            try await flow.isWhole()
        }
        try await Self.check(site, on: cluster)
        for part in EventSite.Part.allCases { try await site.kill(part) }
        try await cluster.stop()
    }

    private static var plan: LoadPlan {
        var plan = FaultRun.plan(seconds: Double(kills) * 12 + Double(events) / 10)
        plan.bots = isSoak ? 40 : 15
        plan.threads = isSoak ? 25 : 10
        plan.rate = isSoak ? 50 : 25
        // Threads that are written to while Redis has just come back and PostgreSQL is away begin new epochs.
        plan.mayRollBack = true
        return plan
    }

    /// Kills one process, and starts it again, in half of the cases after a while.
    private static func strike(
        _ number: Int, _ cluster: Cluster, _ site: EventSite, _ random: inout SeededGenerator
    ) async throws {
        let victim = Victim.allCases.randomElement(using: &random) ?? .gateway
        let (gateway, persister) = (Int.random(in: 0..<2, using: &random), Int.random(in: 0..<2, using: &random))
        let rest = Duration.milliseconds(max(0, Int.random(in: -500...500, using: &random)))
        print("\(number) \(victim) \(gateway) \(persister) \(rest)")
        switch victim {
        case .gateway:
            try await cluster.gateways[gateway].kill()
            try await Task.sleep(for: rest)
            try await cluster.gateways[gateway].restart()
        case .persister:
            try await cluster.persisters[persister].kill()
            try await Task.sleep(for: rest)
            try await cluster.persisters[persister].restart()
        case .redis:
            try await cluster.redis.kill()
            try await Task.sleep(for: rest)
            try await cluster.redis.restart()
        case .database:
            try await cluster.postgres.kill()
            try await Task.sleep(for: rest)
            try await cluster.postgres.restart()
        case .endpoint, .follower:
            let part: EventSite.Part = victim == .endpoint ? .endpoint : .follower
            try await site.kill(part)
            try await Task.sleep(for: rest)
            try await site.restart(part)
        }
    }

    private static func check(_ site: EventSite, on cluster: Cluster) async throws {
        let began = ContinuousClock.now
        // The soak has the time to see that pauses end by themselves.
        if !isSoak { try await site.endPauses() }
        // The lease of a process that was killed ends after 30 seconds.
        let hasCaughtUp = try await eventually(within: .seconds(isSoak ? 600 : 120), every: .milliseconds(200)) {
            try await site.hasCaughtUp()
        }
        #expect(hasCaughtUp, "\(cluster.logs())\n\(site.logs())")
        let took = began.duration(to: .now)
        let threads = try await cluster.rows("SELECT id FROM threads ORDER BY id")
        let comparison = EventComparison(history: try await site.history(of: threads))
        let arrivals = try await site.arrivals()
        #expect(comparison.count >= events)
        for transport in ["webhook", "group"] {
            let own = arrivals.filter { $0.transport == transport }
            let processes = Set(own.map(\.process)).count
            print(
                "\(transport): \(comparison.count) events, \(own.count - comparison.count) again,",
                "in \(processes) processes, \(took) after the load")
            let violations = comparison.violations(in: own)
            #expect(violations.isEmpty, "\(transport), seed \(seed): \(violations.prefix(10))\n\(site.logs())")
        }
    }
}
