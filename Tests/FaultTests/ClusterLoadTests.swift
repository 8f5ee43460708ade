import Foundation
import ParleyTestSupport
import Testing

/// Whether the long form was asked for (`make soak`).
private let isSoak = ProcessInfo.processInfo.environment["PARLEY_SOAK"] != nil

@Suite("A cluster under load loses, doubles and reorders nothing", .serialized, .timeLimit(.minutes(15)))
struct ClusterLoadTests {
    private let duration: Duration = isSoak ? .seconds(60) : .seconds(8)
    /// How often something is killed.
    private let pace: Duration = isSoak ? .seconds(4) : .seconds(2)

    private func check(
        _ plan: LoadPlan, on cluster: Cluster, mayLoseUnstored: Bool = false,
        disturb: @escaping @Sendable () async throws -> Void = {}
    ) async throws {
        let load = try await Load.prepare(plan, on: cluster)
        let checker = try await load.run(mayLoseUnstored: mayLoseUnstored, disturb: disturb)
        let violations = checker.violations()
        let count = checker.stored.values.reduce(0) { $0 + $1.count }
        let seen = checker.journals.reduce(0) { $0 + $1.sessions.reduce(0) { $0 + $1.seen.count } }
        print("\(count) messages stored, \(seen) seen, \(plan.clients) clients, \(plan.duration)")
        #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))\n\(cluster.logs())")
        let expected = Int(plan.rate * Double(plan.duration.components.seconds) * 0.5)
        #expect(count > expected, "the load was far below its plan")
        // REST tells the same as the database.
        #expect(try await cluster.rows("SELECT count(*) FROM ingest_rejects") == ["0"])
    }

    @Test("three gateways, two persisters, nothing disturbed")
    func calm() async throws {
        let cluster = try await Cluster.start()
        try await check(LoadPlan(duration: duration), on: cluster)
        try await cluster.stop()
    }

    @Test("both persisters are killed in turn")
    func persisters() async throws {
        let cluster = try await Cluster.start()
        let (pace, duration) = (pace, duration)
        try await check(LoadPlan(duration: duration), on: cluster) {
            let end = ContinuousClock.now + duration
            var turn = 0
            while ContinuousClock.now < end {
                try await Task.sleep(for: pace)
                try await cluster.persisters[turn % 2].restart()
                turn += 1
            }
        }
        try await cluster.stop()
    }

    @Test("a gateway is killed, and its clients go to the others")
    func gateway() async throws {
        let cluster = try await Cluster.start()
        let duration = duration
        try await check(LoadPlan(duration: duration), on: cluster) {
            try await Task.sleep(for: duration / 3)
            try await cluster.gateways[0].kill()
            try await Task.sleep(for: duration / 3)
            try await cluster.gateways[0].restart()
        }
        try await cluster.stop()
    }

    @Test("Redis is stopped, killed and started again")
    func redis() async throws {
        let cluster = try await Cluster.start()
        let duration = duration
        try await check(LoadPlan(duration: duration), on: cluster) {
            try await Task.sleep(for: duration / 4)
            try await cluster.redis.stop()
            try await Task.sleep(for: .seconds(2))
            try await cluster.redis.restart()
            try await Task.sleep(for: duration / 4)
            try await cluster.redis.restart()
        }
        try await cluster.stop()
    }

    @Test("Redis loses its memory: a new epoch, and no seq with two messages")
    func flush() async throws {
        let cluster = try await Cluster.start()
        let duration = duration
        try await check(LoadPlan(rate: 1000, duration: duration), on: cluster, mayLoseUnstored: true) {
            try await Task.sleep(for: duration / 3)
            try await cluster.redis.cli("FLUSHALL")
        }
        let epochs = try await cluster.rows("SELECT count(DISTINCT epoch) FROM messages GROUP BY thread_id")
        #expect(epochs.allSatisfy { $0 == "2" }, "\(epochs)")
        try await cluster.stop()
    }
}
