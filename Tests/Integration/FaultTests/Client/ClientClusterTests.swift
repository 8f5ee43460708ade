import Foundation
import ParleyTestServers
import ParleyTestSupport
import Synchronization
import Testing

/// Random lives of a client, whose process is killed too, on a cluster behind its balancer, in which something breaks all
/// the time; by seed. `PARLEY_SOAK_SEEDS=1000` lives that many.
@Suite("A client on a cluster that breaks", .serialized, .timeLimit(.minutes(isSoak ? 180 : 10)))
struct ClientClusterTests {
    private static let seeds = ProcessInfo.processInfo.environment["PARLEY_SOAK_SEEDS"].flatMap { UInt64($0) } ?? 6
    /// The lives on one cluster.
    private static let batches = stride(from: 1, through: seeds, by: 100).map { $0...min($0 + 99, seeds) }
    /// Lives at the same time.
    private static let width = 6

    @Test(
        "what the client shows equals the history, and each message that it has kept is there once and in order",
        arguments: batches)
    func lives(_ seeds: ClosedRange<UInt64>) async throws {
        let cluster = try await Cluster.start(
            hasLines: true,
            environment: ["PARLEY_LIMITS_SENDS_PER_SECOND": "0", "PARLEY_LIMITS_SIGNUPS_PER_ADDRESS_PER_MINUTE": "0"])
        let balancer = try await Balancer.start(
            gateways: cluster.gateways.map(\.port), persisters: cluster.persisters.map(\.port))
        for first in stride(from: seeds.lowerBound, through: seeds.upperBound, by: Self.width) {
            let chunk = first...min(first + UInt64(Self.width) - 1, seeds.upperBound)
            try await live(chunk, on: cluster, balancer)
        }
        balancer.stop()
        try await cluster.stop()
    }

    private func live(_ seeds: ClosedRange<UInt64>, on cluster: Cluster, _ balancer: Balancer) async throws {
        var lives: [ClientLife] = []
        for seed in seeds { lives.append(try await ClientLife(seed: seed, cluster: cluster, port: balancer.port)) }
        let left = Left(lives.count)
        lives = try await withThrowingTaskGroup(of: ClientLife.self) { group in
            for life in lives {
                group.addTask {
                    defer { left.count.withLock { $0 -= 1 } }
                    var life = life
                    try await life.run()
                    return life
                }
            }
            // Something is broken as long as somebody lives; each fault is mended before the next.
            var random = SeededGenerator(seeds.lowerBound)
            var faults: [String] = []
            while left.count.withLock({ $0 > 0 }) {
                let fault = Fault.allCases.randomElement(using: &random) ?? .gatewayKilled
                try await fault.strike(cluster, for: .milliseconds(300), &random)
                faults.append(fault.rawValue)
            }
            print("seeds \(seeds): \(faults.joined(separator: ", "))")
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for life in lives { group.addTask { try await life.check() } }
            try await group.waitForAll()
        }
    }

    /// How many still live.
    private final class Left: Sendable {
        let count: Mutex<Int>

        init(_ count: Int) { self.count = Mutex(count) }
    }
}
