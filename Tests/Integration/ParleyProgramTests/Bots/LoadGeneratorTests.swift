import ParleyBots
import Testing

extension ProgramTests {
    @Suite("The load generator against a fake cluster")
    struct LoadGeneratorTests {
        /// Eight bots, two threads, about a hundred messages within a second.
        private func run(
            _ faults: Set<FakeFault>, settle: Double = 10, change: (inout LoadPlan) -> Void = { _ in }
        ) async throws -> (report: Report, upgrades: [String]) {
            var plan = LoadPlan()
            (plan.bots, plan.threads, plan.members, plan.rate) = (8, 2, 4, 100)
            (plan.duration, plan.warmUp, plan.settle) = (0.8, 0.2, settle)
            change(&plan)
            let cluster = try await FakeCluster.start(faults)
            let generator = try await LoadGenerator.start(
                plan, LoadGeneratorSettings(urls: [cluster.url], apiKey: "pk_x"))
            try await generator.run()
            let report = try await generator.finish()
            let upgrades = try await cluster.upgrades()
            try await cluster.stop()
            return (report, upgrades)
        }

        @Test("without faults everything is acknowledged, stored, delivered to four, and compared")
        func sound() async throws {
            let report = try await run([]) { ($0.readShare, $0.loops) = (0.3, 2) }.report
            #expect(report.verdict.violations.first == [])
            let figures = report.figures
            #expect(figures.scheduled > 50)
            #expect(figures.sent == figures.scheduled && figures.acked == figures.scheduled)
            #expect(figures.delivered == figures.acked * 4)
            #expect(figures.stored > 10 && figures.stored < figures.acked)
            #expect(figures.own.count > 100 && figures.other.count == 0)
            #expect(figures.errors == [:])
            #expect(report.verdict.unreadCounts == 8)
            #expect(report.verdict.memberships == 8)
            #expect(report.verdict.events == figures.acked)
        }

        static let wrong: [(FakeFault, GuaranteeViolation.Kind)] = [
            (.drops(delivery: 101), .gap), (.doubles(delivery: 102), .doubled), (.swaps(delivery: 103), .doubled),
            (.losesInStore(seq: 7), .lost), (.doublesInStore(seq: 8), .doubled), (.reusesSeq(seq: 9), .seqReused),
            (.miscountsUnread, .unread), (.forgets(send: 20), .lost),
        ]

        @Test("each fault is found and named", arguments: wrong)
        func finds(fault: FakeFault, kind: GuaranteeViolation.Kind) async throws {
            let report = try await run([fault]).report
            let found = report.verdict.violations.first
            #expect(found.contains { $0.kind == kind && $0.thread != nil && $0.bot != nil }, "\(found)")
            #expect(!report.isSound)
            #expect(report.verdictText.hasPrefix("BROKEN"))
        }

        @Test("a slow reader reads no faster than its pace")
        func slowReaders() async throws {
            var plan = LoadPlan()
            (plan.bots, plan.threads, plan.members, plan.rate) = (4, 1, 4, 100)
            (plan.duration, plan.warmUp, plan.settle) = (3, 0, 10)
            (plan.slowShare, plan.slowBytesPerSecond) = (1, 1000)
            let cluster = try await FakeCluster.start([])
            let generator = try await LoadGenerator.start(
                plan, LoadGeneratorSettings(urls: [cluster.url], apiKey: "pk_x"))
            let began = ContinuousClock.now
            try await generator.run()
            let taken = try await generator.figures().receivedBytes
            let seconds = (ContinuousClock.now - began) / .seconds(1)
            // The response to the upgrade is not paced, and a read precedes its delay.
            #expect(Double(taken) <= 4 * (1000 * seconds + 3000))
            let report = try await generator.finish()
            #expect(report.verdict.violations.first == [])
            #expect(report.figures.delivered == report.figures.acked * 4)
            #expect(report.figures.receivedBytes > 2 * taken)
            try await cluster.stop()
        }

        @Test("a send that is never acknowledged is found")
        func silent() async throws {
            let report = try await run([.isSilent(send: 15)], settle: 1).report
            #expect(report.verdict.violations.counts.keys.contains(.unanswered))
        }

        @Test("an incomplete replay is found")
        func cutReplay() async throws {
            let report = try await run([.cutsReplays, .cutsAll(afterDelivery: 150)]).report
            #expect(report.verdict.violations.counts.keys.contains(.gap))
        }

        static let hard: [Set<FakeFault>] = [
            [.refusesOften(every: 5)], [.cutsAll(afterDelivery: 150)], [.cutsAll(afterDelivery: 150), .makesPages],
            [.closesAll(afterDelivery: 150, code: 4300)], [.closesAll(afterDelivery: 150, code: 1012)],
            [.closesAll(afterDelivery: 150, code: 4100)], [.leavesOut(fromDelivery: 120, count: 40)],
            [.saysBye(afterDelivery: 150, milliseconds: 200)],
        ]

        @Test("disturbances that a client must tolerate are no violation", arguments: hard)
        func bears(faults: Set<FakeFault>) async throws {
            let (report, upgrades) = try await run(faults) { $0.readShare = 0.5 }
            #expect(report.verdict.violations.first == [])
            let figures = report.figures
            #expect(figures.acked == figures.scheduled)
            let isCut = faults.contains { fault in
                switch fault {
                case .cutsAll, .closesAll, .saysBye: true
                default: false
                }
            }
            if isCut {
                #expect(figures.losses >= 8)
                #expect(figures.recovery.count >= 8)
                #expect(upgrades.count >= 16)
            }
            if faults.contains(.makesPages) || faults.contains(.leavesOut(fromDelivery: 120, count: 40)) {
                #expect(figures.fetched > 0)
            }
            if faults.contains(.refusesOften(every: 5)) { #expect(figures.errors["rate_limited"] ?? 0 > 5) }
            if faults.contains(.saysBye(afterDelivery: 150, milliseconds: 200)) {
                #expect(upgrades.contains { $0.contains("ticket=bye.") })
            }
        }

        @Test("a bot that must not reconnect stops, and is reported as absent")
        func stopped() async throws {
            let (report, upgrades) = try await run([.closesAll(afterDelivery: 150, code: 4001)], settle: 1)
            #expect(report.verdict.violations.counts[.absent] == 8)
            #expect(upgrades.count == 8)
            #expect(report.figures.errors["close_4001"] == 8)
        }

        @Test("a log that starts over is a violation, unless it is allowed")
        func startsOver() async throws {
            let faults: Set = [FakeFault.startsOver(afterDelivery: 150, loses: 3)]
            // Messages acknowledged as stored must never be lost, and the fake stores nothing.
            #expect(try await !run(faults) { $0.storedShare = 0 }.report.isSound)
            let report = try await run(faults) { ($0.mayRollBack, $0.storedShare) = (true, 0) }.report
            #expect(report.verdict.violations.first == [])
            #expect(report.figures.errors["rolled_back"] ?? 0 > 0)
        }

        @Test("bots that cut their own sockets reconnect and miss nothing")
        func churn() async throws {
            let report = try await run([]) { ($0.churn, $0.stormAt) = (10, 0.5) }.report
            #expect(report.verdict.violations.first == [])
            #expect(report.figures.cuts >= 8)
            #expect(report.figures.errors == [:])
        }

        @Test("latency counts from the scheduled time of a send, not from its write")
        func openLoop() async throws {
            // All sockets are closed without a bye for half a second: sends due meanwhile wait.
            let report = try await run([.closesAll(afterDelivery: 150, code: 1013)]) { $0.settle = 15 }.report
            #expect(report.verdict.violations.first == [])
            // The bots reconnect after one to two seconds, when all sends are over.
            #expect(report.figures.ack.maximum > 500_000)
            // The tool itself was in time.
            #expect(report.figures.lateness.quantile(0.9) < 200_000)
        }

        @Test("an unreachable or unknown server gives a readable error")
        func failures() async throws {
            let settings = LoadGeneratorSettings(urls: ["http//x"], apiKey: "k")
            await #expect(throws: PlanError.self) { _ = try await LoadGenerator.start(LoadPlan(), settings) }
            await #expect(throws: PlanError.self) {
                _ = try await LoadGenerator.start(
                    LoadPlan(), LoadGeneratorSettings(urls: ["ws://127.0.0.1:99999"], apiKey: "k"))
            }
        }
    }
}
