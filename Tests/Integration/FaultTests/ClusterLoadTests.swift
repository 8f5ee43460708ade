import ParleyBots
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("A cluster under load loses, doubles and reorders nothing", .serialized, .timeLimit(.minutes(15)))
struct ClusterLoadTests {
    private let seconds: Double = isSoak ? 60 : 8

    /// 300 sockets, 2,000 messages a second, a part of them by classic clients.
    private func plan(rate: Double = 2000) -> LoadPlan {
        var plan = FaultRun.plan(seconds: seconds)
        plan.bots = 300
        plan.threads = 300
        plan.rate = rate
        plan.classicShare = 0.3
        return plan
    }

    @Test("three gateways, two persisters, nothing disturbed")
    func calm() async throws {
        let cluster = try await Cluster.start(environment: FaultRun.unlimited)
        let report = try await FaultRun.run(plan(), on: cluster) { _ in }
        #expect(report.figures.losses == 0)
        try await cluster.stop()
    }

    @Test("both persisters are killed in turn")
    func persisters() async throws {
        let cluster = try await Cluster.start(environment: FaultRun.unlimited)
        try await FaultRun.run(plan(), on: cluster) { flow in
            for turn in 0..<(isSoak ? 12 : 3) {
                try await flow.stored(1000)
                try await cluster.persisters[turn % 2].restart()
            }
        }
        try await cluster.stop()
    }

    @Test("a gateway is killed, and its clients go to the others")
    func gateway() async throws {
        let cluster = try await Cluster.start(environment: FaultRun.unlimited)
        let third = Int(seconds * 2000 / 3)
        try await FaultRun.run(plan(), on: cluster) { flow in
            try await flow.acked(third)
            try await cluster.gateways[0].kill()
            try await flow.acked(third)
            try await cluster.gateways[0].restart()
        }
        try await cluster.stop()
    }

    @Test("Redis is stopped, killed and started again")
    func redis() async throws {
        let cluster = try await Cluster.start(environment: FaultRun.unlimited)
        let fourth = Int(seconds * 2000 / 4)
        try await FaultRun.run(plan(), on: cluster) { flow in
            try await flow.acked(fourth)
            try await cluster.redis.stop()
            // As long as it is away; long enough that sends come back refused.
            try await Task.sleep(for: .seconds(2))
            try await cluster.redis.restart()
            try await flow.acked(fourth / 2)
            try await cluster.redis.restart()
        }
        try await cluster.stop()
    }

    @Test("Redis loses its memory: a new epoch, and no seq with two messages")
    func flush() async throws {
        let cluster = try await Cluster.start(environment: FaultRun.unlimited)
        var plan = plan(rate: 1000)
        plan.mayRollBack = true
        let third = Int(seconds * 1000 / 3)
        try await FaultRun.run(plan, on: cluster) { flow in
            try await flow.acked(third)
            try await cluster.redis.cli("FLUSHALL")
        }
        let epochs = try await cluster.rows("SELECT count(DISTINCT epoch) FROM messages GROUP BY thread_id")
        #expect(epochs.allSatisfy { $0 == "2" }, "\(epochs)")
        try await cluster.stop()
    }
}
