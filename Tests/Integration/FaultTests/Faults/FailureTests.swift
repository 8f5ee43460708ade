import Foundation
import ParleyBots
import ParleyTestServers
import ParleyTestSupport
import Testing

/// DESIGN §6: what must hold when something fails, by real faults on real processes. The load is that of v1 bots with
/// outboxes (`FaultRun`), and what they received is compared with their acknowledgements and with the store.
@Suite("What must hold when something fails", .serialized, .timeLimit(.minutes(isSoak ? 120 : 30)))
struct FailureTests {
    @Test("a gateway is killed: its clients are live on another within three seconds")
    func gatewayKilled() async throws {
        let cluster = try await Cluster.start()
        let report = try await FaultRun.run(FaultRun.plan(seconds: 60), on: cluster, endsEarly: true) { flow in
            try await flow.acked(200)
            try await cluster.gateways[0].kill()
            try await flow.lost(30)
            try await flow.isWhole()
            try await flow.acked(200)
            try await cluster.gateways[0].restart()
            try await flow.acked(200)
        }
        let recovery = report.figures.recovery.quantile(0.99)
        print("recovery p99 \(recovery / 1000) ms")
        #expect(recovery < 3_000_000)
        try await cluster.stop()
    }

    @Test("a persister is killed: another has taken over within five seconds")
    func persisterKilled() async throws {
        let cluster = try await Cluster.start()
        let report = try await FaultRun.run(FaultRun.plan(seconds: 90), on: cluster, endsEarly: true) { flow in
            for turn in 0..<2 {
                try await flow.stored(100)
                try await cluster.persisters[turn].kill()
                // The other one has to store all of this by itself, whatever partitions were whose.
                try await flow.stored(300, within: .seconds(20))
                try await cluster.persisters[turn].restart()
            }
        }
        // Who waited for the second ack waited for the take-over.
        let longest = report.figures.storedAck.quantile(1)
        print("the longest wait for a stored ack was \(longest / 1000) ms")
        #expect(longest < 5_000_000)
        try await cluster.stop()
    }

    @Test("Redis is killed and started again, and is ten seconds away")
    func redisAway() async throws {
        let cluster = try await Cluster.start()
        let away: Duration = isSoak ? .seconds(10) : .seconds(4)
        try await FaultRun.run(FaultRun.plan(seconds: 90), on: cluster, endsEarly: true) { flow in
            var random = SeededGenerator(1)
            try await flow.acked(200)
            try await Fault.redisRestarted.strike(cluster, for: .zero, &random)
            try await flow.acked(200)
            try await Fault.redisAway.strike(cluster, for: away, &random)
            try await flow.acked(200)
        }
        try await cluster.stop()
    }

    @Test("Redis loses its memory: what was stored is there once, and no seq means two messages")
    func redisFlushed() async throws {
        let cluster = try await Cluster.start()
        var plan = FaultRun.plan(seconds: 60)
        plan.mayRollBack = true
        // The classic dialect has no way to report it.
        plan.classicShare = 0
        let report = try await FaultRun.run(plan, on: cluster, endsEarly: true) { flow in
            for _ in 1...2 {
                try await flow.acked(300)
                try await cluster.redis.cli("FLUSHALL")
            }
            try await flow.acked(300)
        }
        #expect(report.figures.errors["rolled_back", default: 0] > 0)
        try await cluster.stop()
    }

    @Test("PostgreSQL is away for a minute: the chat does not notice, and nothing is lost")
    func databaseAway() async throws {
        let cluster = try await Cluster.start(hasLines: true)
        let away: Duration = isSoak ? .seconds(60) : .seconds(6)
        var plan = FaultRun.plan(seconds: 120)
        // Nothing can be stored: who waits for that stands at its limit soon.
        plan.storedShare = 0
        let report = try await FaultRun.run(plan, on: cluster, endsEarly: true) { [plan] flow in
            var random = SeededGenerator(1)
            // A thread that nobody has written to for long is seeded from the store: each must have been by now.
            try await flow.acked(plan.threads * 10)
            try await Fault.databaseAway.strike(cluster, for: away, &random)
            try await flow.acked(200)
        }
        #expect(report.figures.losses == 0)
        let delivery = report.figures.delivery.quantile(0.99)
        print("delivery p99 \(delivery / 1000) ms with the database away")
        #expect(delivery < 1_000_000)
        try await cluster.stop()
    }

    @Test("clients that read 1 kB a second live, are told what is left out, and cost others nothing")
    func slowReaders() async throws {
        let cluster = try await Cluster.start()
        var plan = FaultRun.plan(seconds: isSoak ? 90 : 45)
        plan.slowShare = 0.05
        plan.threads = 1
        plan.members = plan.bots
        plan.rate = 40
        plan.textBytes = 500...900
        let report = try await FaultRun.run(plan, on: cluster) { _ in }
        #expect(report.figures.losses == 0, "\(report.figures.errors)\n\(cluster.logs())")
        #expect(report.figures.behind > 0)
        #expect(report.figures.fetched > 0)
        try await cluster.stop()
    }

    @Test("all gateways are restarted in turn: bye, the sends under way are answered, and nobody comes too fast")
    func rollingRestart() async throws {
        let (bots, drain) = isSoak ? (3000, 10) : (300, 2)
        // All bots come from one address.
        let cluster = try await Cluster.start(
            drainSeconds: drain, environment: ["PARLEY_LIMITS_CONNECTIONS_PER_ADDRESS": "0"])
        var plan = FaultRun.plan(seconds: 180)
        plan.bots = bots
        plan.threads = bots / 5
        plan.rate = isSoak ? 300 : 100
        let arrivals = Arrivals(cluster.gateways)
        let report = try await FaultRun.run(plan, on: cluster, endsEarly: true) { flow in
            try await flow.acked(100)
            let counting = Task { await arrivals.count() }
            for gateway in cluster.gateways {
                #expect(try await gateway.terminate() == .exited(0))
                try await flow.isWhole()
                try await gateway.restart()
            }
            try await flow.acked(100)
            #expect(try await eventually { arrivals.total >= Double(bots) })
            counting.cancel()
            await counting.value
        }
        // A node sends off a hundred sockets a second, or more if its window is too short for that; the last one has
        // them all, since those before it have sent theirs on to it.
        let peak = arrivals.peak
        let pace = max(100, Double(bots) / Double(drain))
        print("\(arrivals.total) sockets came back, at most \(Int(peak)) a second; the pace is \(Int(pace))")
        #expect(peak <= 1.5 * pace)
        // Each gateway sent `bye` to all of its sockets, and they reconnected because of it.
        #expect(report.figures.errors["close_4200", default: 0] >= bots)
        #expect(report.figures.errors.keys.filter { $0.hasPrefix("close_") } == ["close_4200"])
        try await cluster.stop()
    }

    @Test("anything at any time")
    func random() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["PARLEY_FAULT_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...999_999)
        let count = environment["PARLEY_FAULTS"].flatMap { Int($0) } ?? (isSoak ? 200 : 8)
        print("PARLEY_FAULT_SEED=\(seed) PARLEY_FAULTS=\(count)")
        let cluster = try await Cluster.start(hasLines: true)
        let limit = Double(count) * 12
        try await FaultRun.run(FaultRun.plan(seconds: limit), on: cluster, endsEarly: true) { flow in
            var random = SeededGenerator(seed)
            for number in 1...count {
                try await Task.sleep(for: .milliseconds(Int.random(in: 200...2500, using: &random)))
                let fault = Fault.allCases.randomElement(using: &random) ?? .gatewayKilled
                let rest = Duration.milliseconds(Int.random(in: 100...4000, using: &random))
                print("\(number) \(fault.rawValue) \(rest)")
                try await fault.strike(cluster, for: rest, &random)
            }
            try await flow.isWhole()
        }
        try await cluster.stop()
    }
}
