import Foundation
import ParleyBots
import ParleyTestServers
import ParleyTestSupport
import Testing

/// Whether the long form was asked for (`make soak`).
let isSoak = ProcessInfo.processInfo.environment["PARLEY_SOAK"] != nil

/// A continuous load of bots on a cluster while something is done to it, and the verdict at the end.
enum FaultRun {
    /// v1 bots with outboxes, half of whose sends wait for the second ack, with some classic ones among them.
    static func plan(seconds: Double) -> LoadPlan {
        var plan = LoadPlan()
        plan.bots = isSoak ? 300 : 100
        plan.threads = isSoak ? 120 : 40
        plan.members = 5
        plan.rate = isSoak ? 300 : 100
        plan.readShare = 0.2
        plan.typingShare = 0.05
        plan.warmUp = 0
        plan.duration = seconds
        plan.settle = 60
        return plan
    }

    private enum Part: Sendable {
        case load, disturbance
    }

    /// For loads that are faster than users are allowed to be.
    static let unlimited = ["PARLEY_LIMITS_SENDS_PER_SECOND": "0"]

    /// - Parameters:
    ///   - endsEarly: the load ends when `disturb` does, and not only when its plan is done.
    ///   - disturb: ends before the load does.
    /// - Returns: what the bots have counted; that nothing is wrong is expected already.
    @discardableResult
    static func run(
        _ plan: LoadPlan, on cluster: Cluster, endsEarly: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ disturb: @escaping @Sendable (Flow) async throws -> Void
    ) async throws -> Report {
        var settings = LoadGeneratorSettings(
            urls: cluster.gateways.map { "ws://127.0.0.1:\($0.port)/v1/socket" },
            rest: "http://127.0.0.1:\(cluster.persisters[0].port)", apiKey: Cluster.apiKey)
        settings.metrics = []
        let generator = try await LoadGenerator.start(plan, settings)
        do {
            let first = try await withThrowingTaskGroup(of: Part.self) { group in
                group.addTask {
                    try await generator.run()
                    return .load
                }
                group.addTask {
                    try await disturb(Flow(generator))
                    return .disturbance
                }
                let first = try await group.next()
                if endsEarly, first == .disturbance { group.cancelAll() }
                try await group.waitForAll()
                return first
            }
            // A load that ends before everything has struck proves nothing of what struck later.
            #expect(first == .disturbance, "the load ended before the faults did", sourceLocation: sourceLocation)
        } catch {
            await generator.abandon()
            throw error
        }
        let report = try await generator.finish()
        let (figures, verdict) = (report.figures, report.verdict)
        print(
            "\(figures.sent) sent, \(figures.acked) acked, \(figures.stored) stored, \(figures.delivered) delivered,",
            "\(figures.replayed) replayed, \(figures.fetched) fetched, \(figures.losses) sockets lost,",
            "\(verdict.events) events and \(verdict.unreadCounts) unread counts compared")
        #expect(
            verdict.isSound, "\(verdict.violations)\nerrors: \(figures.errors)\n\(cluster.logs())",
            sourceLocation: sourceLocation)
        #expect(
            figures.acked > figures.scheduled / 2 || endsEarly, "the load was far below its plan",
            sourceLocation: sourceLocation)
        #expect(
            try await cluster.rows("SELECT count(*) FROM ingest_rejects") == ["0"], sourceLocation: sourceLocation)
        return report
    }
}
